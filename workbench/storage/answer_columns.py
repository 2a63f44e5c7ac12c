"""What assessors answered, as columns: each of one assessor in one topic, joined by the database.

Rows of millions of events take ten times as long, one by one, as their columns do joined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Select, Text, case, cast, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from workbench.records import id_bytes
from workbench.storage.events import CURRENT_PURPOSES, DISCUSSION, JUDGING
from workbench.storage.tables import JudgmentEventRow

# No id and no answer has one.
_BETWEEN = "\n"


@dataclass(frozen=True, slots=True, eq=False)
class AnswerColumns:
    """Every event of an assessor in a topic that can be current, the events as they were recorded.

    `docnos` are bytes, `answers` what was answered: a grade in digits, or another answer. `discussed` says
    whether any was given in a discussion.
    """

    assessor: int
    topic: str
    docnos: list[bytes]
    answers: list[str]
    discussed: bool


def answer_columns(db: Session, campaign_id: int) -> Iterator[AnswerColumns]:
    """The answers of a campaign, by assessor and topic, read little by little: the index covers it."""
    event = JudgmentEventRow
    yield from _read(db, _COLUMNS.where(event.campaign_id == campaign_id), yield_per=10)


def topic_columns(
    db: Session, campaign_id: int, topic: str, assessors: Collection[int]
) -> Iterator[AnswerColumns]:
    """The same of some assessors in one topic, which the index has together for each of them."""
    yield from _read(db, _COLUMNS.where(*_in_topic(campaign_id, topic, assessors)))


@dataclass(frozen=True, slots=True, eq=False)
class TimedColumns:
    """What an assessor answered in a topic on the screen, the last event of each document.

    All parts have one length: `docnos` are bytes, `answers` as in `AnswerColumns`, `events` ids, `moments`
    seconds since the beginning of 1970 in UTC, `milliseconds` the active ones, 0 where they are not known.
    """

    assessor: int
    docnos: list[bytes]
    answers: list[str]
    events: NDArray[np.int64]
    moments: NDArray[np.float64]
    milliseconds: NDArray[np.int64]


def timed_columns(
    db: Session, campaign_id: int, topic: str, assessors: Collection[int], *, imported: str
) -> Iterator[TimedColumns]:
    """The judgments of some assessors in a topic, without those whose source begins with `imported`.

    Answers to probes, in training and in discussions are left out.
    """
    event = JudgmentEventRow
    chosen = event.purpose == JUDGING, event.source.not_like(f"{imported}%")
    statement = _TIMED[db.get_bind().dialect.name].where(*_in_topic(campaign_id, topic, assessors), *chosen)
    for assessor, docnos, answers, numbers, moments, milliseconds in db.connection().execute(statement):
        listed, given, events = id_bytes(docnos).split(b"\n"), answers.split(_BETWEEN), _numbers(numbers)
        order = np.argsort(events, kind="stable").tolist()
        last = list({listed[at]: at for at in order}.values())
        at_microsecond = np.array(moments.split(_BETWEEN), dtype="datetime64[us]").astype(np.int64)
        yield TimedColumns(
            assessor,
            [listed[at] for at in last],
            [given[at] for at in last],
            events[last],
            at_microsecond[last] / 1_000_000,
            _numbers(milliseconds)[last],
        )


def _in_topic(campaign_id: int, topic: str, assessors: Collection[int]) -> tuple[ColumnElement[bool], ...]:
    event = JudgmentEventRow
    return (
        event.campaign_id == campaign_id,
        event.assessor_id.in_(sorted(assessors)),
        event.topic == topic,
    )


def _joined(values: ColumnElement[Any] | InstrumentedAttribute[Any]) -> ColumnElement[str]:
    """The values of a group as one text: in whatever order, that of the others in the same statement."""
    return func.aggregate_strings(cast(values, Text), _BETWEEN)


def _numbers(joined: str) -> NDArray[np.int64]:
    return np.fromstring(joined, dtype=np.int64, sep=_BETWEEN)


def _read(db: Session, statement: Select[*tuple[Any, ...]], **options: Any) -> Iterator[AnswerColumns]:
    rows = db.connection().execute(statement, execution_options=options)
    for assessor, topic, docnos, answers, numbers, discussed in rows:
        listed, given = id_bytes(docnos).split(b"\n"), answers.split(_BETWEEN)
        order = np.argsort(_numbers(numbers), kind="stable").tolist()
        yield AnswerColumns(
            assessor, topic, [listed[at] for at in order], [given[at] for at in order], bool(discussed)
        )


_EVENT = JudgmentEventRow
_ANSWER = case((_EVENT.grade.is_not(None), cast(_EVENT.grade, Text)), else_=_EVENT.answer)
_COLUMNS = (
    select(
        _EVENT.assessor_id,
        _EVENT.topic,
        _joined(_EVENT.docno),
        _joined(_ANSWER),
        _joined(_EVENT.id),
        func.max(case((_EVENT.purpose == DISCUSSION, 1), else_=0)),
    )
    .where(_EVENT.purpose.in_(CURRENT_PURPOSES))
    .group_by(_EVENT.assessor_id, _EVENT.topic)
)
_MOMENTS: dict[str, ColumnElement[Any]] = {
    "sqlite": cast(_EVENT.recorded_at, Text),
    "postgresql": func.to_char(func.timezone("UTC", _EVENT.recorded_at), "YYYY-MM-DD HH24:MI:SS.US"),
}
_TIMED = {
    dialect: select(
        _EVENT.assessor_id,
        _joined(_EVENT.docno),
        _joined(_ANSWER),
        _joined(_EVENT.id),
        _joined(moment),
        _joined(func.coalesce(_EVENT.active_ms, 0)),
    ).group_by(_EVENT.assessor_id)
    for dialect, moment in _MOMENTS.items()
}
