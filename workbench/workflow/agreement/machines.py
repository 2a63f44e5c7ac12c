"""Every machine of a campaign against each person and against the people's majority."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.agreement.contingency import MISSING
from workbench.agreement.export import bounds_cells, method_cells
from workbench.agreement.machines import MachineComparison, compare_machine, machine_coefficients, majority
from workbench.agreement.options import AgreementOptions
from workbench.workflow.agreement.selection import ComparedGrades, answers_on, compared_grades
from workbench.workflow.caching import Cache
from workbench.workflow.judging.current_judgments import recorded_version
from workbench.workflow.pools.topic_answers import TopicAnswers

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
    assessors = recorded_version(db, campaign_id).assessors
    machines = frozenset(number for number, _, machine in assessors if machine)
    make, key = partial(_of_topic, machines, grades), ("machines", machines, grades)
    topics = [one.keep(key, make) for one in answers_on(db, campaign_id, options.answers)]
    gave = {number for one in topics for number in one.gave}
    people = [(number, name) for number, name, machine in assessors if not machine and number in gave]
    by_two: dict[tuple[int, int | None], list[tuple[int, _Series]]] = {}
    for at, topic in enumerate(topics):
        for two, series in topic.series.items():
            by_two.setdefault(two, []).append((at, series))
    reports = []
    for number, name, machine in assessors:
        if not machine or number not in gave:
            continue
        counts = sum((one.counts[number] for one in topics if number in one.counts), np.zeros(3, np.int64))
        graded, tied, alone = counts.tolist()
        of_machine = partial(_compared, grades=grades, options=options)
        lines = []
        if people:
            lines.append(MachineLine(None, of_machine(by_two.get((number, None), ())), tied, alone))
        lines += [
            MachineLine(person, of_machine(by_two.get((number, other), ()))) for other, person in people
        ]
        reports.append(MachineReport(name, graded, tuple(lines)))
    return MachinesReport(
        machines=tuple(reports),
        people=tuple(name for _, name in people),
        grades=grades,
        options=options,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Series:
    """The places among the categories that a person and a machine gave the same pairs, and their hash."""

    person: NDArray[np.int8]
    machine: NDArray[np.int8]
    digest: bytes


@dataclass(frozen=True, slots=True, eq=False)
class _OfTopic:
    """What one topic adds: who gave a grade, by id, and for each machine how many grades it gave.

    After that number in `counts` come those of which people are tied, and of which one person graded alone.
    The `series` are by machine and person, or None for the people's majority.
    """

    gave: tuple[int, ...]
    counts: Mapping[int, NDArray[np.int64]]
    series: Mapping[tuple[int, int | None], _Series]


def _of_topic(machines: frozenset[int], grades: ComparedGrades, answers: TopicAnswers) -> _OfTopic:
    graded = np.isin(answers.codes, grades.scale)
    given = answers.codes[graded]
    who, rows = np.unique(answers.assessors[graded], return_inverse=True)
    ids: list[int] = who.tolist()
    if machines.isdisjoint(ids):
        return _OfTopic(tuple(ids), {}, {})
    codes = np.full((len(ids), answers.documents), MISSING, np.int8)
    for grade in grades.scale:
        here = given == grade
        codes[rows[here], answers.places[graded][here]] = grades.categories.index(grades.category(grade))
    people = [row for row, number in enumerate(ids) if number not in machines]
    most, tied = majority(codes[people], len(grades.categories))
    alone = (codes[people] != MISSING).sum(axis=0) == 1
    counts, series = {}, dict[tuple[int, int | None], _Series]()
    for row, number in enumerate(ids):
        if number in machines:
            own = codes[row] != MISSING
            counts[number] = np.array([own.sum(), (own & tied).sum(), (own & alone).sum()])
            series[number, None] = _series(most, codes[row])
            series |= {(number, ids[one]): _series(codes[one], codes[row]) for one in people}
    return _OfTopic(tuple(ids), counts, series)


def _series(person: NDArray[np.int8], machine: NDArray[np.int8]) -> _Series:
    both = (person != MISSING) & (machine != MISSING)
    person, machine = person[both], machine[both]
    return _Series(person, machine, hashlib.sha256(person.tobytes() + machine.tobytes()).digest())


def _compared(
    several: Sequence[tuple[int, _Series]], *, grades: ComparedGrades, options: AgreementOptions
) -> MachineComparison:
    """A machine and a person, or the majority, on the pairs of several topics, each with its number."""
    some = [(at, one) for at, one in several if len(one.person)]

    def make() -> MachineComparison:
        values_of = np.asarray(grades.categories, dtype=np.int64)
        nothing = np.empty(0, np.int8)
        return compare_machine(
            values_of[np.concatenate([nothing, *(one.person for _, one in some)])],
            values_of[np.concatenate([nothing, *(one.machine for _, one in some)])],
            categories=grades.categories,
            relevant_from=grades.lowest_relevant,
            topics=[at for at, one in some for _ in range(len(one.person))],
            options=options,
        )

    # By what it is computed of: a save changes the lines of one person and of the majority.
    return _COMPARED.get((tuple(one.digest for _, one in some), grades, options), make)


_COMPARED: Cache[Hashable, MachineComparison] = Cache(5000)


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
