"""Two assessors closely, as they are taken along: plain data, rows of a table, LaTeX tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from workbench.agreement.report.as_json import (
    Data,
    entered_data,
    how_data,
    overlap_data,
    pair_data,
    threshold_data,
)
from workbench.agreement.report.figures import Figure
from workbench.agreement.report.how import How
from workbench.agreement.report.latex import thresholds_latex
from workbench.agreement.report.latex_table import bounds, document, escaped, how_drawn, number, table
from workbench.agreement.report.pair import PairReport
from workbench.agreement.report.rows import INDICES, drawn_cells
from workbench.agreement.report.two import Two
from workbench.agreement.report.working import Working, workings
from workbench.agreement.several.bootstrap import Interval
from workbench.agreement.specific import WHY_NONE
from workbench.export import Export

PAIR_COLUMNS = (
    "part", "name", "topic", "doc", "first", "second", "value", "low", "high", "n", "working", "undefined",
    "would_define", "interval", "level", "rounds", "seed",
)  # fmt: skip
Row = tuple[object, ...]


def grade_labels(report: PairReport) -> tuple[str, ...]:
    """What the rows and columns of the table compared are called, highest first."""
    if not report.entering.graded:
        return ("relevant", "not relevant")
    return tuple(f"grade {grade}" for grade in report.entering.ratings.categories)


def pair_export(report: PairReport, how: How) -> Export:
    """All of it, each form when it is called for."""
    return Export(
        PAIR_COLUMNS,
        partial(pair_report_rows, report, how),
        partial(pair_report_data, report, how),
        partial(pair_report_latex, report, how),
    )


def pair_report_data(report: PairReport, how: How) -> Data:
    """Everything: tables, figures, every step of the working, and the pairs on which the two differ."""
    names = [voice.name for voice in report.entering.assessors]
    return {
        "entered": entered_data(report.entering),
        "how": how_data(how),
        **pair_data(report.two, report.entering, report.numbers),
        "both": report.shared.both,
        "grades": list(report.entering.by_grade.categories),
        "table_by_grade": [list(row) for row in report.by_grade.table],
        "overlap_by_topic": None if report.overlap is None else overlap_data(report.overlap, names),
        "thresholds": [threshold_data(one) for one in report.thresholds],
        "working": {
            one.figure.name: [
                {"step": step.name, "sum": step.sum, "result": step.result} for step in one.steps
            ]
            for one in _workings(report, how)
        },
        "differ": [
            {"topic": one.topic, "docno": one.docno, "first": one.first, "second": one.second}
            for one in report.disagreed
        ],
    }


def pair_report_rows(report: PairReport, how: How) -> Iterator[Row]:
    """The same as rows of PAIR_COLUMNS, with all digits: what a row tells of is its `part`.

    `table` counts pairs by the two's grades as compared, `grades` by those of the scale; a step of the
    `working` has its name, the sum with numbers in it and, as value, its result.
    """
    shared = report.shared
    for name, n in (("both", shared.both), ("first", shared.first_only), ("second", shared.second_only)):
        yield _row("judged", name, n=n)
    yield from _counts("table", report.two, report.entering.ratings.categories)
    yield from _counts("grades", report.by_grade, report.entering.by_grade.categories)
    for figure in report.two.figures:
        yield _figure("coefficient", figure)
        if figure.analytic is not None:
            yield _figure("coefficient without drawing", figure, figure.analytic)
    for name in INDICES if report.two.view is not None else ():
        value = getattr(report.two.view, name)
        why = WHY_NONE[name] if value is None else ("", "")
        yield _row("index", INDICES[name], value=value, n=report.two.n, why=why)
    if (overlap := report.overlap) is not None:
        why = WHY_NONE["overlap"] if overlap.together is None else ("", "")
        for name, value, interval in (
            ("mean over topics", overlap.mean, overlap.mean_interval),
            ("topics together", overlap.together, overlap.together_interval),
        ):
            yield _row("overlap", name, value=value, interval=interval, why=why)
    for threshold in report.thresholds:
        for figure in threshold.figures:
            yield _figure(f"relevant from {threshold.relevant_from}", figure)
    for working in _workings(report, how):
        for step in working.steps:
            name = f"{working.figure.name}: {step.name}"
            yield _row("working", name, value=step.result, working=step.sum)
    for one in report.disagreed:
        yield _row("differ", "", pair=(one.topic, one.docno), grades=(one.first, one.second))


def pair_report_latex(report: PairReport, how: How) -> str:
    """The table of the two, their figures, the working, the grades and every line of relevance."""
    labels = grade_labels(report)
    made = [_table(report, report.two, labels, "tab:agreement-two"), _figures(report, how)]
    if report.two.n:
        made.append(_working(report, how))
    if not report.entering.graded and len(report.entering.by_grade.categories) > 2:
        grades = [f"grade {grade}" for grade in report.entering.by_grade.categories]
        made.append(_table(report, report.by_grade, grades, "tab:agreement-two-grades"))
    if report.thresholds:
        made.append(thresholds_latex(report.thresholds, how))
    return document(*made)


def _table(report: PairReport, two: Two, labels: Sequence[str], label: str) -> str:
    first, second = (escaped(name) for name in _names(report))
    rows = [
        (at, *(f"{n:,}" for n in row), f"{sum(row):,}") for at, row in zip(labels, two.table, strict=True)
    ]
    rows.append(("total", *(f"{sum(column):,}" for column in zip(*two.table, strict=True)), f"{two.n:,}"))
    caption = (
        f"Pairs by the grades of {first} (rows) and {second} (columns): both judged {report.shared.both:,}, "
        f"{first} alone {report.shared.first_only:,}, {second} alone {report.shared.second_only:,}."
    )
    return table(f"l{'r' * (len(labels) + 1)}", ("", *labels, "total"), rows, caption, label)


def _figures(report: PairReport, how: How) -> str:
    rows = [
        (
            escaped(one.label),
            number(one.coefficient.observed),
            number(one.coefficient.expected),
            number(one.value),
            bounds(one.interval) if one.value is not None else "",
            bounds(one.analytic),
            f"{one.coefficient.n:,}",
        )
        for one in report.two.figures
    ]
    view = report.two.view
    for name in INDICES if view is not None else ():
        label = INDICES[name].replace("_", " ").capitalize()
        rows.append((label, "", "", number(getattr(view, name)), "", "", f"{report.two.n:,}"))
    first, second = (escaped(name) for name in _names(report))
    caption = f"Agreement of {first} and {second}; {report.entering.grades_in_words}. {how_drawn(how)}"
    heads = ("Coefficient", "Observed", "By chance", "Value", "Interval", "Without drawing", "$n$")
    return table("lrrrrrr", heads, rows, caption, "tab:agreement-two-figures", size=r"\footnotesize")


def _working(report: PairReport, how: How) -> str:
    rows: list[Sequence[str]] = []
    for one in _workings(report, how):
        rows.append((rf"\textit{{{escaped(one.figure.label)}}}", "", ""))
        rows += [tuple(map(escaped, (step.name, step.sum, step.result))) for step in one.steps]
    caption = "The working of the coefficients, step by step."
    heads = ("Step", "Sum", "Result")
    columns = r"lp{.5\linewidth}r"
    return table(columns, heads, rows, caption, "tab:agreement-two-working", size=r"\footnotesize")


def _names(report: PairReport) -> tuple[str, str]:
    first, second = (report.entering.assessors[number].name for number in report.numbers)
    return first, second


def _workings(report: PairReport, how: How) -> tuple[Working, ...]:
    return workings(report.two, report.entering.ratings, how, grade_labels(report))


def _counts(part: str, two: Two, categories: Sequence[int]) -> Iterator[Row]:
    for first, row in zip(categories, two.table, strict=True):
        for second, n in zip(categories, row, strict=True):
            yield _row(part, "", grades=(first, second), n=n)


def _figure(part: str, figure: Figure, interval: Interval | None = None) -> Row:
    why = (figure.coefficient.undefined, figure.would_define)
    shown = figure.interval if interval is None else interval
    return _row(part, figure.name, value=figure.value, interval=shown, n=figure.coefficient.n, why=why)


def _row(
    part: str,
    name: str,
    *,
    pair: tuple[str, str] | tuple[None, None] = (None, None),
    grades: tuple[int, int] | tuple[None, None] = (None, None),
    value: float | str | None = None,
    interval: Interval | None = None,
    n: int | None = None,
    working: str = "",
    why: tuple[str, str] = ("", ""),
) -> Row:
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return (part, name, *pair, *grades, value, low, high, n, working, *why, *drawn_cells(interval))
