"""How far every assessor agrees with himself on second showings, and with answers that are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.self_consistency import ROUNDS, Consistency, self_consistency
from workbench.errors import WorkbenchError
from workbench.records import Answer
from workbench.storage.events import HOLDING, LATER, WITHDRAWN
from workbench.storage.tables import AssessorRow, JudgmentEventRow, KnownAnswerRow
from workbench.workflow.campaigns.campaigning import campaign_of

Pair = tuple[str, str]
REPEAT_COLUMNS = (
    "assessor", "machine", "against", "n", "same", "observed", "observed_low", "observed_high", "pooled",
    "pooled_low", "pooled_high", "unpooled", "higher", "lower", "across_the_line", "changed", "withdrawn",
    "undefined",
)  # fmt: skip


class Against(StrEnum):
    """What an assessor's answers are compared with."""

    REPEAT = "repeat"
    PLANTED = "planted"
    TRAINING = "training"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An answer that is not what stood before it, or not the known one; the grades are of the scale."""

    assessor: str
    against: Against
    topic: str
    docno: str
    stood: int
    said: int
    when: datetime
    across: bool


@dataclass(frozen=True, slots=True)
class OwnChanges:
    """What an assessor changed of the own accord: grades made others, answers withdrawn."""

    changed: int
    higher: int
    lower: int
    across: int
    withdrawn: int


@dataclass(frozen=True, slots=True)
class AssessorConsistency:
    """One assessor against himself on repeats, against planted answers, in training; and his changes."""

    name: str
    machine: bool
    found: tuple[tuple[Against, Consistency], ...]
    changes: OwnChanges


@dataclass(frozen=True, slots=True)
class ConsistencyReport:
    """Every assessor of whom anything was answered twice, is known, or was changed; by name.

    Contradictions are the latest first. `no_grade` counts repeats and probes on one side of which stands no
    grade: these do not enter.
    """

    assessors: tuple[AssessorConsistency, ...]
    contradictions: tuple[Contradiction, ...]
    categories: tuple[int, ...]
    relevant_from: int
    graded: bool
    no_grade: int
    rounds: int
    seed: int


@dataclass(frozen=True, slots=True)
class _Event:
    pair: Pair
    answer: str
    grade: int | None
    purpose: str
    when: datetime
    assignment: int | None


@dataclass(frozen=True, slots=True)
class _Compared:
    """One comparison: what stood, as the scale has it, and what was said."""

    against: Against
    pair: Pair
    stood: int
    said: int
    when: datetime


def consistency(
    db: Session,
    campaign_id: int,
    *,
    relevant_from: int | None = None,
    graded: bool = False,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> ConsistencyReport:
    """Every assessor against himself and against what is known, relevant or not unless `graded`.

    A repeat is compared with what held just before it, and never holds itself; a planted pair or one of
    training with its known grade, a planted pair that is in a pool by what was judged of it there.
    Raises WorkbenchError for a grade that cannot be the line.
    """
    scale = campaign_of(db, campaign_id).scale
    values = tuple(sorted((grade.value for grade in scale.grades), reverse=True))
    line = scale.relevant_from if relevant_from is None else relevant_from
    if line not in values[:-1]:
        raise WorkbenchError(f"{line} cannot be the lowest relevant grade", remedy="choose one of the scale")
    known = {
        (purpose, (topic, docno)): grade
        for topic, docno, purpose, grade in db.execute(
            select(
                KnownAnswerRow.topic, KnownAnswerRow.docno, KnownAnswerRow.purpose, KnownAnswerRow.grade
            ).where(KnownAnswerRow.campaign_id == campaign_id)
        )
        if grade in values
    }
    lines, contradictions, no_grade = [], [], 0
    for (name, machine), events in _events(db, campaign_id).items():
        compared, without = _compared(events, known)
        no_grade += without
        changes = _changes(events, line)
        if not compared and not changes.changed and not changes.withdrawn:
            continue
        found = tuple(
            (against, _consistency(compared, against, values, line, graded, rounds, seed))
            for against in Against
        )
        lines.append(AssessorConsistency(name, machine, found, changes))
        contradictions += [
            Contradiction(
                name,
                one.against,
                *one.pair,
                one.stood,
                one.said,
                one.when,
                _across(one.stood, one.said, line),
            )
            for one in compared
            if one.stood != one.said
        ]
    return ConsistencyReport(
        assessors=tuple(lines),
        contradictions=tuple(sorted(contradictions, key=lambda one: one.when, reverse=True)),
        categories=values if graded else (1, 0),
        relevant_from=line,
        graded=graded,
        no_grade=no_grade,
        rounds=rounds,
        seed=seed,
    )


def repeat_rows(report: ConsistencyReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of REPEAT_COLUMNS, with all digits."""
    for one in report.assessors:
        for against, found in one.found:
            low, high = found.share if found.share is not None else (None, None)
            yield (
                one.name, one.machine, str(against), found.n, found.same, found.observed, low, high,
                found.pooled.value, found.interval.low, found.interval.high, found.unpooled.value,
                found.higher, found.lower, found.across, one.changes.changed, one.changes.withdrawn,
                found.pooled.undefined,
            )  # fmt: skip


