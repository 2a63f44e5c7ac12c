"""Two pools side by side, drafts or not; or one beside everything that people have judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import overload

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.pooling.comparison import (
    NO_MEMBERS,
    NOTHING,
    Chosen,
    ComparedTags,
    ComparedTopic,
    Numbers,
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
from workbench.workflow.pools.contributors import TagReading, joined_entries
from workbench.workflow.pools.listing import PoolLine, origin, pool_summary
from workbench.workflow.pools.pace import Pace, pace_of
from workbench.workflow.pools.pooled_topics import highest_grades_of, machines_of


class PairChange(StrEnum):
    """What becomes of a pair from one pool to the other."""

    ADDED = "entering"
    REMOVED = "leaving"
    KEPT = "staying"

    def among(self, topic: ComparedTopic) -> Chosen:
        """Which pairs of a topic change so."""
        if self is PairChange.KEPT:
            return topic.before & topic.after
        one, other = (topic.after, topic.before) if self is PairChange.ADDED else (topic.before, topic.after)
        return one & ~other


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A pair of either pool: what becomes of it, whether a person has judged it, and where it comes from.

    The origin is `runs`, `manual` or `runs+manual` in the pool after, else in the one before, or `judged`.
    """

    turn: PairChange
    topic: str
    docno: str
    judged: bool
    origin: str


@dataclass(frozen=True, eq=False)
class ComparedPools:
    """A comparison and its two pools; without a pool before, it is with everything that is judged."""

    # No slots: pairs are made for whoever lists all of them; a page shows a hundred.
    before: PoolLine | None
    after: PoolLine
    comparison: PoolComparison
    pace: Pace

    @property
    def hours(self) -> float:
        """The hours for what of the pool after is not judged."""
        return self.pace.hours(self.comparison.total.to_judge)

    @cached_property
    def pairs(self) -> tuple[ComparedPair, ...]:
        """Every pair, sorted by topic and docno as bytes."""
        return tuple(
            pair for topic in self.comparison.topics for pair in self._pairs(topic, range(len(topic.docnos)))
        )

    def changing(self, turn: PairChange, topic: str = "") -> ChangedPairs:
        """The pairs of which this becomes, of one topic or of all, in the same order."""
        topics = [one for one in self.comparison.topics if not topic or one.topic == topic]
        return ChangedPairs(self, [(one, np.flatnonzero(turn.among(one))) for one in topics])

    def _pairs(self, topic: ComparedTopic, places: Iterable[int]) -> Iterator[ComparedPair]:
        for place in places:
            before, after = bool(topic.before[place]), bool(topic.after[place])
            turn = PairChange.KEPT if before and after else PairChange.ADDED if after else PairChange.REMOVED
            pooled = after or self.before is not None
            source = origin(bool(topic.by_runs[place]), bool(topic.by_hand[place])) if pooled else "judged"
            yield ComparedPair(turn, topic.topic, topic.docnos[place], bool(topic.judged[place]), source)


class ChangedPairs(Sequence[ComparedPair]):
    """Some of the pairs of a comparison, each made when it is asked for."""

    def __init__(self, found: ComparedPools, chosen: list[tuple[ComparedTopic, Numbers]]) -> None:
        self._found, self._chosen = found, chosen

    def __len__(self) -> int:
        return sum(len(places) for _, places in self._chosen)

    @overload
    def __getitem__(self, which: int) -> ComparedPair: ...

    @overload
    def __getitem__(self, which: slice) -> list[ComparedPair]: ...

    def __getitem__(self, which: int | slice) -> ComparedPair | list[ComparedPair]:
        numbers = range(len(self))[which]
        return [self._at(number) for number in numbers] if isinstance(numbers, range) else self._at(numbers)

    def _at(self, number: int) -> ComparedPair:
        for topic, places in self._chosen:
            if number < len(places):
                return next(self._found._pairs(topic, [int(places[number])]))
            number -= len(places)
        raise IndexError(number)


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
    reading = TagReading(line.tags)
    number = np.min_scalar_type(len(line.tags))
    found = {}
    for topic, docnos, texts in joined_entries(db, line.id):
        numbers, counts = reading.read(texts)
        brought = numbers.astype(number)
        found[topic] = TopicMembers(
            tuple(docnos.split("\n")), brought, counts, frozenset(added.get(topic, ()))
        )
    return PoolMembers(tuple(line.tags), found)
