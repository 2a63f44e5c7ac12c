"""Two pools side by side, drafts or not; or one beside everything that people have judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.pooling.comparison import (
    NO_MEMBERS,
    NOTHING,
    ComparedTags,
    PoolComparison,
    PoolMembers,
    TopicMembers,
    compare_topic,
    grouped,
    put_together,
)
from workbench.records import sorted_ids
from workbench.storage.tables import PoolEntryRow
from workbench.workflow.log import answers_by_topic
from workbench.workflow.pools.listing import PoolLine, origin, pool_summary
from workbench.workflow.pools.planning import Pace, pace_of
from workbench.workflow.pools.pool_rows import contributors
from workbench.workflow.pools.pooled_topics import highest_grades_of, machines_of


class PairChange(StrEnum):
    """What becomes of a pair from one pool to the other."""

    ADDED = "entering"
    REMOVED = "leaving"
    KEPT = "staying"


@frozen_dataclass
class ComparedPair:
    """A pair of either pool: what becomes of it, whether a person has judged it, and where it comes from.

    The origin is `runs`, `manual` or `runs+manual` in the pool after, else in the one before, or `judged`.
    """

    turn: PairChange
    topic: str
    docno: str
    judged: bool
    origin: str


@dataclass(frozen=True, slots=True, eq=False)
class ComparedPools:
    """A comparison and its two pools; without a pool before, it is with everything that is judged."""

    before: PoolLine | None
    after: PoolLine
    comparison: PoolComparison
    pace: Pace

    @property
    def hours(self) -> float:
        """The hours for what of the pool after is not judged."""
        return self.pace.hours(self.comparison.total.to_judge)

    @property
    def pairs(self) -> Iterator[ComparedPair]:
        """Every pair, sorted by topic and docno as bytes."""
        for topic in self.comparison.topics:
            columns = (topic.before, topic.after, topic.judged, topic.by_runs, topic.by_hand)
            for docno, *flags in zip(topic.docnos, *(one.tolist() for one in columns), strict=True):
                before, after, judged, by_runs, by_hand = flags
                turn = (
                    PairChange.KEPT if before and after else PairChange.ADDED if after else PairChange.REMOVED
                )
                pooled = after or self.before is not None
                source = origin(by_runs, by_hand) if pooled else "judged"
                yield ComparedPair(turn, topic.topic, docno, judged, source)


def compare_pools(db: Session, campaign_id: int, before: str | None, after: str) -> ComparedPools:
    """Compare the pool before, or all that is judged where None, with the pool after; raises NotFound."""
    line = pool_summary(db, campaign_id, after)
    line_before = None if before is None else pool_summary(db, campaign_id, before)
    found = _compared(db, campaign_id, line_before, line)
    return ComparedPools(line_before, line, found, pace_of(db, campaign_id))


def _compared(db: Session, campaign_id: int, before: PoolLine | None, after: PoolLine) -> PoolComparison:
    answers, machines = answers_by_topic(db, campaign_id), machines_of(db, campaign_id)
    judged = {topic: highest_grades_of(one, machines) for topic, one in answers.items()}
    tags = ComparedTags.of(() if before is None else before.tags, after.tags)
    second = _members(db, after).topics
    first: Mapping[str, TopicMembers] = {topic: _judged_members(one) for topic, one in judged.items() if one}
    if before is not None:
        first = _members(db, before).topics
    return put_together(
        tags,
        [
            compare_topic(
                topic,
                tags,
                first.get(topic, NO_MEMBERS),
                second.get(topic, NO_MEMBERS),
                judged=judged.get(topic, {}),
            )
            for topic in sorted_ids(first.keys() | second.keys())
        ],
    )


def _judged_members(judged: Mapping[str, int]) -> TopicMembers:
    return TopicMembers(tuple(judged), NOTHING, np.zeros(len(judged), np.int64))


def _members(db: Session, line: PoolLine) -> PoolMembers:
    entry = PoolEntryRow
    by_hand = select(entry.topic, entry.docno).where(entry.pool_id == line.id, entry.added_at.is_not(None))
    added = grouped((topic, docno) for topic, docno in db.execute(by_hand))
    number = {tag: place for place, tag in enumerate(line.tags)}
    found = {}
    for topic, docnos, brought in contributors(db, line.id):
        numbers = [number[tag] for tags in brought for tag in tags]
        counts = np.array([len(tags) for tags in brought], np.int64)
        by_hand_here = frozenset(added.get(topic, ()))
        of_runs = np.array(numbers, np.min_scalar_type(len(number)))
        found[topic] = TopicMembers(tuple(docnos), of_runs, counts, by_hand_here)
    return PoolMembers(tuple(line.tags), found)
