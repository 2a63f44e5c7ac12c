"""Judgment events: appended once each, never changed; the latest event of a pair is the current one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Row,
    Select,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal,
    or_,
    select,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import InstrumentedAttribute, Session

from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
from workbench.storage import locks
from workbench.storage.tables import AssessorRow, JudgmentEventRow

WITHDRAWN = "withdrawn"
LATER = "later"
SCREEN = "screen"  # the source of what was recorded at a desk; imports name their file
JUDGING = "judging"
DISCUSSION = "discussion"
# Events that can be current judgments. Repeats, planted pairs and training are only compared with these.
CURRENT_PURPOSES = (JUDGING, DISCUSSION)
REPEAT, PLANTED, TRAINING = "repeat", "planted", "training"
PROBES = (REPEAT, PLANTED, TRAINING)
BATCH = 1000


class CurrentEvent(NamedTuple):
    """An event; its fields are columns of the table. A tuple for speed: a campaign may have a million."""

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


def append_events(db: Session, events: Sequence[dict[str, Any]]) -> int:
    """Append events in order and return how many were new; a recorded (assessor, client id) is skipped."""
    connection = db.connection()
    locks.assessors(db, {one["assessor_id"] for one in events})
    added = 0
    for start in range(0, len(events), BATCH):
        batch = list(events[start : start + BATCH])
        added += len(connection.execute(_APPEND[connection.dialect.name], batch).all())
    return added


def append_event(db: Session, values: Mapping[str, Any]) -> tuple[CurrentEvent, bool]:
    """Append an event; returns it, or the one that its client id recorded before, and whether it is new."""
    connection = db.connection()
    locks.assessors(db, [values["assessor_id"]])
    number = connection.scalar(_APPEND[connection.dialect.name], values)
    if number is not None:
        return CurrentEvent(id=number, **{name: values[name] for name in CurrentEvent._fields[1:]}), True
    known = recorded_event(db, values["assessor_id"], values["client_id"])
    if known is None:
        raise RuntimeError("an appended event cannot be read back")
    return known, False


def recorded_event(db: Session, assessor_id: int, client_id: str) -> CurrentEvent | None:
    """The event that this client id recorded, or None."""
    row = _read(db, _RECORDED, {"assessor_id": assessor_id, "client_id": client_id})
    return None if row is None else CurrentEvent._make(row)


@frozen_dataclass
class Pair:
    """An assessor's pair, as the index of events begins; an assessor belongs to one campaign."""

    campaign_id: int
    assessor_id: int
    topic: str
    docno: str


def current_event(db: Session, pair: Pair) -> CurrentEvent | None:
    """The current event of an assessor's pair, also if it is postponed; None if there is none."""
    row = _read(db, _LATEST, asdict(pair))
    return None if row is None or row.answer == WITHDRAWN else CurrentEvent._make(row)


def current_events(
    db: Session,
    campaign_id: int,
    *,
    assessor_ids: Iterable[int] | None = None,
    topic: str | None = None,
    put_off: bool = False,
) -> tuple[CurrentEvent, ...]:
    """The current events in the order in which they were recorded, without withdrawn and postponed ones.

    With `put_off` the pairs that were postponed to the end of their topic are included; these are not
    answers.
    """
    no_answers = [WITHDRAWN] if put_off else [WITHDRAWN, LATER]
    return tuple(map(CurrentEvent._make, db.execute(_current(campaign_id, assessor_ids, topic, no_answers))))


def annotated_events(
    db: Session, campaign_id: int, topic: str, assessor_ids: Iterable[int]
) -> Iterator[tuple[CurrentEvent, tuple[Any, ...]]]:
    """The current events of a topic, each with its document's hash, the version of the instructions,
    passages, ratings and subtopics.
    """
    event = JudgmentEventRow
    # As texts: most answers have nothing beside them, and JSON is read only where there is some.
    beside = (cast(one, Text) for one in (event.evidence, event.ratings, event.subtopics))
    chosen = _current(campaign_id, assessor_ids, topic, [WITHDRAWN, LATER])
    chosen = chosen.add_columns(event.document_sha256, event.instructions, *beside)
    width = len(CurrentEvent._fields)
    for row in db.connection().execute(chosen):
        texts = row[width + 2 :]
        read = (None, None, None) if texts in _NOTHING_BESIDE else map(_from_json, texts)
        yield CurrentEvent._make(row[:width]), (row[width], row[width + 1], *read)


_NOTHING_BESIDE = frozenset({(None, None, None), ("null", "null", "null")})


