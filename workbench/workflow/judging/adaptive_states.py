"""Adaptive pools rebuilt from their runs and events: kept in memory while in use, replayed to verify them."""

from __future__ import annotations

import gzip
import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.pooling.adaptive.live import Adaptive, Happening, PoolEvent
from workbench.storage.tables import PoolEntryRow, PoolRow, RunRow
from workbench.workflow.judging.learner_replay import ReplayedLearner
from workbench.workflow.judging.learner_states import ComingDocument, LearnerStates
from workbench.workflow.pools.adaptive_pools import (
    PoolEventLine,
    TopicEvent,
    adaptive_pool_row,
    initial_adaptive_pool,
    pool_events,
    topic_events,
)
from workbench.workflow.pools.learner_pools import is_learner, last_rounds

MOST_POOLS = 8


class AdaptiveStates:
    """The adaptive pools that this process has in use, for several threads at once.

    A topic is asked about in a transaction that has its lock (`AdaptiveHandout`), so what was read of its
    events can only be too little, or have been undone with its transaction; both are noticed when next asked.
    """

    def __init__(self, most: int = MOST_POOLS) -> None:
        self._most = most
        self.learners = LearnerStates(most)
        self._lock = Lock()
        self._pools: OrderedDict[tuple[int, str], _PoolState] = OrderedDict()

    def prepare(self, db: Session, pool: PoolRow, topic: str) -> None:
        """Read a pool's runs and a topic's events, unless they are here.

        That takes its time, and should not keep others from writing. Raises Conflict where a run is not what
        it was when the pool was made.
        """
        if is_learner(pool):
            self.learners.prepare(db, pool, topic)
            return
        state = self._state(pool)
        base = state.base(db, pool)
        live = state.topic(topic)
        with live.lock:
            if live.adaptive is None:
                live.after(db, pool.id, base)

    def coming(self, db: Session, pool: PoolRow, topic: str) -> ComingDocument | None:
        """The document that comes next after all events so far; None where nothing is left."""
        if is_learner(pool):
            return self.learners.coming(db, pool, topic)
        state = self._state(pool)
        base = state.base(db, pool)
        live = state.topic(topic)
        with live.lock:
            docno = live.after(db, pool.id, base).coming(topic)
            if docno is None:
                return None
            brought = base.entry(topic, docno).contributions
            return ComingDocument(docno, tuple((each.tag, each.rank) for each in brought), brought[0].rank)

    def _state(self, pool: PoolRow) -> _PoolState:
        key = (pool.id, repr([pool.recipe[part] for part in ("strategy", "parameters", "ties", "runs")]))
        with self._lock:
            state = self._pools.setdefault(key, _PoolState())
            self._pools.move_to_end(key)
            while len(self._pools) > self._most:
                self._pools.popitem(last=False)
            return state


@dataclass
class _TopicState:
    name: str
    lock: Lock = field(default_factory=Lock)
    adaptive: Adaptive | None = None
    last: TopicEvent | None = None

    def after(self, db: Session, pool_id: int, base: Adaptive) -> Adaptive:
        """The topic after all its events in the table."""
        events = topic_events(db, pool_id, self.name, since=self.last.number if self.last else 0)
        if self.adaptive is None or (self.last is not None and next(iter(events), None) != self.last):
            # Cold, or the transaction in which the last event was seen has been undone.
            adaptive, self.last = base.afresh(self.name), None
            events = topic_events(db, pool_id, self.name)
        else:
            adaptive = self.adaptive
        # Until all is replayed it is nobody's: an error half-way must not leave a half.
        self.adaptive = None
        for event in events:
            if event != self.last:
                adaptive.record(as_event(self.name, event))
                self.last = event
        self.adaptive = adaptive
        return adaptive


@dataclass
class _PoolState:
    lock: Lock = field(default_factory=Lock)
    nothing_happened: Adaptive | None = None
    topics: dict[str, _TopicState] = field(default_factory=dict)

    def base(self, db: Session, pool: PoolRow) -> Adaptive:
        """The pool as it was before anything happened."""
        with self.lock:
            if self.nothing_happened is None:
                self.nothing_happened = initial_adaptive_pool(db, pool)
            return self.nothing_happened

    def topic(self, name: str) -> _TopicState:
        with self.lock:
            return self.topics.setdefault(name, _TopicState(name))


def as_event(topic: str, seen: TopicEvent) -> PoolEvent:
    """What an event of the table says to the strategy."""
    return PoolEvent(Happening(seen.happening), topic, seen.docno, seen.relevant)


@dataclass(frozen=True, slots=True)
class Replayed:
    """An event that was gone through again; `differs` says how it is not what comes out, None if it is."""

    event: PoolEventLine
    differs: str | None


@dataclass(frozen=True, slots=True)
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
    by_topic: dict[str, list[PoolEventLine]] = {}
    for line in pool_events(db, campaign_id, name):
        by_topic.setdefault(line.topic, []).append(line)
    for topic, events in by_topic.items():
        live = base.afresh(topic)
        lines.extend(_gone_through(live, events))
        elsewhere.extend(_entries_differ(db, pool, topic, live))
    return Replay(pool.name, tuple(lines), tuple(elsewhere))


def _replay_learner(db: Session, pool: PoolRow) -> Replay:
    by_topic: dict[str, list[PoolEventLine]] = {}
    for line in pool_events(db, pool.campaign_id, pool.name):
        by_topic.setdefault(line.topic, []).append(line)
    for topic in last_rounds(db, pool.id):
        by_topic.setdefault(topic, [])  # ranked, and nobody has had a document
    again = ReplayedLearner.of(db, pool)
    lines = [
        Replayed(event, differs)
        for topic, events in by_topic.items()
        for event, differs in zip(events, again.topic(topic, events), strict=True)
    ]
    return Replay(pool.name, tuple(lines), tuple(again.differences), again.made_again, again.left)


def _gone_through(live: Adaptive, events: list[PoolEventLine]) -> list[Replayed]:
    return [Replayed(event, _differs(live, place, event)) for place, event in enumerate(events, start=1)]


def _differs(live: Adaptive, place: int, line: PoolEventLine) -> str | None:
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
                raise Conflict(f"what is kept of run {row.tag} does not have its hash any more")
            db.expunge(row)  # so that one run after the other is in memory
