"""Judgment events: appended once each, never changed; what holds now is the latest event of a pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import InstrumentedAttribute, Session

from workbench.storage.tables import JudgmentEventRow

WITHDRAWN = "withdrawn"
LATER = "later"
JUDGING = "judging"
DISCUSSION = "discussion"
# What holds is what was said while judging or discussing; probes and training are compared with it.
HOLDING = (JUDGING, DISCUSSION)
BATCH = 1000


@dataclass(frozen=True, slots=True)
class CurrentEvent:
    """What an event says; its fields are columns of the table."""

    id: int
    assessor_id: int
    topic: str
    docno: str
    answer: str
    grade: int | None
    reason: str
    source: str
    recorded_at: datetime
    client_id: str
    comment: str
    purpose: str


@dataclass(frozen=True, slots=True)
class SaidBefore:
    """An earlier event of a pair: the sender's id of it, what it says, and when it arrived."""

    client_id: str
    answer: str
    grade: int | None
    recorded_at: datetime


def append_events(db: Session, events: Sequence[dict[str, Any]]) -> int:
    """Append events in their order; one whose (assessor, client id) is recorded already is passed over.

    Returns how many were new.
    """
    insert = sqlite.insert if db.get_bind().dialect.name == "sqlite" else postgresql.insert
    statement = (
        insert(JudgmentEventRow.__table__)  # type: ignore[arg-type]  # declared as FromClause, is a Table
        .on_conflict_do_nothing(index_elements=["assessor_id", "client_id"])
        .returning(JudgmentEventRow.id)
    )
    added = 0
    for start in range(0, len(events), BATCH):
        added += len(db.connection().execute(statement, list(events[start : start + BATCH])).all())
    return added


def recorded_event(db: Session, assessor_id: int, client_id: str) -> CurrentEvent | None:
    """The event that this client id recorded, or None."""
    event = JudgmentEventRow
    row = db.execute(
        select(*_columns()).where(event.assessor_id == assessor_id, event.client_id == client_id)
    ).one_or_none()
    return None if row is None else CurrentEvent(*row)


def current_events(
    db: Session,
    campaign_id: int,
    *,
    assessor_ids: Iterable[int] | None = None,
    topic: str | None = None,
    put_off: bool = False,
) -> tuple[CurrentEvent, ...]:
    """What holds now, in the order in which it was recorded; withdrawn and put-off answers are left out.

    With `put_off` the pairs that were put to the end of their topic come as well: these are no answers.
    """
    no_answers = [WITHDRAWN] if put_off else [WITHDRAWN, LATER]
    rows = db.execute(_current(campaign_id, assessor_ids, topic, no_answers))
    return tuple(CurrentEvent(*row) for row in rows)


def event_before(
    db: Session,
    assessor_id: int,
    topic: str,
    docno: str,
    *,
    number: int,
    purposes: Sequence[str] = HOLDING,
) -> SaidBefore | None:
    """What an assessor's pair had as its latest event of these purposes before the one with this number."""
    event = JudgmentEventRow
    row = db.execute(
        select(event.client_id, event.answer, event.grade, event.recorded_at)
        .where(
            event.assessor_id == assessor_id,
            event.topic == topic,
            event.docno == docno,
            event.id < number,
            event.purpose.in_(purposes),
        )
        .order_by(event.id.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else SaidBefore(*row)


def events_with(
    db: Session, campaign_id: int, assessor_id: int, topic: str, *, purposes: Sequence[str]
) -> Iterator[tuple[CurrentEvent, int | None, int | None]]:
    """An assessor's events of these purposes in a topic as they were recorded: with assignment and place."""
    event = JudgmentEventRow
    rows = db.execute(
        select(*_columns(), event.assignment_id, event.position)
        .where(
            event.campaign_id == campaign_id,
            event.assessor_id == assessor_id,
            event.topic == topic,
            event.purpose.in_(purposes),
        )
        .order_by(event.id)
    )
    yield from ((CurrentEvent(*row[:-2]), row[-2], row[-1]) for row in rows)


def answers_in_order(db: Session, campaign_id: int) -> Iterator[tuple[int, str, str, str, int | None]]:
    """Of every event that can hold: the assessor's id, topic, docno, answer and grade, as they were recorded.

    What holds of a pair is its last one, which may be withdrawn or put off. Quicker than `current_events`
    where all of a large campaign is wanted: nothing is sorted but the reader's own table.
    """
    event = JudgmentEventRow
    rows = db.execute(
        select(event.assessor_id, event.topic, event.docno, event.answer, event.grade)
        .where(event.campaign_id == campaign_id, event.purpose.in_(HOLDING))
        .order_by(event.id)
    )
    yield from ((row[0], row[1], row[2], row[3], row[4]) for row in rows)


def _current(
    campaign_id: int, assessor_ids: Iterable[int] | None, topic: str | None, no_answers: Sequence[str]
) -> Select[Any]:
    event = JudgmentEventRow
    latest = select(func.max(event.id).label("id")).where(
        event.campaign_id == campaign_id, event.purpose.in_(HOLDING)
    )
    if assessor_ids is not None:
        latest = latest.where(event.assessor_id.in_(list(assessor_ids)))
    if topic is not None:
        latest = latest.where(event.topic == topic)
    newest = latest.group_by(event.assessor_id, event.topic, event.docno).subquery()
    return (
        select(*_columns())
        .join(newest, event.id == newest.c.id)
        .where(event.answer.not_in(no_answers))
        .order_by(event.id)
    )


def _columns() -> tuple[InstrumentedAttribute[Any], ...]:
    return tuple(getattr(JudgmentEventRow, field.name) for field in fields(CurrentEvent))
