"""What assessors answered, as columns: each of one assessor in one topic, joined by the database.

Rows of millions of events take ten times as long, one by one, as their columns do joined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Select, Text, case, cast, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from workbench.records import id_bytes
from workbench.storage.events import CURRENT_PURPOSES, DISCUSSION
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
    event = JudgmentEventRow
    yield from _read(
        db,
        _COLUMNS.where(
            event.campaign_id == campaign_id,
            event.assessor_id.in_(sorted(assessors)),
            event.topic == topic,
        ),
    )


def _joined(values: ColumnElement[Any] | InstrumentedAttribute[Any]) -> ColumnElement[str]:
    """The values of a group as one text: in whatever order, that of the others in the same statement."""
    return func.aggregate_strings(cast(values, Text), _BETWEEN)


def _read(db: Session, statement: Select[*tuple[Any, ...]], **options: Any) -> Iterator[AnswerColumns]:
    rows = db.connection().execute(statement, execution_options=options)
    for assessor, topic, docnos, answers, numbers, discussed in rows:
        listed, given = id_bytes(docnos).split(b"\n"), answers.split(_BETWEEN)
        order = np.argsort(np.fromstring(numbers, dtype=np.int64, sep=_BETWEEN), kind="stable").tolist()
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
