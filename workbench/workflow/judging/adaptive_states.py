"""Adaptive pools in the memory of a process: rebuilt from the runs and the events, kept while they are used.

All that counts stands in the database; what is kept here only saves time, and may be lost at any moment.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.pooling.adaptive.events import Event, Happening
from workbench.pooling.adaptive.live import Adaptive
from workbench.records import PoolEntry
from workbench.storage.tables import PoolEventRow, PoolRow
from workbench.workflow.pools.adaptive_pools import before_anything

MOST_POOLS = 8


@dataclass(frozen=True, slots=True)
class Seen:
    """An event of the table as it was read; no other has all of this in common with it."""

    number: int
    happening: str
    docno: str
    relevant: bool | None
    assessor_id: int | None
    at: datetime


class AdaptiveStates:
    """The adaptive pools that this process has in use, for several threads at once.

    A topic is asked about in a transaction that holds its lock (`handing_out`), so what was read of its
    events can only be too little, or have been undone with its transaction; both are noticed when next asked.
    """

    def __init__(self, most: int = MOST_POOLS) -> None:
        self._most = most
        self._lock = Lock()
        self._pools: OrderedDict[tuple[int, str], _PoolState] = OrderedDict()

    def prepare(self, db: Session, pool: PoolRow, topic: str) -> None:
        """Read a pool's runs and a topic's events, unless they are here.

        That takes its time, and should not keep others from writing. Raises Conflict where a run is not what
        it was when the pool was made.
        """
        state = self._state(pool)
        base = state.base(db, pool)
        live = state.topic(topic)
        with live.lock:
            if live.adaptive is None:
                live.after(db, pool.id, base)

    def coming(self, db: Session, pool: PoolRow, topic: str) -> tuple[str, PoolEntry] | None:
        """The docno that comes next after all events so far, with its entry; None where nothing is left."""
        state = self._state(pool)
        base = state.base(db, pool)
        live = state.topic(topic)
        with live.lock:
            docno = live.after(db, pool.id, base).coming(topic)
            return None if docno is None else (docno, base.entry(topic, docno))

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
    last: Seen | None = None

    def after(self, db: Session, pool_id: int, base: Adaptive) -> Adaptive:
        """The topic after all its events in the table."""
        events = seen_events(db, pool_id, self.name, since=self.last.number if self.last else 0)
        if self.adaptive is None or (self.last is not None and next(iter(events), None) != self.last):
            # Cold, or the transaction in which the last event was seen has been undone.
            adaptive, self.last = base.afresh(self.name), None
            events = seen_events(db, pool_id, self.name)
        else:
            adaptive = self.adaptive
        # Until all is told it is nobody's: an error half-way must not leave a half.
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
                self.nothing_happened = before_anything(db, pool)
            return self.nothing_happened

    def topic(self, name: str) -> _TopicState:
        with self.lock:
            return self.topics.setdefault(name, _TopicState(name))


def seen_events(db: Session, pool_id: int, topic: str, *, since: int = 0) -> tuple[Seen, ...]:
    """The events of a topic from this number on, in order."""
    event = PoolEventRow
    rows = db.execute(
        select(event.number, event.happening, event.docno, event.relevant, event.assessor_id, event.at)
        .where(event.pool_id == pool_id, event.topic == topic, event.number >= since)
        .order_by(event.number)
    )
    return tuple(Seen(*row) for row in rows)


def as_event(topic: str, seen: Seen) -> Event:
    """What an event of the table says to the strategy."""
    return Event(Happening(seen.happening), topic, seen.docno, seen.relevant)
