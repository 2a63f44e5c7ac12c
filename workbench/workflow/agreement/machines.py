"""Every machine of a campaign against each person and against the people's majority."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.agreement.export import bounds_cells, method_cells
from workbench.agreement.options import AgreementOptions, Occasion
from workbench.agreement.ratings import MISSING
from workbench.agreement.two_series import MachineComparison, compare_machine, machine_coefficients, majority
from workbench.frozen import frozen_dataclass
from workbench.workflow.agreement.selection import (
    ComparedGrades,
    campaign_answers,
    compared_grades,
    independent_answers,
)

MAJORITY = "majority"


@frozen_dataclass
class MachineLine:
    """A machine against a person, or (`person` None) against the majority of people.

    Of the majority `tied` pairs of the machine's are left out, and on `alone` one person's word counts alone.
    """

    person: str | None
    found: MachineComparison
    tied: int = 0
    alone: int = 0


@frozen_dataclass
class MachineReport:
    """A machine, how many pairs it graded, and its lines: the majority first, then persons by name."""

    machine: str
    graded: int
    lines: tuple[MachineLine, ...]


@frozen_dataclass
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
    first = options.answers is Occasion.INDEPENDENT
    answers = (independent_answers if first else campaign_answers)(db, campaign_id)
    codes = np.full(answers.grades.shape, MISSING, np.int8)
    for grade in grades.scale:
        codes[answers.grades == grade] = grades.categories.index(grades.category(grade))
    gave = (codes != MISSING).any(axis=1)
    people = [row for row, one in enumerate(answers.assessors) if gave[row] and not one.machine]
    most, tied = majority(codes[people], len(grades.categories))
    alone = np.count_nonzero(codes[people] != MISSING, axis=0) == 1
    values_of = np.asarray(grades.categories, dtype=np.int64)

    def compared(person: NDArray[np.int8], machine: NDArray[np.int8]) -> MachineComparison:
        both = (person != MISSING) & (machine != MISSING)
        return compare_machine(
            values_of[person[both]],
            values_of[machine[both]],
            categories=grades.categories,
            relevant_from=grades.lowest_relevant,
            topics=answers.topics[both],
            options=options,
        )

    reports = []
    for row, one in enumerate(answers.assessors):
        if not one.machine or not gave[row]:
            continue
        own = codes[row]
        graded = own != MISSING
        lines = [
            MachineLine(answers.assessors[person].name, compared(codes[person], own)) for person in people
        ]
        if people:
            both = (int(np.count_nonzero(graded & some)) for some in (tied, alone))
            lines.insert(0, MachineLine(None, compared(most, own), *both))
        reports.append(MachineReport(one.name, int(np.count_nonzero(graded)), tuple(lines)))
    names = tuple(answers.assessors[row].name for row in people)
    return MachinesReport(tuple(reports), names, grades, options)


def machine_columns() -> tuple[str, ...]:
    """The columns of `machine_rows`."""
    valued = [one.name for one in machine_coefficients()] + ["precision", "recall"]
    return (
        "machine", "against", "person", "n", "topics",
        *(f"{name}{part}" for name in valued for part in ("", "_low", "_high")),
        *(f"quadratic_{one.name}" for one in machine_coefficients(weighted=True)), "undefined",
        "would_define", "interval", "level",
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
            drawn = method_cells(found.pooled.interval)
            yield (*cells, *weighted, pooled.undefined, pooled.would_define, *drawn)
