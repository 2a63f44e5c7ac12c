"""Two assessors in detail: tables, coefficients with their calculation, thresholds, disagreements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial

from workbench.agreement.coefficient import Step
from workbench.agreement.estimates import Estimate, calculations, estimates, topics_left_out
from workbench.agreement.export import (
    INDICES,
    Row,
    bounds,
    indices,
    interval_note,
    part_cells,
    row_of,
    thresholds_latex,
    value_cells,
)
from workbench.agreement.intervals import Interval
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pairwise import AssessorPair, Overlap, Threshold, overlap, thresholds, two_assessors
from workbench.agreement.ratings import pair_tables
from workbench.agreement.report import Disagreement, disagreements
from workbench.agreement.report_json import (
    options_data,
    overlap_data,
    pair_data,
    selection_data,
    threshold_data,
)
from workbench.agreement.selection import Selection, Shared
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.tables import Export, document, escaped, number, table


@frozen_dataclass
class PairReport:
    """Two assessors among all: their figures as everywhere, at every threshold, and where they differ.

    `numbers` are theirs among all; `two`, of the grades that were compared, and `by_grade`, of those of the
    scale (a table without estimates), know them as 0 and 1. `thresholds` is empty for a scale of two
    grades. `overlap` is that of the two's relevant sets where relevant or not was compared.
    """

    selection: Selection
    options: AgreementOptions
    numbers: tuple[int, int]
    two: AssessorPair
    by_grade: AssessorPair
    shared: Shared
    thresholds: tuple[Threshold, ...]
    disagreed: tuple[Disagreement, ...]
    overlap: Overlap | None


def pair_report(selection: Selection, options: AgreementOptions, *, first: str, second: str) -> PairReport:
    """Two assessors of a selection by name; raises WorkbenchError for names that are not in it."""
    if first == second:
        raise WorkbenchError(f"{first} is named twice", remedy="name two assessors")
    numbers = selection.number(first), selection.number(second)
    compared, two = (ratings.only(numbers).with_all() for ratings in (selection.ratings, selection.by_grade))
    # The same figures as in lists of every two, with the intervals of these documents besides.
    found = estimates(compared, options, topics_left_out(compared, options))
    return PairReport(
        selection,
        options,
        numbers,
        two=two_assessors((0, 1), pair_tables(compared)[0, 1], found),
        by_grade=two_assessors((0, 1), pair_tables(two)[0, 1], ()),
        shared=selection.shared(*numbers),
        thresholds=thresholds(two, options) if len(two.categories) > 2 else (),
        disagreed=disagreements(selection, *numbers),
        overlap=None if selection.graded else overlap(selection.ratings, numbers, level=options.confidence),
    )


PAIR_COLUMNS = (
    "part", "name", "topic", "doc", "first", "second", "value", "low", "high", "n", "working", "undefined",
    "would_define", "interval", "level",
)  # fmt: skip


def grade_labels(report: PairReport) -> tuple[str, ...]:
    """What the rows and columns of the table compared are called, highest first."""
    if not report.selection.graded:
        return ("relevant", "not relevant")
    return tuple(f"grade {grade}" for grade in report.selection.ratings.categories)


def pair_calculations(
    report: PairReport, labels: Sequence[str] = ()
) -> tuple[tuple[Estimate, tuple[Step, ...]], ...]:
    """The calculation of each coefficient of the two, step by step; `labels` are those of the grades."""
    two, shown = report.two, labels or grade_labels(report)
    return calculations(two.table, two.estimates, report.selection.ratings, report.options, shown)


def pair_export(report: PairReport) -> Export:
    """All of it, each form when it is called for."""
    return Export(
        PAIR_COLUMNS,
        partial(pair_report_rows, report),
        partial(pair_report_data, report),
        partial(pair_report_latex, report),
    )


def pair_report_data(report: PairReport) -> dict[str, object]:
    """Everything: tables, figures, every step of the working, and the pairs on which the two differ."""
    names = [one.name for one in report.selection.assessors]
    return {
        "entered": selection_data(report.selection),
        "how": options_data(report.options),
        **pair_data(report.two, report.selection, report.numbers),
        "both": report.shared.both,
        "grades": list(report.selection.by_grade.categories),
        "table_by_grade": [list(row) for row in report.by_grade.table],
        "overlap_by_topic": None if report.overlap is None else overlap_data(report.overlap, names),
        "thresholds": [threshold_data(one) for one in report.thresholds],
        "working": {
            estimate.name: [{"step": step.name, "sum": step.sum, "result": step.result} for step in steps]
            for estimate, steps in pair_calculations(report)
        },
        "differ": [asdict(one) for one in report.disagreed],
    }


def pair_report_rows(report: PairReport) -> Iterator[Row]:
    """The same as rows of PAIR_COLUMNS, with all digits; `part` names what a row is about.

    `table` counts pairs by the two's grades as compared, `grades` by those of the scale; a step of the
    `working` has its name, the sum with numbers in it and, as value, its result.
    """
    shared = report.shared
    for name, n in (("both", shared.both), ("first", shared.first_only), ("second", shared.second_only)):
        yield row_of(PAIR_COLUMNS, {"part": "judged", "name": name, "n": n})
    yield from _counts("table", report.two, report.selection.ratings.categories)
    yield from _counts("grades", report.by_grade, report.selection.by_grade.categories)
    for estimate in report.two.estimates:
        yield _estimate("coefficient", estimate, estimate.interval)
        if estimate.analytic is not None:
            yield _estimate("coefficient of these documents", estimate, estimate.analytic)
    for name, value in indices(report.two.view):
        cells = part_cells(name, value, report.two.n)
        yield row_of(PAIR_COLUMNS, cells | {"part": "index", "name": INDICES[name]})
    if (overlap := report.overlap) is not None:
        cells = {
            **part_cells("overlap", overlap.together, None),
            "part": "overlap",
            "name": "mean over topics",
        }
        yield row_of(PAIR_COLUMNS, cells | {"value": overlap.mean}, overlap.mean_interval)
        yield row_of(PAIR_COLUMNS, cells | {"name": "topics together"}, overlap.together_interval)
    for threshold in report.thresholds:
        for estimate in threshold.estimates:
            yield _estimate(f"relevant from {threshold.relevant_from}", estimate, estimate.interval)
    for estimate, steps in pair_calculations(report):
        for step in steps:
            name = f"{estimate.name}: {step.name}"
            cells = {"part": "working", "name": name, "value": step.result, "working": step.sum}
            yield row_of(PAIR_COLUMNS, cells)
    for one in report.disagreed:
        yield row_of(PAIR_COLUMNS, {"part": "differ", "name": "", "doc": one.docno, **asdict(one)})


def pair_report_latex(report: PairReport) -> str:
    """The table of the two, their figures, the calculation, the grades and every relevance threshold."""
    labels = grade_labels(report)
    made = [_table(report, report.two, labels, "tab:agreement-two"), _estimates(report)]
    if report.two.n:
        made.append(_calculations_table(report))
    if not report.selection.graded and len(report.selection.by_grade.categories) > 2:
        grades = [f"grade {grade}" for grade in report.selection.by_grade.categories]
        made.append(_table(report, report.by_grade, grades, "tab:agreement-two-grades"))
    if report.thresholds:
        made.append(thresholds_latex(report.thresholds, report.options))
    return document(*made)


def _table(report: PairReport, two: AssessorPair, labels: Sequence[str], label: str) -> str:
    first, second = _names(report)
    rows = [
        (at, *(f"{n:,}" for n in row), f"{sum(row):,}") for at, row in zip(labels, two.table, strict=True)
    ]
    rows.append(("total", *(f"{sum(column):,}" for column in zip(*two.table, strict=True)), f"{two.n:,}"))
    caption = (
        f"Pairs by the grades of {first} (rows) and {second} (columns): both judged {report.shared.both:,}, "
        f"{first} alone {report.shared.first_only:,}, {second} alone {report.shared.second_only:,}."
    )
    return table(f"l{'r' * (len(labels) + 1)}", ("", *labels, "total"), rows, caption, label)


def _estimates(report: PairReport) -> str:
    rows = [
        (
            escaped(one.label),
            number(one.found.observed),
            number(one.found.expected),
            number(one.value),
            bounds(one.interval) if one.value is not None else "",
            bounds(one.analytic),
            f"{one.found.n:,}",
        )
        for one in report.two.estimates
    ]
    for name, value in indices(report.two.view):
        label = INDICES[name].replace("_", " ").capitalize()
        rows.append((label, "", "", number(value), "", "", f"{report.two.n:,}"))
    first, second = _names(report)
    compared, intervals = report.selection.grades_in_words, interval_note(report.options)
    caption = f"Agreement of {first} and {second}; {compared}. {intervals}"
    heads = ("Coefficient", "Observed", "By chance", "Value", "Interval", "Of these documents", "$n$")
    return table("lrrrrrr", heads, rows, caption, "tab:agreement-two-figures", size=r"\footnotesize")


def _calculations_table(report: PairReport) -> str:
    rows: list[Sequence[str]] = []
    for estimate, steps in pair_calculations(report):
        rows.append((rf"\textit{{{escaped(estimate.label)}}}", "", ""))
        rows += [tuple(map(escaped, (step.name, step.sum, step.result))) for step in steps]
    caption = "The calculation of the coefficients, step by step."
    heads = ("Step", "Sum", "Result")
    columns = r"lp{.5\linewidth}r"
    return table(columns, heads, rows, caption, "tab:agreement-two-working", size=r"\footnotesize")


def _names(report: PairReport) -> list[str]:
    return [escaped(report.selection.assessors[number].name) for number in report.numbers]


def _counts(part: str, two: AssessorPair, categories: Sequence[int]) -> Iterator[Row]:
    for first, row in zip(categories, two.table, strict=True):
        for second, n in zip(categories, row, strict=True):
            yield row_of(PAIR_COLUMNS, {"part": part, "name": "", "first": first, "second": second, "n": n})


def _estimate(part: str, estimate: Estimate, interval: Interval | None) -> Row:
    cells = {"part": part, "name": estimate.name, **value_cells(estimate.found)}
    return row_of(PAIR_COLUMNS, cells, interval)
