"""Adaptive pools rebuilt from their runs and events: kept in memory while in use, replayed to verify them."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.frozen import frozen_dataclass
from workbench.learning.review import Review, next_round
from workbench.learning.vectors import Vectors, topic_text, vectors_of
from workbench.pooling.adaptive_pool import Adaptive, Happening
from workbench.storage.tables import CampaignRow, PoolEntryRow, PoolRow, RunRow, TopicRow
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import as_topic
from workbench.workflow.pools.learner_pools import (
    LearnerCandidates,
    StoredRound,
    apply,
    candidates_of,
    is_learner,
    last_rounds,
    review_after,
    review_settings,
    stored_rounds,
)
from workbench.workflow.pools.learner_rounds import texts_of
from workbench.workflow.pools.pool_log import ChoiceReason, TopicEvent, TopicFold, events_of
from workbench.workflow.pools.pool_rows import adaptive_pool_row, initial_adaptive_pool

MOST_POOLS = 8


class AdaptiveStates:
    """The adaptive pools that this process has in use, for several threads at once.

    A topic is asked about in a transaction that has its lock (`AdaptiveHandout`), so what was read of its
    events can only be too little, or have been undone with its transaction; both are noticed when next asked.
    """

    def __init__(self, most: int = MOST_POOLS) -> None:
        self.learners = LearnerStates(most)
        self._pools: Cache[tuple[int, str], _PoolState[Adaptive, Adaptive]] = Cache(most)

    def prepare(self, db: Session, pool: PoolRow, topic: str) -> None:
        """Read a pool's runs and a topic's events, unless they are here.

        That takes its time, and should not keep others from writing. Raises Conflict where a run is not what
        it was when the pool was made.
        """
        if is_learner(pool):
            self.learners.prepare(db, pool, topic)
            return
        state = self._state(pool)
        base = state.made(lambda: initial_adaptive_pool(db, pool))
        live = state.topic(topic)
        with live.lock:
            if live.value is None:
                _after(live, db, pool, topic, base)

    def coming(self, db: Session, pool: PoolRow, topic: str) -> ComingDocument | None:
        """The document that comes next after all events so far; None where nothing is left."""
        if is_learner(pool):
            return self.learners.coming(db, pool, topic)
        state = self._state(pool)
        base = state.made(lambda: initial_adaptive_pool(db, pool))
        live = state.topic(topic)
        with live.lock:
            docno = _after(live, db, pool, topic, base).coming(topic)
            if docno is None:
                return None
            brought = base.entry(topic, docno).contributions
            return ComingDocument(docno, tuple((each.tag, each.rank) for each in brought), brought[0].rank)

    def _state(self, pool: PoolRow) -> _PoolState[Adaptive, Adaptive]:
        key = (pool.id, repr([pool.recipe[part] for part in ("strategy", "parameters", "ties", "runs")]))
        return self._pools.get(key, _PoolState[Adaptive, Adaptive])


def _after(live: TopicFold[Adaptive], db: Session, pool: PoolRow, topic: str, base: Adaptive) -> Adaptive:
    return live.after(
        db, pool.id, topic, lambda: base.afresh(topic), lambda adaptive, one: adaptive.record(one.event)
    )


Base = TypeVar("Base")
Value = TypeVar("Value")


@dataclass
class _PoolState(Generic[Base, Value]):
    """What a pool begins with, made by one thread, and its topics as they go on."""

    lock: Lock = field(default_factory=Lock)
    base: Base | None = None
    topics: dict[str, TopicFold[Value]] = field(default_factory=dict)

    def made(self, make: Callable[[], Base]) -> Base:
        with self.lock:
            if self.base is None:
                self.base = make()
            return self.base

    def topic(self, name: str) -> TopicFold[Value]:
        with self.lock:
            return self.topics.setdefault(name, TopicFold())


@frozen_dataclass
class Replayed:
    """An event that was gone through again; `differs` says how it is not what comes out, None if it is."""

    event: TopicEvent
    differs: str | None


@frozen_dataclass
class Replay:
    """A pool gone through again: its events, and what else is not as it comes out.

    Of a learner's pool `rankings` were made again; not those of which the texts have changed since.
    """

    pool: str
    events: tuple[Replayed, ...]
    elsewhere: tuple[str, ...]
    rankings: int = 0
    rankings_left: int = 0

    @property
    def differences(self) -> tuple[str, ...]:
        """All that is not as it comes out, in words; empty where everything is."""
        in_events = (
            f"topic {one.event.topic}, event {one.event.number}: {one.differs}"
            for one in self.events
            if one.differs
        )
        return (*in_events, *self.elsewhere)


def replay_pool(db: Session, campaign_id: int, name: str) -> Replay:
    """Make every choice of an adaptive pool again, and compare.

    The runs are read again and their hashes checked. Raises NotFound, WorkbenchError where the pool is not
    adaptive, Conflict where a run is not what it was.
    """
    pool = adaptive_pool_row(db, campaign_id, name)
    if is_learner(pool):
        return _replay_learner(db, pool)
    _check_hashes(db, pool)
    base = initial_adaptive_pool(db, pool)
    lines: list[Replayed] = []
    elsewhere: list[str] = []
    for topic, events in _by_topic(db, pool).items():
        live = base.afresh(topic)
        lines += [Replayed(event, _differs(live, place, event)) for place, event in enumerate(events, 1)]
        elsewhere.extend(_entries_differ(db, pool, topic, live))
    return Replay(pool.name, tuple(lines), tuple(elsewhere))


def _by_topic(db: Session, pool: PoolRow) -> dict[str, list[TopicEvent]]:
    return {topic: list(events) for topic, events in groupby(events_of(db, pool.id), attrgetter("topic"))}


def _replay_learner(db: Session, pool: PoolRow) -> Replay:
    by_topic = _by_topic(db, pool)
    for topic in last_rounds(db, pool.id):
        by_topic.setdefault(topic, [])  # ranked, and nobody has had a document
    again = ReplayedLearner.of(db, pool)
    lines = [
        Replayed(event, differs)
        for topic, events in by_topic.items()
        for event, differs in zip(events, again.topic(topic, events), strict=True)
    ]
    return Replay(pool.name, tuple(lines), tuple(again.differences), again.made_again, again.left)


def _differs(live: Adaptive, place: int, line: TopicEvent) -> str | None:
    if line.number != place:
        return f"it should have number {place}"
    happening = Happening(line.happening)
    coming = live.coming(line.topic) if happening is Happening.HANDED_OUT else line.docno
    try:
        live.record(line.event)
    except Conflict as error:
        return str(error)
    return None if coming == line.docno else f"not {line.docno} but {coming or 'nothing'} comes next"


def _entries_differ(db: Session, pool: PoolRow, topic: str, live: Adaptive) -> list[str]:
    kept = {
        docno: [tuple(each) for each in brought]
        for docno, brought in db.execute(
            select(PoolEntryRow.docno, PoolEntryRow.brought_by).where(
                PoolEntryRow.pool_id == pool.id, PoolEntryRow.topic == topic, PoolEntryRow.run_count > 0
            )
        )
    }
    made = {
        entry.docno: [(each.tag, each.rank) for each in entry.contributions] for entry in live.pool().entries
    }
    wrong = sorted(docno for docno in kept.keys() | made.keys() if kept.get(docno) != made.get(docno))
    return [f"topic {topic}: the entry of {docno} is not what its events say" for docno in wrong]


def _check_hashes(db: Session, pool: PoolRow) -> None:
    for run in pool.recipe["runs"]:
        rows = select(RunRow).where(RunRow.campaign_id == pool.campaign_id, RunRow.sha256 == run["sha256"])
        for row in db.scalars(rows.where(RunRow.tag == run["tag"])):
            if hashlib.sha256(gzip.decompress(row.content_gzip)).hexdigest() != row.sha256:
                raise Conflict(f"what is stored of run {row.tag} no longer has its hash")
            db.expunge(row)  # so that one run after the other is in memory


@frozen_dataclass
class ComingDocument:
    """The document that an adaptive pool hands out next: [tag, rank] of the runs that brought it, and why."""

    docno: str
    brought_by: tuple[tuple[str, int], ...]
    best_rank: int
    reason: ChoiceReason | None = None


class LearnerStates:
    """The learner's pools that this process has in use, as `AdaptiveStates` has the others."""

    def __init__(self, most: int) -> None:
        self._lock = Lock()
        self._pools: Cache[tuple[int, str], _PoolState[LearnerCandidates | None, Review]] = Cache(most)
        self._due: set[int] = set()

    def prepare(self, db: Session, pool: PoolRow, topic: str) -> None:
        """Read a pool's candidates and a topic's events; notes where it is time for a round."""
        state = self._state(pool)
        live = state.topic(topic)
        candidates = state.made(lambda: candidates_of(db, pool.id))
        if candidates is None:
            self._due.add(pool.campaign_id)
            return
        with live.lock:
            if review_after(live, db, pool, topic, candidates).round_is_over:
                self._due.add(pool.campaign_id)

    def take_due(self) -> frozenset[int]:
        """The campaigns in which it is time for a round, since this was last asked."""
        with self._lock:
            due, self._due = frozenset(self._due), set()
            return due

    def coming(self, db: Session, pool: PoolRow, topic: str) -> ComingDocument | None:
        """The document that comes next, None where nothing is left.

        Raises Conflict while the first ranking of the topic is still made.
        """
        state = self._state(pool)
        live = state.topic(topic)
        candidates = state.made(lambda: candidates_of(db, pool.id))
        if candidates is None:
            raise _not_ranked(topic)
        with live.lock:
            review = review_after(live, db, pool, topic, candidates)
            if review.round is None:
                raise _not_ranked(topic)
            choice = review.choice()
        if choice is None:
            return None
        reason = ChoiceReason(str(choice.origin), choice.rank, choice.round, choice.score)
        return ComingDocument(candidates.docnos[choice.place], (), choice.rank, reason)

    def _state(self, pool: PoolRow) -> _PoolState[LearnerCandidates | None, Review]:
        key = (pool.id, pool.created_at.isoformat())
        return self._pools.get(key, _PoolState[LearnerCandidates | None, Review])


