"""Two pools side by side, drafts or not; or one beside everything that people have judged."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
    TopicComparison,
    TopicMembers,
    compare_topic,
    grouped,
    put_together,
)
from workbench.records import sorted_ids
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.caching import Cache
from workbench.workflow.pools.contributors import TagReading, joined_entries
from workbench.workflow.pools.current_answers import answers_by_topic
from workbench.workflow.pools.judged_pairs import highest_grades_of, machines_of
from workbench.workflow.pools.listing import PoolLine, origin, pool_summary
from workbench.workflow.pools.pace import Pace, pace_of
from workbench.workflow.pools.pool_rows import PoolState, pool_row, state_of
from workbench.workflow.pools.pooled_topics import contents_key, is_kept
from workbench.workflow.pools.topic_answers import TopicAnswers


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


MOST_KEPT = 2_000_000
"""Pools of which runs brought more pairs, counted by run, are read anew each time: that many take 20 MB."""
FEW = 50
"""So many topics of a pool are read by themselves; of more the whole pool is."""
_BYTES_A_DOCUMENT = 80


@dataclass(frozen=True, slots=True)
class _BasisOfComparison:
    """What the comparison of a topic is made of, apart from its pools."""

    answers: TopicAnswers | None
    machines: frozenset[int]

    @property
    def judged(self) -> Mapping[str, int]:
        """The docnos that people have graded."""
        return {} if self.answers is None else highest_grades_of(self.answers, self.machines)


@dataclass(frozen=True, slots=True, eq=False)
class _ComparedTopics:
    """The topics of two pools, and each one's comparison as it was last made: a save changes one."""

    topics: frozenset[str]
    parts: dict[str, tuple[_BasisOfComparison, TopicComparison]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """About how many bytes the documents take, and the counts by run."""
        parts = [one for _, one in self.parts.values()]
        return sum(_BYTES_A_DOCUMENT * len(one.topic.docnos) + one.by_run.nbytes for one in parts)


_COMPARED: Cache[Hashable, _ComparedTopics] = Cache(4, bytes_of=lambda one: one.size)


def _compared(db: Session, campaign_id: int, before: PoolLine | None, after: PoolLine) -> PoolComparison:
    lines = [after] if before is None else [before, after]
    rows = [pool_row(db, campaign_id, one.name) for one in lines]
    # A draft can be rebuilt by the same recipe.
    known = all(state_of(row) is not PoolState.DRAFT for row in rows) and is_kept(db, rows)
    key = before is None, contents_key(db, rows) if known else None
    answers, machines = answers_by_topic(db, campaign_id), machines_of(db, campaign_id)
    found = _COMPARED.peek(key) if known else None
    if found is None:
        pooled = select(PoolEntryRow.topic).where(PoolEntryRow.pool_id.in_([row.id for row in rows]))
        found = _ComparedTopics(frozenset(db.scalars(pooled.distinct())))
    names = found.topics
    if before is None:
        names |= {topic for topic, one in answers.items() if highest_grades_of(one, machines)}
    bases = {topic: _BasisOfComparison(answers.get(topic), machines) for topic in names}
    changed = [topic for topic in names if topic not in found.parts or found.parts[topic][0] != bases[topic]]
    tags = ComparedTags.of(() if before is None else before.tags, after.tags)
    if changed:
        few = changed if len(changed) <= FEW else None
        second = _members(db, after, rows[-1], few)
        first = None if before is None else _members(db, before, rows[0], few)
        for topic in changed:
            judged = bases[topic].judged
            was = _judged_members(judged) if first is None else first.topics.get(topic, NO_MEMBERS)
            now = second.topics.get(topic, NO_MEMBERS)
            part = compare_topic(topic, tags, was, now, judged=judged)
            found.parts[topic] = bases[topic], part
        if known:
            _COMPARED.put(key, found)
    return put_together(tags, [found.parts[topic][1] for topic in sorted_ids(names)])


def _judged_members(judged: Mapping[str, int]) -> TopicMembers:
    return TopicMembers(tuple(judged), NOTHING, np.zeros(len(judged), np.int64))


def _members(db: Session, line: PoolLine, row: PoolRow, topics: Collection[str] | None) -> PoolMembers:
    """The members of a pool, or of some topics; those of one that was opened are kept until it has others."""
    if state_of(row) is PoolState.DRAFT or not is_kept(db, [row]):
        return _read(db, line, topics)
    key = contents_key(db, [row])
    known = _MEMBERS.peek(key)
    if known is None:
        known = _read(db, line, topics)
        if topics is None and sum(len(one.brought) for one in known.topics.values()) <= MOST_KEPT:
            _MEMBERS.put(key, known)
    return known


def _read(db: Session, line: PoolLine, topics: Collection[str] | None) -> PoolMembers:
    entry = PoolEntryRow
    by_hand = select(entry.topic, entry.docno).where(entry.pool_id == line.id, entry.added_at.is_not(None))
    if topics is not None:
        by_hand = by_hand.where(entry.topic.in_(topics))
    added = grouped((topic, docno) for topic, docno in db.execute(by_hand))
    reading = TagReading(line.tags)
    number = np.min_scalar_type(len(line.tags))
    found = {}
    for topic, docnos, texts in joined_entries(db, line.id, topics):
        numbers, counts = reading.read(texts)
        brought = numbers.astype(number)
        found[topic] = TopicMembers(
            tuple(docnos.split("\n")), brought, counts, frozenset(added.get(topic, ()))
        )
    return PoolMembers(tuple(line.tags), found)


_MEMBERS: Cache[Hashable, PoolMembers] = Cache(4)