def _from_json(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def event_before(db: Session, pair: Pair, *, number: int, purpose: str) -> CurrentEvent | None:
    """The latest event of an assessor's pair before the event with this id, of those it can replace.

    An event that can be current replaces any other that can; a probe those of its own purpose.
    """
    asked = {**asdict(pair), "number": number}
    current = purpose in CURRENT_PURPOSES
    row = _read(db, _BEFORE, asked) if current else _read(db, _BEFORE_OF, {**asked, "purpose": purpose})
    return None if row is None else CurrentEvent._make(row)


def events_with(
    db: Session, campaign_id: int, assessor_id: int, topic: str, *, purposes: Sequence[str]
) -> Iterator[tuple[CurrentEvent, int | None, int | None]]:
    """An assessor's events with these purposes in a topic, each with its assignment and position."""
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


def newest_events(db: Session, campaign_id: int) -> dict[int, int]:
    """The id of the newest event of every assessor who has any, by assessor: no event is counted."""
    rows = db.connection().execute(_NEWEST, {"campaign_id": campaign_id})
    return {assessor: number for assessor, number in rows if number is not None}


def _current(
    campaign_id: int, assessor_ids: Iterable[int] | None, topic: str | None, no_answers: Sequence[str]
) -> Select[Any]:
    event = JudgmentEventRow
    latest = select(func.max(event.id)).where(
        event.campaign_id == campaign_id, event.purpose.in_(CURRENT_PURPOSES)
    )
    if assessor_ids is not None:
        latest = latest.where(event.assessor_id.in_(list(assessor_ids)))
    if topic is not None:
        latest = latest.where(event.topic == topic)
    newest = latest.group_by(event.assessor_id, event.topic, event.docno)
    return select(*_columns()).where(event.id.in_(newest), event.answer.not_in(no_answers)).order_by(event.id)


def _columns() -> tuple[InstrumentedAttribute[Any], ...]:
    return tuple(getattr(JudgmentEventRow, name) for name in CurrentEvent._fields)


def _read(db: Session, statement: Select[Any], values: Mapping[str, Any]) -> Row[*tuple[Any, ...]] | None:
    # By the connection: a session takes twice as long to find that no mapped row is asked for.
    return db.connection().execute(statement, values).one_or_none()


def _append(insert: Any) -> Any:
    return (
        insert(JudgmentEventRow.__table__)
        .on_conflict_do_nothing(index_elements=["assessor_id", "client_id"])
        .returning(JudgmentEventRow.id)
    )


# Statements of every saved judgment are built once: building takes twice as long as executing.
_APPEND = {"sqlite": _append(sqlite.insert), "postgresql": _append(postgresql.insert)}
_EVENT = JudgmentEventRow.__table__.c
_WHOLE = select(*(_EVENT[name] for name in CurrentEvent._fields))
_RECORDED = _WHOLE.where(
    _EVENT.assessor_id == bindparam("assessor_id"), _EVENT.client_id == bindparam("client_id")
)
# The campaign comes first in the index of pairs: without it all events of the assessor would be read. Sorting
# by no plain column keeps PostgreSQL from reading them all by the index that has them in this order.
_OF_PAIR = (
    _WHOLE.where(*(_EVENT[one.name] == bindparam(one.name) for one in fields(Pair)))
    .order_by((_EVENT.id + 0).desc())
    .limit(1)
)
# Each purpose is a parameter of its own: a list of them would have the statement written anew at every save.
_LATEST = _OF_PAIR.where(or_(*(_EVENT.purpose == purpose for purpose in CURRENT_PURPOSES)))
_BEFORE = _LATEST.where(_EVENT.id < bindparam("number"))
_BEFORE_OF = _OF_PAIR.where(_EVENT.id < bindparam("number"), _EVENT.purpose == bindparam("purpose"))
_HIGHEST = literal(2**63 - 1, BigInteger)
# One step of the index by assessor for each of them, and for nobody a walk through all events: asked for the
# highest id of an assessor, PostgreSQL may go back by id alone until it meets one.
_NEWEST_OF_ONE = (
    select(case((JudgmentEventRow.assessor_id == AssessorRow.id, JudgmentEventRow.id)))
    .where(tuple_(JudgmentEventRow.assessor_id, JudgmentEventRow.id) <= tuple_(AssessorRow.id, _HIGHEST))
    .order_by(JudgmentEventRow.assessor_id.desc(), JudgmentEventRow.id.desc())
    .limit(1)
    .correlate(AssessorRow)
    .scalar_subquery()
)
_NEWEST = select(AssessorRow.id, _NEWEST_OF_ONE).where(AssessorRow.campaign_id == bindparam("campaign_id"))


# No id and no answer has one.
_BETWEEN = "\n"


@dataclass(frozen=True, slots=True, eq=False)
class AnswerColumns:
    """Events of an assessor in a topic that can be current, in whatever order.

    `docnos` are bytes, `answers` what was answered: a grade in digits, or another answer; `numbers` are the
    ids of the events. `discussed` says whether any was given in a discussion.
    """

    assessor: int
    topic: str
    docnos: list[bytes]
    answers: list[str]
    numbers: NDArray[np.int64]
    discussed: bool


def answer_columns(db: Session, campaign_id: int, since: Mapping[int, int]) -> Iterator[AnswerColumns]:
    """The events of some assessors by assessor and topic, all after the event that `since` has of each.

    Earlier events may be among them. They are read little by little; the index covers it.
    """
    event = JudgmentEventRow
    statement = _COLUMNS.where(event.campaign_id == campaign_id, event.assessor_id.in_(sorted(since)))
    if first := min(since.values(), default=0):
        statement = statement.where(event.id > first)
    rows = db.connection().execute(statement, execution_options={"yield_per": 10})
    for assessor, topic, docnos, answers, numbers, discussed in rows:
        listed, given = id_bytes(docnos).split(b"\n"), answers.split(_BETWEEN)
        ids = np.fromstring(numbers, dtype=np.int64, sep=_BETWEEN)
        yield AnswerColumns(assessor, topic, listed, given, ids, bool(discussed))


def _joined(values: ColumnElement[Any] | InstrumentedAttribute[Any]) -> ColumnElement[str]:
    """The values of a group as one text: in whatever order, that of the others in the same statement."""
    return func.aggregate_strings(cast(values, Text), _BETWEEN)


_ROW = JudgmentEventRow
_ANSWER = case((_ROW.grade.is_not(None), cast(_ROW.grade, Text)), else_=_ROW.answer)
_COLUMNS = (
    select(
        _ROW.assessor_id,
        _ROW.topic,
        _joined(_ROW.docno),
        _joined(_ANSWER),
        _joined(_ROW.id),
        func.max(case((_ROW.purpose == DISCUSSION, 1), else_=0)),
    )
    .where(_ROW.purpose.in_(CURRENT_PURPOSES))
    .group_by(_ROW.assessor_id, _ROW.topic)
)
