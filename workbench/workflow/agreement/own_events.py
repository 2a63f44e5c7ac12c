"""What each assessor said that bears on repeats, known answers and changes.

Of millions of events few do: those of pairs that were shown again or whose grade is known stand here one by
one, and of the others the database counts which grade was made which.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, Select, and_, bindparam, func, select, union
from sqlalchemy.orm import Session

from workbench.records import Answer
from workbench.storage.events import (
    CURRENT_PURPOSES,
    LATER,
    PLANTED,
    PROBES,
    TRAINING,
    WITHDRAWN,
    newest_events,
)
from workbench.storage.tables import AssessorRow, AssignmentRow, JudgmentEventRow, KnownAnswerRow
from workbench.workflow.judging.training import round_of
from workbench.workflow.people.assessors import assessors_of

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """One event of an assessor: of which pair, what, for what, when, at which desk; the round in training."""

    number: int
    pair: Pair
    answer: str
    grade: int | None
    purpose: str
    when: datetime
    assignment: int | None
    round: int


@dataclass(frozen=True, slots=True)
class AssessorEvents:
    """What an assessor changed of the own accord and withdrew, and all events of the pairs that are probed.

    `changes` count by (grade before, grade after). Probed are the pairs of repeats, planted pairs and
    training, and those that others judge as planted ones; their events stand in the order recorded.
    """

    name: str
    machine: bool
    changes: Mapping[tuple[int, int], int]
    withdrawn: int
    probed: tuple[RecordedEvent, ...]


def own_events(db: Session, campaign_id: int) -> tuple[AssessorEvents, ...]:
    """The events of every assessor who has any, by name."""
    connection, asked = db.connection(), {"campaign_id": campaign_id}
    changes: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    for assessor, before, after, times in connection.execute(_CHANGES, asked):
        changes[assessor][before, after] = times
    withdrawn: dict[int, int] = dict(connection.execute(_WITHDRAWN, asked).all())
    probed: dict[int, list[RecordedEvent]] = defaultdict(list)
    for assessor, number, topic, docno, *given, purpose, when, assignment, drawn, seed in connection.execute(
        _PROBED, asked
    ):
        answer, grade = given
        trained = purpose == TRAINING and answer not in (WITHDRAWN, LATER)
        turn = round_of(drawn, seed) if trained else 1
        event = RecordedEvent(number, (topic, docno), answer, grade, purpose, when, assignment, turn)
        probed[assessor].append(event)
    newest = newest_events(db, campaign_id)
    return tuple(
        AssessorEvents(
            one.name, one.machine, changes.get(one.id, {}), withdrawn.get(one.id, 0), tuple(probed[one.id])
        )
        for one in assessors_of(db, campaign_id)
        if one.id in newest
    )


_EVENT = JudgmentEventRow
_CAMPAIGN = bindparam("campaign_id", type_=Integer)
_OF_CAMPAIGN = _EVENT.campaign_id == _CAMPAIGN


def _changes() -> Select[int, int, int, int]:
    # What was withdrawn is remembered: the grade that comes instead is a change all the same.
    of_pair = [_EVENT.assessor_id, _EVENT.topic, _EVENT.docno]
    before = func.lag(_EVENT.grade).over(partition_by=of_pair, order_by=_EVENT.id)
    graded = (
        select(_EVENT.assessor_id, _EVENT.grade.label("after"), before.label("before"))
        .where(_OF_CAMPAIGN, _EVENT.purpose.in_(CURRENT_PURPOSES), _EVENT.answer == Answer.GRADE)
        .subquery()
        .c
    )
    change = graded.assessor_id, graded.before, graded.after
    return (
        select(*change, func.count()).where(graded.before != graded.after).group_by(*change).order_by(*change)
    )


def _probed() -> Select[*tuple[Any, ...]]:
    known = KnownAnswerRow
    pairs = union(
        select(_EVENT.assessor_id, _EVENT.topic, _EVENT.docno).where(
            _OF_CAMPAIGN, _EVENT.purpose.in_(PROBES)
        ),
        select(AssessorRow.id, known.topic, known.docno)
        .join(known, known.campaign_id == AssessorRow.campaign_id)
        .where(AssessorRow.campaign_id == _CAMPAIGN, known.purpose == PLANTED),
    ).subquery()
    assessor, topic, docno = pairs.c
    same = and_(_EVENT.assessor_id == assessor, _EVENT.topic == topic, _EVENT.docno == docno)
    return (
        select(
            _EVENT.assessor_id,
            _EVENT.id,
            _EVENT.topic,
            _EVENT.docno,
            _EVENT.answer,
            _EVENT.grade,
            _EVENT.purpose,
            _EVENT.recorded_at,
            _EVENT.assignment_id,
            _EVENT.seed,
            AssignmentRow.seed,
        )
        .select_from(pairs)
        .join(_EVENT, and_(same, _OF_CAMPAIGN))
        .outerjoin(AssignmentRow, AssignmentRow.id == _EVENT.assignment_id)
        .order_by(_EVENT.id)
    )


_CHANGES, _PROBED = _changes(), _probed()
_WITHDRAWN = (
    select(_EVENT.assessor_id, func.count())
    .where(_OF_CAMPAIGN, _EVENT.purpose.in_(CURRENT_PURPOSES), _EVENT.answer == WITHDRAWN)
    .group_by(_EVENT.assessor_id)
)
