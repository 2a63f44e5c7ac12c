"""Answers to repeats, planted pairs and training, and what each assessor said that they are compared with.

Of millions of events few bear on these: they stand here one by one, and of the others the database counts
which grade was made which.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Integer, Select, and_, bindparam, func, select, union
from sqlalchemy.orm import Session

from workbench.formats.graded_pairs import ProbeLine
from workbench.frozen import frozen_dataclass
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
from workbench.storage.tables import AssessorRow, AssignmentRow, DocumentRow, JudgmentEventRow, KnownAnswerRow
from workbench.workflow.judging.training import round_of
from workbench.workflow.people.membership import assessors_of

Pair = tuple[str, str]


@frozen_dataclass
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


@frozen_dataclass
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


class Against(StrEnum):
    """What an assessor's answers are compared with."""

    REPEAT = "repeat"
    PLANTED = "planted"
    TRAINING = "training"


@frozen_dataclass
class ProbeAnswer:
    """The answer to a probe that counts; `first` is the current answer just before a repeat.

    `changed` says that another answer to the repeat came later, which does not count. `round` counts how
    often the training was gone through. `judged` says that a planted pair stands in a pool and was judged as
    every other: its answer is current.
    """

    against: Against
    event: RecordedEvent
    first: RecordedEvent | None
    known: int | None
    round: int = 1
    judged: bool = False
    changed: bool = False

    @property
    def stood(self) -> int | None:
        """The grade with which the answer is compared."""
        if self.against is Against.REPEAT:
            return self.first.grade if self.first is not None else None
        return self.known


def known_answers(db: Session, campaign_id: int) -> dict[tuple[str, Pair], int]:
    """The known grades of a campaign by purpose and pair."""
    known = KnownAnswerRow
    return {
        (purpose, (topic, docno)): grade
        for topic, docno, purpose, grade in db.execute(
            select(known.topic, known.docno, known.purpose, known.grade).where(
                known.campaign_id == campaign_id
            )
        )
    }


def answers_to_probes(
    events: Sequence[RecordedEvent], known: Mapping[tuple[str, Pair], int]
) -> list[ProbeAnswer]:
    """One assessor's answers to probes, in the order recorded; of pairs without a probe nothing is needed.

    Of a planted pair that was changed or undone at the desk only the last answer counts. Of a repeat, and in
    a round of training, the first one counts, whatever became of it. A planted pair that was judged among
    the others comes with its current answer, after the rest.
    """
    current: dict[Pair, RecordedEvent] = {}
    probes: dict[object, ProbeAnswer] = {}
    for at, one in enumerate(events):
        if one.purpose in CURRENT_PURPOSES:
            if one.answer != LATER:
                current[one.pair] = one
            continue
        against, number = Against(one.purpose), one.round
        # From elsewhere every one stands for itself.
        place = (against, one.pair, number, one.assignment if one.assignment is not None else -1 - at)
        if against is not Against.PLANTED and place in probes:
            given = probes[place]
            if one.answer != LATER and (one.answer, one.grade) != (given.event.answer, given.event.grade):
                probes[place] = replace(given, changed=True)
            continue
        probes.pop(place, None)
        if one.answer in (WITHDRAWN, LATER):
            continue
        first = current.get(one.pair) if against is Against.REPEAT else None
        first = None if first is not None and first.answer == WITHDRAWN else first
        probes[place] = ProbeAnswer(against, one, first, known.get((against, one.pair)), number)
    planted = [
        ProbeAnswer(Against.PLANTED, one, None, known[Against.PLANTED, pair], judged=True)
        for pair, one in current.items()
        if (Against.PLANTED, pair) in known and one.answer != WITHDRAWN
    ]
    return [*probes.values(), *planted]


def probe_lines(db: Session, campaign_id: int) -> Iterator[ProbeLine]:
    """Every answer to a repeat, a planted pair or a training pair, by assessor, in the order recorded."""
    known = known_answers(db, campaign_id)
    for assessor in own_events(db, campaign_id):
        found = answers_to_probes(assessor.probed, known)
        for one in sorted(found, key=lambda one: one.event.number):
            first = one.first
            yield ProbeLine(
                topic=one.event.pair[0],
                docno=one.event.pair[1],
                assessor=assessor.name,
                machine=assessor.machine,
                purpose=str(one.against),
                round=one.round if one.against is Against.TRAINING else None,
                judged=one.judged,
                first=None if first is None else (first.answer, first.grade, first.when),
                given=(one.event.answer, one.event.grade, one.event.when),
                known=one.known,
            )


def probe_json(line: ProbeLine) -> dict[str, Any]:
    """A line as one JSON object of a file."""
    first = line.first
    return {
        "topic": line.topic,
        "docno": line.docno,
        "assessor": line.assessor,
        "machine": line.machine,
        "purpose": line.purpose,
        "round": line.round,
        "judged": line.judged,
        "first": None if first is None else _json(*first),
        "said": _json(*line.given),
        "known_grade": line.known,
    }


def _json(answer: str, grade: int | None, when: datetime) -> dict[str, Any]:
    return {"answer": answer, "grade": grade, "recorded_at": when.isoformat()}


@frozen_dataclass
class KnownAnswerLine:
    """A pair with a known grade: of `answered` first answers `right` gave it, `others` most often another.

    `others` is that grade with how often it was given, None where everybody was right.
    """

    purpose: Against
    topic: str
    docno: str
    title: str
    grade: int
    feedback: str
    answered: int
    right: int
    others: tuple[int, int] | None

    @property
    def missed(self) -> int:
        """How many answers were not the known one."""
        return self.answered - self.right


def known_answer_lines(db: Session, campaign_id: int) -> tuple[KnownAnswerLine, ...]:
    """Every pair with a known answer, those that most assessors miss first.

    Of training the first round counts. Unsure and cannot judge count as missed.
    """
    known = known_answers(db, campaign_id)
    given: dict[tuple[str, tuple[str, str]], Counter[int | None]] = {}
    for assessor in own_events(db, campaign_id):
        for one in answers_to_probes(assessor.probed, known):
            if one.against is not Against.REPEAT and one.round == 1:
                grades = given.setdefault((one.against, one.event.pair), Counter())
                grades[one.event.grade] += 1
    row = KnownAnswerRow
    rows = db.execute(
        select(row.purpose, row.topic, row.docno, row.grade, row.feedback, DocumentRow.title)
        .outerjoin(
            DocumentRow, (DocumentRow.campaign_id == row.campaign_id) & (DocumentRow.docno == row.docno)
        )
        .where(row.campaign_id == campaign_id)
        .order_by(row.topic, row.docno)
    )
    lines = []
    for purpose, topic, docno, grade, feedback, title in rows:
        grades = given.get((purpose, (topic, docno)), Counter())
        wrong = ((other, n) for other, n in grades.most_common() if other is not None and other != grade)
        lines.append(
            KnownAnswerLine(
                Against(purpose),
                topic,
                docno,
                title or "",
                grade,
                feedback,
                grades.total(),
                grades[grade],
                next(wrong, None),
            )
        )
    return tuple(sorted(lines, key=lambda one: (-one.missed, one.answered)))
