"""A report as rows of one table, for CSV: one row a coefficient, of all, of two, or at a threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.agreement.report.figures import Figure
from workbench.agreement.report.grades import GradeAgreement
from workbench.agreement.report.matrix import Matrix
from workbench.agreement.report.overview import Together
from workbench.agreement.result import NOBODY, WOULD_DEFINE
from workbench.agreement.several.bootstrap import Interval
from workbench.agreement.several.entering import Entering
from workbench.agreement.specific import WHY_NONE

COLUMNS = (
    "of", "first", "second", "third", "relevant_from", "coefficient", "value", "low", "high", "n", "observed",
    "expected", "band_landis_koch", "analytic_low", "analytic_high", "undefined", "would_define", "interval",
    "level", "rounds", "seed", "basis",
)  # fmt: skip
Row = tuple[object, ...]
INDICES = {
    "positive": "positive_agreement",
    "negative": "negative_agreement",
    "prevalence": "prevalence_index",
    "bias": "bias_index",
    "precision": "precision_of_second",
    "recall": "recall_of_second",
}
"""What the parts of a close look at two grades are called in files; overlaps have rows of their own."""


def report_rows(report: Together) -> Iterator[Row]:
    """All together, means over pairs, every two, every threshold, overlaps, grades and strictness."""
    names = [voice.name for voice in report.entering.assessors]
    basis = str(report.entering.basis)
    line = None if report.entering.graded else report.entering.relevant_from
    yield from figure_rows(report.figures, report.entering)
    for mean in report.means:
        yield (
            "mean over pairs", None, None, None, line, mean.name, mean.value, *_bounds(mean.interval),
            mean.pairs, None, None, None, None, None,
            "" if mean.pairs else "undefined for every two assessors",
            "" if mean.pairs else "two assessors for whom it is defined", *drawn_cells(mean.interval), basis,
        )  # fmt: skip
    if len(report.grades) == 2:
        index = _index("prevalence", report.prevalence, report.entering.n_pairs)
        yield ("all", None, None, None, line, *index, basis)
    for two in report.pairs:
        two_names = (names[two.first], names[two.second], None)
        for figure in two.figures:
            yield ("pair", *two_names, line, *_figure(figure), basis)
        for name in INDICES if two.view is not None else ():
            yield ("pair", *two_names, line, *_index(name, getattr(two.view, name), two.n), basis)
    for threshold in report.thresholds:
        for figure in threshold.figures:
            yield ("threshold", None, None, None, threshold.relevant_from, *_figure(figure), basis)
        for name, grade in (("positive", threshold.positive), ("negative", threshold.negative)):
            yield (
                "threshold", None, None, None, threshold.relevant_from, INDICES[name],
                *_specific(grade), basis,
            )  # fmt: skip
        n = threshold.figure("observed").coefficient.n
        index = _index("prevalence", threshold.prevalence, n)
        yield ("threshold", None, None, None, threshold.relevant_from, *index, basis)
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
        yield ("grade", None, None, None, grade.grade, "specific", *_specific(grade), basis)
        kappa = grade.kappa
        yield (
            "grade", None, None, None, grade.grade, "kappa_against_the_rest", kappa.value,
            *_bounds(grade.kappa_interval), kappa.n, kappa.observed, kappa.expected, None, None, None,
            kappa.undefined, kappa.would_define, *drawn_cells(grade.kappa_interval), basis,
        )  # fmt: skip
    for one in report.strictness:
        why = ("", "") if one.n else ("shares no pair with anybody", WOULD_DEFINE[NOBODY])
        yield (
            "assessor", names[one.assessor], None, None, line, "strictness", one.difference,
            *_bounds(one.interval), one.n, one.own, one.others, None, None, None, *why,
            *drawn_cells(one.interval), basis,
        )  # fmt: skip


def figure_rows(found: Sequence[Figure], entering: Entering) -> Iterator[Row]:
    """The coefficients of all together alone, as rows of the same COLUMNS."""
    line = None if entering.graded else entering.relevant_from
    for figure in found:
        yield ("all", None, None, None, line, *_figure(figure), str(entering.basis))


def matrix_columns(found: Matrix, entering: Entering) -> tuple[str, ...]:
    """Who stands above the columns of the matrix."""
    return ("assessor", *(entering.assessors[number].name for number in found.order))


def matrix_rows(found: Matrix, entering: Entering, by: str) -> Iterator[Row]:
    """The matrix row by row, the name first; what is undefined and the diagonal is empty."""
    for row in found.order:
        cells = (found.at(row, column) for column in found.order)
        values = (None if two is None else two.figure(by).value for two in cells)
        yield (entering.assessors[row].name, *values)


def _figure(figure: Figure) -> Row:
    found = figure.coefficient
    return (
        found.name, found.value, *_bounds(figure.interval), found.n, found.observed, found.expected,
        figure.band, *_bounds(figure.analytic), found.undefined, figure.would_define,
        *drawn_cells(figure.interval),
    )  # fmt: skip


def _overlap(name: str, value: float | None, interval: Interval | None, n: int | None = None) -> Row:
    """An overlap; `n` counts the topics that have one."""
    undefined = "nobody called anything relevant that all judged" if value is None else ""
    would = "a document that one of them calls relevant" if value is None else ""
    return (
        name, value, *_bounds(interval), n, None, None, None, None, None, undefined, would,
        *drawn_cells(interval),
    )  # fmt: skip


def _index(name: str, value: float | None, n: int) -> Row:
    """A part of the close look at two grades: `n` pairs, no interval, and why there is none."""
    why = WHY_NONE[name] if value is None else ("", "")
    return (INDICES[name], value, None, None, n, *([None] * 5), *why, *drawn_cells(None))


def _specific(one: GradeAgreement) -> Row:
    found = one.specific
    return (
        found.value, *_bounds(one.interval), one.given, None, None, None, None, None, found.undefined,
        found.would_define, *drawn_cells(one.interval),
    )  # fmt: skip


def _bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def drawn_cells(interval: Interval | None) -> Row:
    """How an interval was found: its method, level, rounds and seed, empty where there is none."""
    if interval is None:
        return (None, None, None, None)
    return interval.method, interval.level, interval.rounds, interval.seed
