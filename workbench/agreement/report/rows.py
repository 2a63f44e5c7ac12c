"""A report as rows of one table, for CSV: one row a coefficient, of all, of two, or at a threshold."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.agreement.report.figures import Figure
from workbench.agreement.report.matrix import Matrix
from workbench.agreement.report.overview import Together
from workbench.agreement.several.bootstrap import Interval
from workbench.agreement.several.entering import Entering

COLUMNS = (
    "of", "first", "second", "third", "relevant_from", "coefficient", "value", "low", "high", "n", "observed",
    "expected", "band_landis_koch", "analytic_low", "analytic_high", "undefined", "interval", "level",
    "rounds", "seed", "basis",
)  # fmt: skip
Row = tuple[object, ...]


def report_rows(report: Together) -> Iterator[Row]:
    """All together, means over pairs, every two, every threshold, overlaps, grades and strictness."""
    names = [voice.name for voice in report.entering.assessors]
    basis = str(report.entering.basis)
    line = None if report.entering.graded else report.entering.relevant_from
    for figure in report.figures:
        yield ("all", None, None, None, line, *_figure(figure), basis)
    for mean in report.means:
        yield (
            "mean over pairs", None, None, None, line, mean.name, mean.value, *_bounds(mean.interval),
            mean.pairs, None, None, None, None, None,
            "" if mean.pairs else "undefined for every two assessors", *_drawn(mean.interval), basis,
        )  # fmt: skip
    for two in report.pairs:
        for figure in two.figures:
            yield ("pair", names[two.first], names[two.second], None, line, *_figure(figure), basis)
    for threshold in report.thresholds:
        for figure in threshold.figures:
            yield ("threshold", None, None, None, threshold.relevant_from, *_figure(figure), basis)
        yield (
            "threshold", None, None, None, threshold.relevant_from,
            *_overlap("overlap_mean_over_pairs", threshold.overlap.value, threshold.overlap.interval), basis,
        )  # fmt: skip
    for overlap in (*report.overlaps, *report.triples):
        who = [*(names[number] for number in overlap.assessors), None][:3]
        for name, value, interval in (
            ("overlap_mean_over_topics", overlap.mean, overlap.mean_interval),
            ("overlap_topics_together", overlap.together, overlap.together_interval),
        ):
            n = len(overlap.by_topic) - overlap.empty
            yield ("overlap", *who, report.entering.relevant_from, *_overlap(name, value, interval, n), basis)
    for grade in report.scale_grades:
        yield (
            "grade", None, None, None, grade.grade, "specific", grade.specific.value,
            *_bounds(grade.interval), grade.given, None, None, None, None, None, grade.specific.undefined,
            *_drawn(grade.interval), basis,
        )  # fmt: skip
        kappa = grade.kappa
        yield (
            "grade", None, None, None, grade.grade, "kappa_against_the_rest", kappa.value,
            *_bounds(grade.kappa_interval), kappa.n, kappa.observed, kappa.expected, None, None, None,
            kappa.undefined, *_drawn(grade.kappa_interval), basis,
        )  # fmt: skip
    for one in report.strictness:
        yield (
            "assessor", names[one.assessor], None, None, line, "strictness", one.difference,
            *_bounds(one.interval), one.n, one.own, one.others, None, None, None,
            "" if one.n else "shares no pair with anybody", *_drawn(one.interval), basis,
        )  # fmt: skip


def matrix_rows(found: Matrix, entering: Entering, by: str) -> tuple[Row, ...]:
    """The matrix with names as first row and column; what is undefined and the diagonal is empty."""
    names = [entering.assessors[number].name for number in found.order]
    rows: list[Row] = [("assessor", *names)]
    for row, name in zip(found.order, names, strict=True):
        cells = [found.at(row, column) for column in found.order]
        rows.append((name, *(None if two is None else two.figure(by).value for two in cells)))
    return tuple(rows)


def _figure(figure: Figure) -> Row:
    found = figure.coefficient
    return (
        found.name, found.value, *_bounds(figure.interval), found.n, found.observed, found.expected,
        figure.band, *_bounds(figure.analytic), found.undefined, *_drawn(figure.interval),
    )  # fmt: skip


def _overlap(name: str, value: float | None, interval: Interval | None, n: int | None = None) -> Row:
    """An overlap; `n` counts the topics that have one."""
    undefined = "nobody called anything relevant that all judged" if value is None else ""
    return (
        name, value, *_bounds(interval), n, None, None, None, None, None, undefined, *_drawn(interval)
    )  # fmt: skip


def _bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _drawn(interval: Interval | None) -> Row:
    if interval is None:
        return (None, None, None, None)
    return interval.method, interval.level, interval.rounds, interval.seed
