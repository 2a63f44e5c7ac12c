"""What the pool still misses, estimated from random samples of what was neither pooled nor judged.

Here they are drawn and put into a pool as well.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from functools import partial

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.learning.missed import ElusionSample, bounds_of_sum, recall_bounds
from workbench.records import id_bytes, sorted_ids
from workbench.storage.tables import CampaignRow, DocumentRow, MissedSampleRow
from workbench.tables import Export
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.log import answers_by_topic
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.making import pooled_or_judged
from workbench.workflow.pools.pool_rows import locked_pool, pool_row, require_open
from workbench.workflow.pools.pooled_topics import highest_grades_of, machines_of
from workbench.workflow.runs.run_rules import listed_docnos

MOST_DRAWN = 2_000
"""Documents of a topic at once: each joins the pool, and somebody is to read it."""
_SEEDS = 2**31


@frozen_dataclass
class SampleDraw:
    """A sample that is asked for: `size` documents of each topic, of all topics if none is named.

    Without a seed one is drawn; it is stored in either case.
    """

    pool: str
    size: int
    topics: tuple[str, ...] = ()
    seed: int | None = None
    by: int | None = None


@frozen_dataclass
class DrawnTopic:
    """What was drawn for a topic; `docnos` in the order in which they were drawn, `new` of them now."""

    topic: str
    seed: int
    unpooled: int
    known: frozenset[str]
    docnos: tuple[str, ...]
    new: tuple[str, ...]


@frozen_dataclass
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
    mixed = int.from_bytes(hashlib.sha256(id_bytes(topic)).digest()[:8])
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


@frozen_dataclass
class MissedLine:
    """A topic, or all together: what the sample says of the `unpooled` documents it was drawn from.

    `known` documents were pooled or judged before, of which `known_judged` are judged now and
    `known_relevant` relevant. Of the `drawn`, `judged` and `relevant` likewise. `missed` are the relevant
    documents among the unpooled, `recall` is known_relevant / (known_relevant + missed), both with 95 %
    intervals. `more_low` and `more_high` bound `missed` if as many again were drawn, all judged, and as large
    a share of them relevant; None where nothing is judged. The seed is None for all together.
    """

    topic: str
    title: str
    seed: int | None
    known: int
    known_judged: int
    known_relevant: int
    unpooled: int
    drawn: int
    judged: int
    relevant: int
    missed: float | None
    missed_low: int
    missed_high: int
    recall: float | None
    recall_low: float | None
    recall_high: float | None
    more_low: int | None
    more_high: int | None


@frozen_dataclass
class MissedReport:
    """The sampled topics in their order, all of them together, and how many topics the campaign has."""

    topics: tuple[MissedLine, ...]
    together: MissedLine | None
    of_topics: int


def missed_report(db: Session, campaign_id: int) -> MissedReport:
    """What the pools of a campaign still miss, by topic that was sampled and together.

    A document is relevant if the highest grade of any person is.
    """
    least = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from
    machines, answers = machines_of(db, campaign_id), answers_by_topic(db, campaign_id)
    numbers, titles = last_sample_numbers(db, campaign_id), topic_titles(db, campaign_id)
    found = []
    for topic, title in titles.items():
        if topic in numbers:
            row = db.get_one(MissedSampleRow, numbers[topic])
            highest = highest_grades_of(answers[topic], machines) if topic in answers else {}
            line = _of_topic(row, {docno: grade >= least for docno, grade in highest.items()})
            found.append((title, *line))
    lines = tuple(replace(line, title=title) for title, line, _ in found)
    known = [(one.known, one.known_judged, one.known_relevant) for one in lines]
    all_known = [sum(column) for column in zip(*known, strict=True)]
    together = _line("all", None, all_known, [sample for *_, sample in found]) if lines else None
    return MissedReport(lines, together, len(titles))


def _of_topic(row: MissedSampleRow, grades: dict[str, bool]) -> tuple[MissedLine, ElusionSample]:
    before = [grades[docno] for docno in row.known if docno in grades]
    drawn = [grades[docno] for docno in row.docnos if docno in grades]
    sample = ElusionSample(row.unpooled, len(row.docnos), len(drawn), sum(drawn))
    return _line(row.topic, row.seed, (len(row.known), len(before), sum(before)), [sample]), sample


def _line(topic: str, seed: int | None, known: Sequence[int], samples: Sequence[ElusionSample]) -> MissedLine:
    """What samples say together, where so many documents were known, judged of these, and relevant."""
    estimates = [one.estimate for one in samples]
    missed = None if None in estimates else sum(one for one in estimates if one is not None)
    low, high = bounds_of_sum(samples)
    recall = recall_bounds(known[2], (low, high)) or (None, None)
    more = (None, None) if missed is None else bounds_of_sum([one.with_more(one.drawn) for one in samples])
    return MissedLine(
        topic=topic,
        title="",
        seed=seed,
        known=known[0],
        known_judged=known[1],
        known_relevant=known[2],
        unpooled=sum(one.left for one in samples),
        drawn=sum(one.drawn for one in samples),
        judged=sum(one.judged for one in samples),
        relevant=sum(one.relevant for one in samples),
        missed=missed,
        missed_low=low,
        missed_high=high,
        recall=None if missed is None or not known[2] + missed else known[2] / (known[2] + missed),
        recall_low=recall[0],
        recall_high=recall[1],
        more_low=more[0],
        more_high=more[1],
    )


def missed_export(report: MissedReport) -> Export:
    """The topics for CSV; for JSON all together too."""
    columns = tuple(one.name for one in fields(MissedLine))
    return Export(
        columns,
        lambda: ([getattr(line, name) for name in columns] for line in report.topics),
        partial(asdict, report),
    )
