"""What assessors answered, as columns: each of one assessor in one topic, joined by the database.

Rows of millions of events take ten times as long, one by one, as their columns do joined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Text, case, cast, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from workbench.records import id_bytes
from workbench.storage.events import CURRENT_PURPOSES, DISCUSSION
from workbench.storage.tables import JudgmentEventRow

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
