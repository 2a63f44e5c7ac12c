"""What each assessor said that bears on repeats, known answers and changes, kept until they say more.

Of millions of events few do: those of pairs that were shown again or whose grade is known stand here one by
one, and of the others the database counts which grade was made which.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Hashable, Mapping
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
from workbench.workflow.caching import Cache
from workbench.workflow.judging.training import round_of
from workbench.workflow.kept_results import KeptResults
from workbench.workflow.pools.current_answers import states_of_assessors

Pair = tuple[str, str]

FEWEST_KEPT = 5
"""The database keeps what was read of so many assessors at once: after a save it is one, and quick."""


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
class GradeChange:
    """How many times one grade was made another one."""

    before: int
    after: int
    times: int


@dataclass(frozen=True, slots=True)
class OwnEvents:
    """What an assessor changed of the own accord and withdrew, and all events of the pairs that are probed.

    These are the pairs of repeats, planted pairs and training, and those that others judge as planted ones.
    They stand in the order recorded.
    """

    changes: tuple[GradeChange, ...]
    withdrawn: int
    probed: tuple[RecordedEvent, ...]


@dataclass(frozen=True, slots=True)
class AssessorEvents:
    """The events of one assessor; `state` stands for them, in this process and until there are others."""

    name: str
    machine: bool
    state: Hashable
    own: OwnEvents


def own_events(db: Session, campaign_id: int) -> tuple[AssessorEvents, ...]:
    """The events of every assessor who has any, by name."""
    people = select(AssessorRow.id, AssessorRow.name, AssessorRow.machine).where(
        AssessorRow.campaign_id == campaign_id
    )
    states, planted = states_of_assessors(db, campaign_id), _planted(db, campaign_id)
    assessors = [row for row in db.execute(people.order_by(AssessorRow.name)) if row[0] in states]
    keys = {number: (states[number], planted) for number, _, _ in assessors}
    found = {number: own for number, key in keys.items() if (own := _OWN.peek(key)) is not None}
    missing = _missing(db, campaign_id, planted, [number for number in keys if number not in found])
    for number, own in missing.items():
        _OWN.put(keys[number], own)
    found |= missing
    return tuple(
        AssessorEvents(name, machine, keys[number], found[number]) for number, name, machine in assessors
    )


def _missing(
    db: Session, campaign_id: int, planted: str, assessors: Collection[int]
) -> Mapping[int, OwnEvents]:
    """What this process does not know of some assessors: as the database keeps it, or read."""
    if not assessors:
        return {}
    newest = newest_events(db, campaign_id)
    sources: dict[int, Hashable] = {number: (number, newest[number], planted) for number in assessors}
    kept = _RESULTS.find(db, campaign_id, sources.values())
    found = {number: kept[source] for number, source in sources.items() if source in kept}
    read = {number: _read(db, campaign_id, number) for number in assessors if number not in found}
    if len(read) >= FEWEST_KEPT:
        _RESULTS.keep(db, campaign_id, {sources[number]: own for number, own in read.items()})
    return found | read


def _planted(db: Session, campaign_id: int) -> str:
    """A hash of the pairs with a known grade that stand among others: their answers may be current ones."""
    known = KnownAnswerRow
    pairs = select(known.topic, known.docno).where(known.campaign_id == campaign_id, known.purpose == PLANTED)
    whole = repr(sorted((topic, docno) for topic, docno in db.execute(pairs)))
    return hashlib.sha256(whole.encode()).hexdigest()


def _read(db: Session, campaign_id: int, assessor_id: int) -> OwnEvents:
    asked = {"campaign_id": campaign_id, "assessor_id": assessor_id}
    connection = db.connection()
    return OwnEvents(
        changes=tuple(GradeChange(*row) for row in connection.execute(_CHANGES, asked)),
        withdrawn=connection.scalar(_WITHDRAWN, asked) or 0,
        probed=tuple(
            RecordedEvent(
                number, (topic, docno), answer, grade, purpose, when, assignment,
                round_of(drawn, seed) if purpose == TRAINING and answer not in (WITHDRAWN, LATER) else 1,
            )
            for number, topic, docno, answer, grade, purpose, when, assignment, drawn, seed
            in connection.execute(_PROBED, asked)
        ),
    )  # fmt: skip


_EVENT = JudgmentEventRow
_OF_ASSESSOR = (
    _EVENT.campaign_id == bindparam("campaign_id", type_=Integer),
    _EVENT.assessor_id == bindparam("assessor_id", type_=Integer),
)


def _changes() -> Select[int, int, int]:
    # What was withdrawn is remembered: the grade that comes instead is a change all the same.
    before = func.lag(_EVENT.grade).over(partition_by=[_EVENT.topic, _EVENT.docno], order_by=_EVENT.id)
    graded = (
        select(_EVENT.grade.label("after"), before.label("before"))
        .where(*_OF_ASSESSOR, _EVENT.purpose.in_(CURRENT_PURPOSES), _EVENT.answer == Answer.GRADE)
        .subquery()
        .c
    )
    return (
        select(graded.before, graded.after, func.count())
        .where(graded.before != graded.after)
        .group_by(graded.before, graded.after)
        .order_by(graded.before, graded.after)
    )


def _probed() -> Select[*tuple[Any, ...]]:
    known = KnownAnswerRow
    pairs = union(
        select(_EVENT.topic, _EVENT.docno).where(*_OF_ASSESSOR, _EVENT.purpose.in_(PROBES)),
        select(known.topic, known.docno).where(
            known.campaign_id == bindparam("campaign_id"), known.purpose == PLANTED
        ),
    ).subquery()
    same = and_(_EVENT.topic == pairs.c.topic, _EVENT.docno == pairs.c.docno)
    return (
        select(
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
        .join(_EVENT, and_(same, *_OF_ASSESSOR))
        .outerjoin(AssignmentRow, AssignmentRow.id == _EVENT.assignment_id)
        .order_by(_EVENT.id)
    )


_CHANGES, _PROBED = _changes(), _probed()
_WITHDRAWN = select(func.count()).where(
    *_OF_ASSESSOR, _EVENT.purpose.in_(CURRENT_PURPOSES), _EVENT.answer == WITHDRAWN
)
_RESULTS = KeptResults(OwnEvents, "workflow/agreement/own_events.py", "workflow/judging/training.py")
_BYTES = 600
"""Of one recorded event in memory, about."""
_OWN: Cache[Hashable, OwnEvents] = Cache(5000, bytes_of=lambda own: _BYTES * (1 + len(own.probed)))