def _consistency(
    compared: Sequence[_Compared],
    against: Against,
    values: tuple[int, ...],
    line: int,
    graded: bool,
    rounds: int,
    seed: int,
) -> Consistency:
    own = [one for one in compared if one.against is against]
    stood, said = [one.stood for one in own], [one.said for one in own]
    if not graded:
        stood, said = [int(grade >= line) for grade in stood], [int(grade >= line) for grade in said]
    return self_consistency(
        stood,
        said,
        categories=values if graded else (1, 0),
        relevant_from=line if graded else 1,
        rounds=rounds,
        seed=seed,
    )


def _events(db: Session, campaign_id: int) -> dict[tuple[str, bool], list[_Event]]:
    event = JudgmentEventRow
    rows = db.execute(
        select(
            AssessorRow.name,
            AssessorRow.machine,
            event.topic,
            event.docno,
            event.answer,
            event.grade,
            event.purpose,
            event.recorded_at,
            event.assignment_id,
        )
        .join(AssessorRow, AssessorRow.id == event.assessor_id)
        .where(event.campaign_id == campaign_id)
        .order_by(AssessorRow.name, event.id)
    )
    found: dict[tuple[str, bool], list[_Event]] = {}
    for name, machine, topic, docno, answer, grade, purpose, when, assignment in rows:
        said = _Event((topic, docno), answer, grade, purpose, when, assignment)
        found.setdefault((name, machine), []).append(said)
    return found


def _compared(events: Sequence[_Event], known: dict[tuple[str, Pair], int]) -> tuple[list[_Compared], int]:
    """What can be compared, in the order of the events, and how many lack a grade on one side.

    Of an answer that was changed or taken back at the desk only what was said last enters. A planted pair
    that was judged among the others is compared by the answer that holds.
    """
    holds: dict[Pair, _Event] = {}
    probes: dict[object, tuple[_Event, int | None]] = {}
    for at, one in enumerate(events):
        if one.purpose in HOLDING:
            if one.answer != LATER:
                holds[one.pair] = one
            continue
        # From elsewhere every one stands for itself.
        place = (one.purpose, one.pair, one.assignment if one.assignment is not None else -1 - at)
        before = holds.get(one.pair)
        repeated = one.purpose == Against.REPEAT
        stood = (before.grade if before else None) if repeated else known.get((one.purpose, one.pair))
        if one.purpose == Against.TRAINING and place in probes:
            continue  # the first answer counts: whoever goes through the training again has been told
        probes.pop(place, None)
        if one.answer not in (WITHDRAWN, LATER):
            probes[place] = (one, stood)
    planted = [
        (replace(one, purpose=str(Against.PLANTED)), known[Against.PLANTED, pair])
        for pair, one in holds.items()
        if (Against.PLANTED, pair) in known and one.answer != WITHDRAWN
    ]
    compared, without = [], 0
    for one, stood in [*probes.values(), *planted]:
        if stood is None or one.grade is None:
            without += 1
        else:
            compared.append(_Compared(Against(one.purpose), one.pair, stood, one.grade, one.when))
    return compared, without


def _changes(events: Sequence[_Event], line: int) -> OwnChanges:
    holds: dict[Pair, int] = {}
    higher = lower = across = withdrawn = 0
    for one in events:
        if one.purpose not in HOLDING:
            continue
        if one.answer == WITHDRAWN:
            withdrawn += 1
        # What was withdrawn is remembered: the grade that comes instead is a change all the same.
        if one.answer == Answer.GRADE and one.grade is not None:
            before = holds.get(one.pair, one.grade)
            higher += one.grade > before
            lower += one.grade < before
            across += _across(before, one.grade, line)
            holds[one.pair] = one.grade
    return OwnChanges(higher + lower, higher, lower, across, withdrawn)


def _across(first: int, second: int, line: int) -> bool:
    return (first >= line) != (second >= line)
