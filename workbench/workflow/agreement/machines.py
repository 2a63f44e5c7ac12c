"""Every machine of a campaign against each person and against the people's majority."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.agreement.against_people import (
    COEFFICIENTS,
    ROUNDS,
    WEIGHTED,
    AgainstPerson,
    against_person,
    majority,
)
from workbench.agreement.report.rows import drawn_cells
from workbench.agreement.table import MISSING
from workbench.workflow.agreement.compared_grades import compared_grades
from workbench.workflow.agreement.entering import answers_in

MAJORITY = "majority"
MACHINE_COLUMNS = (
    "machine", "against", "person", "n", "topics",
    *(f"{name}{part}" for name in COEFFICIENTS for part in ("", "_low", "_high")),
    *(f"precision{part}" for part in ("", "_low", "_high")),
    *(f"recall{part}" for part in ("", "_low", "_high")),
    *(f"quadratic_{name}" for name in WEIGHTED), "undefined", "would_define",
    "interval", "level", "rounds", "seed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MachineLine:
    """A machine against a person, or (`person` None) against the majority of people.

    Of the majority `tied` pairs of the machine's are left out, and on `alone` one person's word is all.
    """

    person: str | None
    found: AgainstPerson
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
    categories: tuple[int, ...]
    relevant_from: int
    graded: bool
    rounds: int
    seed: int


def machines_against_people(
    db: Session,
    campaign_id: int,
    *,
    relevant_from: int | None = None,
    graded: bool = False,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> MachinesReport:
    """Compare every machine with each person and with the majority, on the pairs that both graded.

    Relevant or not from `relevant_from` (the campaign's own line if None) unless `graded`. Raises
    InvalidInput for a grade that cannot be the line.
    """
    grades = compared_grades(db, campaign_id, relevant_from=relevant_from, graded=graded)
    answers = answers_in(db, campaign_id)
    categories = grades.categories
    codes = np.full(answers.grades.shape, MISSING, dtype=np.int8)
    for grade in grades.scale:
        codes[answers.grades == grade] = categories.index(grades.category(grade))
    gave = (codes != MISSING).any(axis=1).tolist()
    rows = [row for row, any_of in enumerate(gave) if any_of]
    people = [row for row in rows if not answers.voices[row].machine]
    most, tied = majority(codes[people], len(categories)) if people else (codes[:0], codes[:0] != MISSING)
    several = (codes[people] != MISSING).sum(axis=0)
    values_of = np.asarray(categories, dtype=np.int64)

    def compared(person: NDArray[np.int8], machine: int) -> AgainstPerson:
        both = (person != MISSING) & (codes[machine] != MISSING)
        return against_person(
            values_of[person[both]],
            values_of[codes[machine][both]],
            categories=categories,
            relevant_from=grades.lowest_relevant,
            topics=answers.topics[both],
            rounds=rounds,
            seed=seed,
        )

    reports = []
    for row in rows:
        if not answers.voices[row].machine:
            continue
        own = codes[row] != MISSING
        lines = []
        if people:
            alone = int((own & (several == 1)).sum())
            lines.append(MachineLine(None, compared(most, row), int((own & tied).sum()), alone))
        lines += [MachineLine(answers.voices[one].name, compared(codes[one], row)) for one in people]
        reports.append(MachineReport(answers.voices[row].name, int(own.sum()), tuple(lines)))
    return MachinesReport(
        machines=tuple(reports),
        people=tuple(answers.voices[row].name for row in people),
        categories=categories,
        relevant_from=grades.relevant_from,
        graded=graded,
        rounds=rounds,
        seed=seed,
    )


def machine_rows(report: MachinesReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of MACHINE_COLUMNS, with all digits."""
    for machine in report.machines:
        for line in machine.lines:
            found = line.found
            against = MAJORITY if line.person is None else "person"
            cells: list[object] = [machine.machine, against, line.person, found.n, found.topics]
            for one in found.valued:
                cells += [one.found.value, one.interval.low, one.interval.high]
            for share in (found.precision, found.recall):
                cells += [share.value, share.low, share.high]
            weighted = [one.found.value for one in found.weighted] or [None] * len(WEIGHTED)
            pooled = found.pooled.found
            drawn = drawn_cells(found.pooled.interval)
            yield (*cells, *weighted, pooled.undefined, pooled.would_define, *drawn)