def _not_ranked(topic: str) -> Conflict:
    message = f"the learner is still ranking the documents of topic {topic} for the first time"
    return Conflict(message, remedy="open the topic again in a minute")


@dataclass
class ReplayedLearner:
    """A pool with its documents as vectors; counts the rankings made again, and those that could not be.

    `differences` has what is not as it comes out, in words.
    """

    db: Session
    pool: PoolRow
    candidates: LearnerCandidates
    vectors: Vectors
    changes: int
    made_again: int = 0
    left: int = 0
    differences: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, db: Session, pool: PoolRow) -> ReplayedLearner:
        """A pool to be gone through; raises Conflict where its candidates are not here."""
        candidates = candidates_of(db, pool.id)
        if candidates is None:
            message = f"the rankings of pool {pool.name!r} are not here"
            raise Conflict(message, remedy="replay it where it was judged; a release has its events alone")
        changes = db.get_one(CampaignRow, pool.campaign_id).document_changes
        vectors = vectors_of(texts_of(db, pool.campaign_id, candidates.docnos))
        return cls(db, pool, candidates, vectors, changes)

    def topic(self, topic: str, events: Sequence[TopicEvent]) -> Iterator[str | None]:
        """Go through a topic's events; yields for each how it is not what comes out, None if it is."""
        review = Review(len(self.candidates.docnos), topic, review_settings(self.pool))
        rounds = list(stored_rounds(self.db, self.pool.id, topic))
        self._go_on(review, topic, rounds, 0)
        for event in events:
            yield self._event(review, event)
            self._go_on(review, topic, rounds, event.number)

    def _go_on(self, review: Review, topic: str, rounds: list[StoredRound], number: int) -> None:
        """Make the rankings again that knew just the events up to this number, and begin those due."""
        while rounds:
            if rounds[0].known == number:
                self._rank(review, topic, rounds[0])
            if rounds[0].since != number:
                return
            review.begin(rounds.pop(0).round)

    def _rank(self, review: Review, topic: str, stored: StoredRound) -> None:
        if stored.document_changes != self.changes:
            self.left += 1
            return
        row = self.db.get_one(TopicRow, (self.pool.campaign_id, topic))
        vector = self.vectors.vector(topic_text(as_topic(row)))
        again = next_round(review, self.vectors, vector, review_settings(self.pool))
        self.made_again += 1
        if again.batch != stored.round.batch or not np.array_equal(again.places, stored.round.places):
            self.differences.append(f"topic {topic}: round {stored.round.number} ranks other documents")

    def _event(self, review: Review, event: TopicEvent) -> str | None:
        differs = None
        if event.happening == Happening.HANDED_OUT:
            choice = review.choice()
            docno = None if choice is None else self.candidates.docnos[choice.place]
            reason = choice and ChoiceReason(str(choice.origin), choice.rank, choice.round, choice.score)
            if docno != event.docno:
                differs = f"not {event.docno} but {docno or 'nothing'} comes next"
            elif reason != event.reason:
                differs = f"{event.docno} comes for another reason"
        try:
            apply(review, self.candidates, event)
        except Conflict as error:
            return str(error)
        return differs
