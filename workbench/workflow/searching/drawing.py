"""Random samples of what was neither pooled nor judged: drawing them, and putting them into a pool."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import sorted_ids
from workbench.storage.tables import DocumentRow, MissedSampleRow
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.making import pooled_or_judged
from workbench.workflow.pools.pool_rows import locked_pool, pool_row, require_open
from workbench.workflow.runs.run_rules import listed_docnos

MOST_DRAWN = 2_000
"""Documents of a topic at once: each joins the pool, and somebody is to read it."""
_SEEDS = 2**31


@dataclass(frozen=True, slots=True)
class SampleDraw:
    """A sample that is asked for: `size` documents of each topic, of all topics if none is named.

    Without a seed one is drawn; it is stored in either case.
    """

    pool: str
    size: int
    topics: tuple[str, ...] = ()
    seed: int | None = None
    by: int | None = None


@dataclass(frozen=True, slots=True)
class DrawnTopic:
    """What was drawn for a topic; `docnos` in the order in which they were drawn, `new` of them now."""

    topic: str
    seed: int
    unpooled: int
    known: frozenset[str]
    docnos: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MissedDraw:
    """What a request draws from a collection of so many documents, before anything is written."""

    asked: SampleDraw
    topics: tuple[DrawnTopic, ...]
    collection: int


def plan_draw(db: Session, campaign_id: int, draw: SampleDraw) -> MissedDraw:
    """Draw a sample for each topic; nothing is written, since reading a large collection takes its time.

    Where nothing but its own documents has been pooled or judged since a topic's last sample, and the
    collection is the same, the sample continues in the order of its seed. Topics of which everything is
    pooled or judged are passed over. Raises WorkbenchError for a size or seed that cannot be, NotFound for a
    pool or topic, Conflict for a pool that is not open and where nothing is left to draw.
    """
    if not 1 <= draw.size <= MOST_DRAWN:
        raise WorkbenchError(f"a sample has 1 to {MOST_DRAWN:,} documents", remedy="give another size")
    if draw.seed is not None and not 0 <= draw.seed < _SEEDS:
        raise WorkbenchError(f"{draw.seed} is not a seed", remedy=f"give 0 to {_SEEDS - 1:,}")
    seed = secrets.randbelow(_SEEDS) if draw.seed is None else draw.seed
    require_open(pool_row(db, campaign_id, draw.pool))
    docnos = _collection(db, campaign_id)
    topics = _topics(db, campaign_id, draw.topics)
    known = _known(db, campaign_id, topics)
    last = last_samples(db, campaign_id)
    drawn = [_drawn(topic, docnos, known[topic], last.get(topic), draw.size, seed) for topic in topics]
    chosen = tuple(one for one in drawn if one.new)
    if not chosen:
        raise Conflict("every document is pooled or judged already", remedy="load the whole collection")
    return MissedDraw(draw, chosen, len(docnos))


def keep_draw(db: Session, campaign_id: int, planned: MissedDraw) -> None:
    """Add what was drawn to the pool, each document with the sample as its reason, and keep the samples.

    Raises Conflict where the pool takes no documents, and where documents of a topic were pooled, judged or
    sampled since the draw was planned.
    """
    draw = planned.asked
    pool = locked_pool(db, campaign_id, draw.pool)
    require_open(pool)
    known = _known(db, campaign_id, [one.topic for one in planned.topics])
    last = last_samples(db, campaign_id)
    now = datetime.now(UTC)
    for one in planned.topics:
        earlier = one.docnos[: len(one.docnos) - len(one.new)]
        changed = known[one.topic] != one.known | set(earlier)
        if changed or (earlier and last[one.topic].docnos != list(earlier)):
            raise Conflict(f"documents of topic {one.topic} were pooled meanwhile", remedy="draw again")
        reason = (
            f"random sample of what was not pooled: {len(one.docnos):,} of {one.unpooled:,} documents, "
            f"seed {one.seed}"
        )
        listed = Additions({docno: place for place, docno in enumerate(one.new, 1)}, reason, "Sample")
        add_documents(db, campaign_id, draw.pool, one.topic, listed, added_by=draw.by)
        db.add(
            MissedSampleRow(
                campaign_id=campaign_id,
                pool_id=pool.id,
                topic=one.topic,
                seed=one.seed,
                collection=planned.collection,
                unpooled=one.unpooled,
                known=sorted_ids(one.known),
                docnos=list(one.docnos),
                drawn_by=draw.by,
                drawn_at=now,
            )
        )
    db.flush()


def last_samples(db: Session, campaign_id: int) -> dict[str, MissedSampleRow]:
    """The sample of each topic that counts, the last one."""
    numbers = last_sample_numbers(db, campaign_id).values()
    rows = db.scalars(select(MissedSampleRow).where(MissedSampleRow.id.in_(numbers)))
    return {row.topic: row for row in rows}


def last_sample_numbers(db: Session, campaign_id: int) -> dict[str, int]:
    """The same by their numbers alone, which do not read what was drawn of how many."""
    mine = MissedSampleRow.campaign_id == campaign_id
    latest = select(MissedSampleRow.topic, func.max(MissedSampleRow.id)).where(mine)
    return {row[0]: row[1] for row in db.execute(latest.group_by(MissedSampleRow.topic))}


def drawn_order(docnos: Sequence[str], topic: str, seed: int, known: frozenset[str], size: int) -> list[str]:
    """The first `size` documents that are not known, in a random order of all of them.

    The same for the same sorted docnos, topic and seed; a larger size continues a smaller one.
    """
    mixed = int.from_bytes(hashlib.sha256(topic.encode("utf-8", "surrogateescape")).digest()[:8])
    found: list[str] = []
    for place in np.random.default_rng([seed, mixed]).permutation(len(docnos)):
        if len(found) == size:
            break
        if docnos[place] not in known:
            found.append(docnos[place])
    return found


def _drawn(
    topic: str,
    docnos: Sequence[str],
    known: frozenset[str],
    last: MissedSampleRow | None,
    size: int,
    seed: int,
) -> DrawnTopic:
    before: tuple[str, ...] = ()
    if last is not None and last.collection == len(docnos):
        then, sampled = frozenset(last.known), tuple(last.docnos)
        same = drawn_order(docnos, topic, last.seed, then, len(sampled)) == list(sampled)
        if same and known == then | set(sampled):
            before, known, seed = sampled, then, last.seed
    everything = drawn_order(docnos, topic, seed, known, len(before) + size)
    unpooled = len(docnos) - sum(docno in known for docno in docnos)
    return DrawnTopic(topic, seed, unpooled, known, tuple(everything), tuple(everything[len(before) :]))


def _collection(db: Session, campaign_id: int) -> list[str]:
    """All docnos, sorted: those of the collection's list, or else of the documents that are loaded."""
    listed = listed_docnos(db, campaign_id)
    if listed is not None:
        return sorted_ids(listed)
    return sorted_ids(db.scalars(select(DocumentRow.docno).where(DocumentRow.campaign_id == campaign_id)))


def _topics(db: Session, campaign_id: int, asked: Sequence[str]) -> list[str]:
    titles = topic_titles(db, campaign_id)
    for topic in asked:
        if topic not in titles:
            raise NotFound(f"there is no topic {topic!r} in this campaign")
    return [topic for topic in titles if not asked or topic in asked]


def _known(db: Session, campaign_id: int, topics: Sequence[str]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {topic: set() for topic in topics}
    for topic, docno in pooled_or_judged(db, campaign_id):
        if topic in found:
            found[topic].add(docno)
    return {topic: frozenset(docnos) for topic, docnos in found.items()}
