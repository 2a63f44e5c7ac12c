"""Every machine of a campaign against each person and against the people's majority."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.agreement.contingency import MISSING
from workbench.agreement.export import bounds_cells, drawn_cells
from workbench.agreement.machines import MachineComparison, compare_machine, machine_coefficients, majority
from workbench.agreement.options import AgreementOptions
from workbench.workflow.agreement.selection import ComparedGrades, answers_of_campaign, compared_grades

MAJORITY = "majority"


@dataclass(frozen=True, slots=True)
class MachineLine:
    """A machine against a person, or (`person` None) against the majority of people.

    Of the majority `tied` pairs of the machine's are left out, and on `alone` one person's word counts alone.
    """

    person: str | None
    found: MachineComparison
    tied: int = 0
    alone: int = 0


@dataclass(frozen=True, slots=True)
class MachineReport:
    """A machine, how many pairs it graded, and its lines: the majority first, then persons by name."""

    machine: str
    graded: int
    lines: tuple[MachineLine, ...]


@dataclass(frozen=True, slots=True)
class MachinesReport:
    """Every machine that gave a grade; `people` are those who did."""

    machines: tuple[MachineReport, ...]
    people: tuple[str, ...]
    grades: ComparedGrades
    options: AgreementOptions


def machines_against_people(db: Session, campaign_id: int, options: AgreementOptions) -> MachinesReport:
    """Compare every machine with each person and with the majority, on the pairs that both graded.

    Raises InvalidInput for a grade that cannot be the relevance threshold.
    """
    grades = compared_grades(db, campaign_id, relevant_from=options.relevant_from, graded=options.graded)
    answers = answers_of_campaign(db, campaign_id, options.answers)
    categories = grades.categories
    codes = np.full(answers.grades.shape, MISSING, dtype=np.int8)
    for grade in grades.scale:
        codes[answers.grades == grade] = categories.index(grades.category(grade))
    gave = (codes != MISSING).any(axis=1).tolist()
    rows = [row for row, any_of in enumerate(gave) if any_of]
    people = [row for row in rows if not answers.assessors[row].machine]
    most, tied = majority(codes[people], len(categories)) if people else (codes[:0], codes[:0] != MISSING)
    several = (codes[people] != MISSING).sum(axis=0)
    values_of = np.asarray(categories, dtype=np.int64)

    def compared(person: NDArray[np.int8], machine: int) -> MachineComparison:
        both = (person != MISSING) & (codes[machine] != MISSING)
        return compare_machine(
            values_of[person[both]],
            values_of[codes[machine][both]],
            categories=categories,
            relevant_from=grades.lowest_relevant,
            topics=answers.topics[both],
            options=options,
        )

    reports = []
    for row in rows:
        if not answers.assessors[row].machine:
            continue
        own = codes[row] != MISSING
        lines = []
        if people:
            alone = int((own & (several == 1)).sum())
            lines.append(MachineLine(None, compared(most, row), int((own & tied).sum()), alone))
        lines += [MachineLine(answers.assessors[one].name, compared(codes[one], row)) for one in people]
        reports.append(MachineReport(answers.assessors[row].name, int(own.sum()), tuple(lines)))
    return MachinesReport(
        machines=tuple(reports),
        people=tuple(answers.assessors[row].name for row in people),
        grades=grades,
        options=options,
    )


def machine_columns() -> tuple[str, ...]:
    """The columns of `machine_rows`."""
    valued = [one.name for one in machine_coefficients()] + ["precision", "recall"]
    return (
        "machine", "against", "person", "n", "topics",
        *(f"{name}{part}" for name in valued for part in ("", "_low", "_high")),
        *(f"quadratic_{one.name}" for one in machine_coefficients(weighted=True)), "undefined",
        "would_define", "interval", "level", "rounds", "seed",
    )  # fmt: skip


def machine_rows(report: MachinesReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of `machine_columns`, with all digits."""
    weights = len(machine_coefficients(weighted=True))
    for machine in report.machines:
        for line in machine.lines:
            found = line.found
            against = MAJORITY if line.person is None else "person"
            cells: list[object] = [machine.machine, against, line.person, found.n, found.topics]
            for one in found.estimates:
                cells += [one.value, *bounds_cells(one.interval)]
            for share in (found.precision, found.recall):
                cells += [share.value, share.low, share.high]
            weighted = [one.value for one in found.weighted] or [None] * weights
            pooled = found.pooled.found
            drawn = drawn_cells(found.pooled.interval)
            yield (*cells, *weighted, pooled.undefined, pooled.would_define, *drawn)
