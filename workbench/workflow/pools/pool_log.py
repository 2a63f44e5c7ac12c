"""The pool log: what happened in the topics of adaptive pools and queues, numbered, and what it comes to.

Of a topic the numbers have no gaps, and it is locked while an event is written: so none of a lower number
appears later, and a process that has seen some needs to read only those after them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any, Generic, TypeVar

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.pooling.adaptive_pool import Happening, PoolEvent
from workbench.storage.tables import AssessorRow, JudgmentEventRow, PoolEventRow, PoolRow, TopicRow
from workbench.workflow.clock import shared_now

Value = TypeVar("Value")


@frozen_dataclass
class ChoiceReason:
    """Why a learner's pool handed a document out: `rank` from 1 in a round, or in a random order."""

    origin: str
    rank: int
    round: int | None = None
    score: float | None = None

    @property
    def in_words(self) -> str:
        """The reason for people."""
        if self.round is None:
            return f"{_ORIGINS.get(self.origin, self.origin)} {self.rank}"
        score = "" if self.score is None else f", score {self.score:.3f}".replace("-", "−")
        return f"learner, round {self.round}, rank {self.rank}{score}"


_ORIGINS = {"random": "random share, draw", "unranked": "no ranking left, draw"}


@frozen_dataclass
class TopicEvent:
    """What happened in a topic of a pool; no other event has all of this in common with it.

    The assessor, by number and name, is None for what was known before. `answer` is what was answered, where
    that is what happened, and `reason` why a learner's pool handed the document out.
    """

    topic: str
    number: int
    happening: str
    docno: str
    relevant: bool | None
    at: datetime
    assessor_id: int | None
    assessor: str | None
    answer: str | None
    reason: ChoiceReason | None = None

    @property
    def event(self) -> PoolEvent:
        """The event as the strategy sees it."""
        return PoolEvent(Happening(self.happening), self.topic, self.docno, self.relevant)


def events_of(
    db: Session, pool_id: int, topic: str | None = None, *, since: int = 0
) -> tuple[TopicEvent, ...]:
    """The events of a pool from this number on, of all topics (by bytes) or one, in order."""
    event = PoolEventRow
    chosen = (
        select(
            event.topic,
            event.number,
            event.happening,
            event.docno,
            event.relevant,
            event.at,
            event.assessor_id,
            AssessorRow.name,
            JudgmentEventRow.answer,
            event.origin,
            event.rank,
            event.round,
            event.score,
        )
        .outerjoin(AssessorRow, AssessorRow.id == event.assessor_id)
        .outerjoin(JudgmentEventRow, JudgmentEventRow.id == event.judgment_event_id)
        .where(event.pool_id == pool_id, event.number >= since)
        .order_by(event.topic, event.number)
    )
    if topic is not None:
        chosen = chosen.where(event.topic == topic)
    rows: Iterable[Any] = db.connection().execute(chosen)
    return tuple(TopicEvent(*(*one[:9], one[9] and ChoiceReason(*one[9:]))) for one in rows)


@dataclass
class TopicFold(Generic[Value]):
    """What the events of a topic come to, as far as a process has seen them; `lock` it while it is used."""

    lock: Lock = field(default_factory=Lock)
    value: Value | None = None
    last: TopicEvent | None = None

    def after(
        self,
        db: Session,
        pool_id: int,
        topic: str,
        begin: Callable[[], Value],
        take: Callable[[Value, TopicEvent], object],
    ) -> Value:
        """The value after all events in the table: what `begin` gives takes them one after the other."""
        value, last = self.value, self.last
        events = events_of(db, pool_id, topic, since=last.number if last else 0)
        if value is None or (last is not None and next(iter(events), None) != last):
            # Cold, or the transaction in which the last event was seen has been undone.
            value, last = begin(), None
            events = events_of(db, pool_id, topic)
        # Until all is taken it is nobody's: an error half-way must not leave a half.
        self.value = None
        for event in events:
            if event != last:
                take(value, event)
        self.value, self.last = value, events[-1] if events else None
        return value


def fold_key(db: Session, pool: PoolRow, topic: str) -> Hashable:
    """What tells a topic of a pool from every other; SQLite gives the numbers of deleted pools again."""
    return str(db.get_bind().engine.url), pool.id, pool.created_at, topic


def lock_topic(db: Session, campaign_id: int, topic: str) -> None:
    """Wait until no other transaction hands out or takes answers in this topic, and keep others out.

    SQLite has one writer anyway.
    """
    db.execute(
        select(TopicRow.topic)
        .where(TopicRow.campaign_id == campaign_id, TopicRow.topic == topic)
        .with_for_update()
    )


def append_pool_events(
    db: Session,
    pool_id: int,
    events: Sequence[PoolEvent],
    *,
    assessor_id: int | None = None,
    judgment_event_id: int | None = None,
    reason: ChoiceReason | None = None,
) -> None:
    """Append what happened, in order, with the reason of a choice; the topics are locked (`lock_topic`)."""
    if not events:
        return
    numbers = _last_numbers(db, pool_id, {event.topic for event in events})
    now = shared_now(db)
    why = {} if reason is None else asdict(reason)
    rows: list[dict[str, Any]] = []
    for event in events:
        numbers[event.topic] = numbers.get(event.topic, 0) + 1
        rows.append(
            {
                "pool_id": pool_id,
                "topic": event.topic,
                "number": numbers[event.topic],
                "happening": str(event.happening),
                "docno": event.docno,
                "relevant": event.relevant if event.happening is Happening.JUDGED else None,
                "assessor_id": assessor_id,
                "judgment_event_id": judgment_event_id,
                "at": now,
                **why,
            }
        )
    db.execute(insert(PoolEventRow), rows)


def _last_numbers(db: Session, pool_id: int, topics: Iterable[str]) -> dict[str, int]:
    event = PoolEventRow
    return dict(
        db.execute(
            select(event.topic, func.max(event.number))
            .where(event.pool_id == pool_id, event.topic.in_(list(topics)))
            .group_by(event.topic)
        ).all()
    )
