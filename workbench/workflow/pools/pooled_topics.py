"""The documents of opened pools by topic, and how many are not loaded, known until the pools have others.

A pool of a million pairs takes some ten megabytes so, and seconds to read. Which pairs a person has graded,
pooled or not, the judgment log says.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
from workbench.storage.engine import WRITES
from workbench.storage.tables import AssessorRow, CampaignRow, PoolEntryRow, PoolRow
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import documents_version, lacking_documents
from workbench.workflow.log import TopicAnswers, answers_by_topic
from workbench.workflow.pools.pool_rows import contents_of, is_adaptive

KEPT = 32
"""So many pools, and unions of pools, have their documents kept in memory, as far as there is room."""


@frozen_dataclass
class TopicDocnos:
    """The documents that are pooled for a topic: `joined` by line feeds, sorted by bytes."""

    joined: bytes
    count: int

    @classmethod
    def of(cls, docnos: Iterable[bytes]) -> TopicDocnos:
        """These documents, each of them once."""
        found = sorted(set(docnos))
        return cls(b"\n".join(found), len(found))

    @property
    def docnos(self) -> frozenset[bytes]:
        """The documents as bytes."""
        return frozenset(self.joined.split(b"\n")) if self.count else frozenset()

    @property
    def in_words(self) -> tuple[str, ...]:
        """The documents."""
        return tuple(self.joined.decode("utf-8", "surrogateescape").split("\n")) if self.count else ()

    def among(self, answers: TopicAnswers) -> NDArray[np.bool_]:
        """Which of the documents that have an answer are these."""
        if self.joined == answers.joined:
            return np.ones(answers.documents, bool)
        chosen = self.docnos
        answered = answers.joined.split(b"\n")[: answers.documents]
        return np.fromiter((one in chosen for one in answered), bool, answers.documents)


NOTHING = TopicDocnos(b"", 0)
ByTopic = Mapping[str, TopicDocnos]


def pooled_by_topic(db: Session, pool: PoolRow) -> ByTopic:
    """The documents of one pool by topic."""
    if not is_kept(db, [pool]):
        return read_by_topic(db, pool.id)
    return _POOLS.get(contents_key(db, [pool]), lambda: read_by_topic(db, pool.id))


def opened_by_topic(db: Session, campaign_id: int) -> ByTopic:
    """The documents of all opened pools of a campaign by topic."""
    pools = opened_pools(db, campaign_id)
    if len(pools) == 1:
        return pooled_by_topic(db, pools[0])
    if not is_kept(db, pools):
        return _union([pooled_by_topic(db, pool) for pool in pools])
    return _POOLS.get(contents_key(db, pools), lambda: _union([pooled_by_topic(db, pool) for pool in pools]))


def opened_pools(db: Session, campaign_id: int) -> Sequence[PoolRow]:
    """The opened pools of a campaign, oldest first."""
    opened = select(PoolRow).where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    return db.scalars(opened.order_by(PoolRow.id)).all()


def is_kept(db: Session, pools: Sequence[PoolRow]) -> bool:
    """Whether what these pools have may be kept until `contents_key` differs."""
    # What is not committed must not be kept for others; an adaptive pool grows with every answer.
    return WRITES not in db.info and not any(is_adaptive(pool) for pool in pools)


def contents_key(db: Session, pools: Sequence[PoolRow]) -> Hashable:
    """What differs whenever the pairs of these opened pools do, also from those of another database."""
    return str(db.get_bind().engine.url), tuple((pool.id, contents_of(pool)) for pool in pools)


def read_by_topic(db: Session, pool_id: int) -> ByTopic:
    """The documents of a pool by topic, as they are now, also of a draft."""
    # Joined by the database: a tenth of the time that its rows take, one by one.
    rows = db.connection().execute(
        select(PoolEntryRow.topic, func.aggregate_strings(PoolEntryRow.docno, "\n"))
        .where(PoolEntryRow.pool_id == pool_id)
        .group_by(PoolEntryRow.topic)
    )
    return {topic: TopicDocnos.of(id_bytes(joined).split(b"\n")) for topic, joined in rows}


def _union(several: Sequence[ByTopic]) -> ByTopic:
    topics = dict.fromkeys(topic for one in several for topic in one)
    found = {}
    for topic in topics:
        parts = [one[topic] for one in several if topic in one]
        if len(parts) == 1:
            found[topic] = parts[0]
        else:
            found[topic] = TopicDocnos.of(docno for part in parts for docno in part.docnos)
    return found


_POOLS: Cache[Hashable, ByTopic] = Cache(
    KEPT, bytes_of=lambda pool: sum(len(one.joined) for one in pool.values())
)


def missing_count(db: Session, campaign_id: int) -> int:
    """How many documents of opened pools are not loaded."""
    pools = opened_pools(db, campaign_id)
    if not pools:
        return 0
    if WRITES in db.info or any(is_adaptive(pool) for pool in pools):
        return _count(db, campaign_id)
    contents = tuple((pool.id, contents_of(pool)) for pool in pools)
    key = str(db.get_bind().engine.url), campaign_id, contents, documents_version(db, campaign_id)
    return _COUNTS.get(key, lambda: _count(db, campaign_id))


def _count(db: Session, campaign_id: int) -> int:
    lacking = lacking_documents(campaign_id).subquery()
    return db.scalar(select(func.count()).select_from(lacking)) or 0


_COUNTS: Cache[Hashable, int] = Cache(8)


def pooled_pairs(db: Session, campaign_id: int) -> int:
    """How many different pairs the pools of a campaign have, drafts left out."""
    return sum(one.count for one in opened_by_topic(db, campaign_id).values())


def highest_grades(db: Session, campaign_id: int, of: str | None = None) -> dict[tuple[str, str], int]:
    """The highest grade that a person has given, by (topic, docno), pooled or not, in all topics or one."""
    machines = machines_of(db, campaign_id)
    highest: dict[tuple[str, str], int] = {}
    for topic, one in answers_by_topic(db, campaign_id).items():
        if of in {None, topic}:
            highest |= {(topic, docno): grade for docno, grade in highest_grades_of(one, machines).items()}
    return highest


def relevant_pairs(db: Session, campaign_id: int, of: str | None = None) -> dict[tuple[str, str], bool]:
    """What people graded, in all topics or one: whether the highest grade of a pair is relevant."""
    least = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from
    return {pair: grade >= least for pair, grade in highest_grades(db, campaign_id, of).items()}


def machines_of(db: Session, campaign_id: int) -> frozenset[int]:
    """The assessors of a campaign that are machines."""
    chosen = select(AssessorRow.id).where(AssessorRow.campaign_id == campaign_id, AssessorRow.machine)
    return frozenset(db.scalars(chosen))


def highest_grades_of(answers: TopicAnswers, machines: frozenset[int]) -> Mapping[str, int]:
    """The highest grade that somebody who is none of these machines has given, by docno of the topic."""
    chosen = answers.of_people(machines) & (answers.codes >= 0)
    places, grades = answers.places[chosen], answers.codes[chosen]
    if not len(places):
        return {}
    # Answers stand by document: those of one begin where the place changes.
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    docnos, most = answers.docnos, np.maximum.reduceat(grades, starts)
    rows = zip(places[starts].tolist(), most.tolist(), strict=True)
    return {docnos[place]: grade for place, grade in rows}


def graded_of_pool(db: Session, campaign_id: int, pooled: ByTopic) -> int:
    """How many pairs of a pool, given by its topics, a person has graded."""
    machines = machines_of(db, campaign_id)
    answers = answers_by_topic(db, campaign_id)
    found = 0
    for topic, one in answers.items():
        graded = np.zeros(one.documents, np.bool_)
        graded[one.places[one.of_people(machines) & (one.codes >= 0)]] = True
        found += int(np.count_nonzero(graded & pooled.get(topic, NOTHING).among(one)))
    return found
