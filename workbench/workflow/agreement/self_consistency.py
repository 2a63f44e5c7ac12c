"""Each assessor against the same assessor's earlier answers, and against known answers."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain

from sqlalchemy.orm import Session

from workbench.agreement.export import method_cells
from workbench.agreement.options import AgreementOptions
from workbench.agreement.self_consistency import Consistency, self_consistency
from workbench.workflow.agreement.own_events import AssessorEvents, OwnEvents, Pair, own_events
from workbench.workflow.agreement.probe_answers import (
    Against,
    ProbeAnswer,
    answers_to_probes,
    known_answers,
)
from workbench.workflow.agreement.selection import ComparedGrades, compared_grades
from workbench.workflow.caching import Cache

REPEAT_COLUMNS = (
    "assessor", "machine", "against", "n", "same", "observed", "observed_low", "observed_high",
    "positive", "negative", "pooled", "pooled_low", "pooled_high", "higher", "lower", "across_the_line",
    "changed", "withdrawn", "undefined", "would_define", "interval", "level",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An answer that is not what stood before it, or not the known one; the grades are of the scale."""

    assessor: str
    against: Against
    topic: str
    docno: str
    stood: int
    given: int
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

    Contradictions are the latest first. `no_grade` counts repeats and probes without a grade on
    one side, which are left out, and `changed_later` answers to repeats that were changed afterwards, of
    which the first counts.
    """

    assessors: tuple[AssessorConsistency, ...]
    contradictions: tuple[Contradiction, ...]
    grades: ComparedGrades
    no_grade: int
    changed_later: int
    options: AgreementOptions


@dataclass(frozen=True, slots=True)
class _Compared:
    """One comparison: the earlier or known grade, and the grade given."""

    against: Against
    pair: Pair
    stood: int
    given: int
    when: datetime


@dataclass(frozen=True, slots=True)
class _Found:
    """What one assessor adds to a report; no line where nothing was compared or changed."""

    line: AssessorConsistency | None
    contradictions: tuple[Contradiction, ...]
    no_grade: int
    changed_later: int


def consistency(db: Session, campaign_id: int, options: AgreementOptions) -> ConsistencyReport:
    """Every assessor against the same assessor's earlier answers and against known answers.

    A repeat is compared with the answer that was current just before it; a planted pair or one of training
    with its known grade, a planted pair that is in a pool by its judgment there. Raises InvalidInput for a
    grade that cannot be the relevance threshold.
    """
    grades = compared_grades(db, campaign_id, relevant_from=options.relevant_from, graded=options.graded)
    known = {pair: grade for pair, grade in known_answers(db, campaign_id).items() if grade in grades.scale}
    depends_on = (hashlib.sha256(repr(sorted(known.items())).encode()).digest(), grades, options)
    found = [
        _FOUND.get(
            (one.name, one.machine, one.state, depends_on),
            partial(_of_assessor, one, known, grades, options),
        )
        for one in own_events(db, campaign_id)
    ]
    contradictions = chain.from_iterable(one.contradictions for one in found)
    return ConsistencyReport(
        assessors=tuple(one.line for one in found if one.line is not None),
        contradictions=tuple(sorted(contradictions, key=lambda one: one.when, reverse=True)),
        grades=grades,
        no_grade=sum(one.no_grade for one in found),
        changed_later=sum(one.changed_later for one in found),
        options=options,
    )


def _of_assessor(
    assessor: AssessorEvents,
    known: Mapping[tuple[str, Pair], int],
    grades: ComparedGrades,
    options: AgreementOptions,
) -> _Found:
    name = assessor.name
    probes = answers_to_probes(assessor.own.probed, known)
    changed_later = sum(one.changed and one.against is Against.REPEAT for one in probes)
    compared, without = _compared(probes)
    changes = _changes(assessor.own, grades)
    if not compared and not changes.changed and not changes.withdrawn:
        return _Found(None, (), without, changed_later)
    found = tuple((against, _consistency(compared, against, grades, options)) for against in Against)
    contradictions = (
        Contradiction(
            assessor=name,
            against=one.against,
            topic=one.pair[0],
            docno=one.pair[1],
            stood=one.stood,
            given=one.given,
            when=one.when,
            across=_across(one.stood, one.given, grades),
        )
        for one in compared
        if one.stood != one.given
    )
    line = AssessorConsistency(name, assessor.machine, found, changes)
    return _Found(line, tuple(contradictions), without, changed_later)


def repeat_rows(report: ConsistencyReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of REPEAT_COLUMNS, with all digits."""
    for one in report.assessors:
        for against, found in one.found:
            low, high = found.share if found.share is not None else (None, None)
            yield (
                one.name, one.machine, str(against), found.n, found.same, found.observed, low, high,
                found.positive, found.negative, found.kappa.value, found.interval.low, found.interval.high,
                found.higher, found.lower, found.across, one.changes.changed, one.changes.withdrawn,
                found.kappa.undefined, found.would_define, *method_cells(found.interval),
            )  # fmt: skip


def _consistency(
    compared: Sequence[_Compared], against: Against, grades: ComparedGrades, options: AgreementOptions
) -> Consistency:
    own = [one for one in compared if one.against is against]
    return self_consistency(
        [grades.category(one.stood) for one in own],
        [grades.category(one.given) for one in own],
        categories=grades.categories,
        relevant_from=grades.lowest_relevant,
        options=options,
    )


def _compared(answers: Sequence[ProbeAnswer]) -> tuple[list[_Compared], int]:
    """What can be compared, and how many lack a grade on one side.

    Of training only the first round counts: whoever repeats it has seen the answers.
    """
    compared, without = [], 0
    for one in answers:
        if one.round > 1:
            continue
        stood, given = one.stood, one.event.grade
        if stood is None or given is None:
            without += 1
        else:
            compared.append(_Compared(one.against, one.event.pair, stood, given, one.event.when))
    return compared, without


def _changes(own: OwnEvents, grades: ComparedGrades) -> OwnChanges:
    higher = sum(one.times for one in own.changes if one.after > one.before)
    lower = sum(one.times for one in own.changes if one.after < one.before)
    across = sum(one.times for one in own.changes if _across(one.before, one.after, grades))
    return OwnChanges(higher + lower, higher, lower, across, own.withdrawn)


def _across(first: int, second: int, grades: ComparedGrades) -> bool:
    return grades.relevant(first) != grades.relevant(second)


_FOUND: Cache[Hashable, _Found] = Cache(2048)
