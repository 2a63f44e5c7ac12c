"""Each assessor against the same assessor's earlier answers, and against known answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from workbench.agreement.export import method_cells
from workbench.agreement.options import AgreementOptions
from workbench.agreement.two_series import Consistency, self_consistency
from workbench.frozen import frozen_dataclass
from workbench.workflow.agreement.probe_answers import (
    Against,
    AssessorEvents,
    answers_to_probes,
    known_answers,
    own_events,
)
from workbench.workflow.agreement.selection import ComparedGrades, compared_grades

REPEAT_COLUMNS = (
    "assessor", "machine", "against", "n", "same", "observed", "observed_low", "observed_high",
    "positive", "negative", "pooled", "pooled_low", "pooled_high", "higher", "lower", "across_the_line",
    "changed", "withdrawn", "undefined", "would_define", "interval", "level",
)  # fmt: skip


@frozen_dataclass
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


@frozen_dataclass
class OwnChanges:
    """What an assessor changed of the own accord: grades made others, answers withdrawn."""

    changed: int
    higher: int
    lower: int
    across: int
    withdrawn: int


@frozen_dataclass
class AssessorConsistency:
    """One assessor against himself on repeats, against planted answers, in training; and his changes."""

    name: str
    machine: bool
    found: tuple[tuple[Against, Consistency], ...]
    changes: OwnChanges


@frozen_dataclass
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


def consistency(db: Session, campaign_id: int, options: AgreementOptions) -> ConsistencyReport:
    """Every assessor against the same assessor's earlier answers and against known answers.

    A repeat is compared with the answer that was current just before it; a planted pair or one of training
    with its known grade, a planted pair that is in a pool by its judgment there. Raises InvalidInput for a
    grade that cannot be the relevance threshold.
    """
    grades = compared_grades(db, campaign_id, relevant_from=options.relevant_from, graded=options.graded)
    known = {pair: grade for pair, grade in known_answers(db, campaign_id).items() if grade in grades.scale}
    assessors, contradictions, no_grade, changed_later = [], list[Contradiction](), 0, 0
    for one in own_events(db, campaign_id):
        probes = answers_to_probes(one.probed, known)
        changed_later += sum(each.changed and each.against is Against.REPEAT for each in probes)
        # Of training only the first round counts: whoever repeats it has seen the answers.
        counted = [each for each in probes if each.round == 1]
        compared = [
            (each, stood, given)
            for each in counted
            if (stood := each.stood) is not None and (given := each.event.grade) is not None
        ]
        no_grade += len(counted) - len(compared)
        changes = _changes(one, grades)
        if not compared and not changes.changed and not changes.withdrawn:
            continue
        found = tuple(
            (
                against,
                _consistency(
                    [(stood, given) for each, stood, given in compared if each.against is against],
                    grades,
                    options,
                ),
            )
            for against in Against
        )
        assessors.append(AssessorConsistency(one.name, one.machine, found, changes))
        contradictions += (
            Contradiction(
                assessor=one.name,
                against=each.against,
                topic=each.event.pair[0],
                docno=each.event.pair[1],
                stood=stood,
                given=given,
                when=each.event.when,
                across=_across(stood, given, grades),
            )
            for each, stood, given in compared
            if stood != given
        )
    return ConsistencyReport(
        assessors=tuple(assessors),
        contradictions=tuple(sorted(contradictions, key=lambda one: one.when, reverse=True)),
        grades=grades,
        no_grade=no_grade,
        changed_later=changed_later,
        options=options,
    )


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
    pairs: Sequence[tuple[int, int]], grades: ComparedGrades, options: AgreementOptions
) -> Consistency:
    return self_consistency(
        [grades.category(stood) for stood, _ in pairs],
        [grades.category(given) for _, given in pairs],
        categories=grades.categories,
        relevant_from=grades.lowest_relevant,
        options=options,
    )


def _changes(own: AssessorEvents, grades: ComparedGrades) -> OwnChanges:
    several = own.changes.items()
    higher = sum(times for (before, after), times in several if after > before)
    lower = sum(times for (before, after), times in several if after < before)
    across = sum(times for (before, after), times in several if _across(before, after, grades))
    return OwnChanges(higher + lower, higher, lower, across, own.withdrawn)


def _across(first: int, second: int, grades: ComparedGrades) -> bool:
    return grades.relevant(first) != grades.relevant(second)
