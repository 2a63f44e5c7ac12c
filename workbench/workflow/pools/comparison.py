"""Two pools side by side, drafts or not; or one beside everything that people have judged."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import overload

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.pooling.comparison import (
    NOTHING,
    Chosen,
    ComparedTopic,
    Numbers,
    PoolComparison,
    PoolMembers,
    TopicMembers,
    compare_pairs,
    grouped,
)
from workbench.storage.engine import WRITES
from workbench.storage.tables import PoolEntryRow
from workbench.workflow.caching import Cache
from workbench.workflow.pools.adaptive_pools import is_adaptive
from workbench.workflow.pools.contributors import TagReading, joined_entries
from workbench.workflow.pools.judged_pairs import graded_by_people
from workbench.workflow.pools.listing import PoolLine, origin, pool_summary
from workbench.workflow.pools.pace import Pace, pace_of
from workbench.workflow.pools.pool_rows import PoolState, contents_of, pool_row, state_of

MOST_KEPT = 2_000_000
"""Pools of which runs brought more pairs, counted by run, are read anew each time: that many take 20 MB."""


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
    judged = graded_by_people(db, campaign_id)
    line = pool_summary(db, campaign_id, after)
    line_before = None if before is None else pool_summary(db, campaign_id, before)
    second = _members(db, campaign_id, line)
    if line_before is None:
        topics = {
            topic: TopicMembers(tuple(docnos), NOTHING, np.zeros(len(docnos), np.int64))
            for topic, docnos in grouped(judged).items()
        }
        first = PoolMembers((), topics)
    else:
        first = _members(db, campaign_id, line_before)
    return ComparedPools(
        line_before, line, compare_pairs(first, second, judged=judged), pace_of(db, campaign_id)
    )


def _members(db: Session, campaign_id: int, line: PoolLine) -> PoolMembers:
    """The members of a pool; those of one that was opened are kept until it has others."""
    row = pool_row(db, campaign_id, line.name)
    # A draft can be rebuilt by the same recipe; an adaptive pool grows with every answer; what is not
    # committed yet must not be kept for others.
    if state_of(row) is PoolState.DRAFT or is_adaptive(row) or WRITES in db.info:
        return _read(db, line)
    key = str(db.get_bind().engine.url), line.id, contents_of(row)
    known = _MEMBERS.peek(key)
    if known is None:
        known = _read(db, line)
        if sum(len(one.brought) for one in known.topics.values()) <= MOST_KEPT:
            _MEMBERS.put(key, known)
    return known


def _read(db: Session, line: PoolLine) -> PoolMembers:
    entry = PoolEntryRow
    by_hand = db.execute(
        select(entry.topic, entry.docno).where(entry.pool_id == line.id, entry.added_at.is_not(None))
    )
    added = grouped((topic, docno) for topic, docno in by_hand)
    reading = TagReading(line.tags)
    number = np.min_scalar_type(len(line.tags))
    topics = {}
    for topic, docnos, texts in joined_entries(db, line.id):
        numbers, counts = reading.read(texts)
        brought = numbers.astype(number)
        topics[topic] = TopicMembers(
            tuple(docnos.split("\n")), brought, counts, frozenset(added.get(topic, ()))
        )
    return PoolMembers(tuple(line.tags), topics)


_MEMBERS: Cache[Hashable, PoolMembers] = Cache(4)
