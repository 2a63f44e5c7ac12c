"""The report, its coefficients alone and the matrix for other programs: CSV, JSON, and LaTeX for papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from workbench.agreement.coefficients import shown_in
from workbench.agreement.coefficients.coefficient import NOBODY, WOULD_DEFINE, Shown
from workbench.agreement.estimates import Estimate
from workbench.agreement.grades import WHY_NONE, GradeAgreement
from workbench.agreement.intervals import Interval
from workbench.agreement.jackknife import METHOD
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pairwise import PairwiseMean, Threshold
from workbench.agreement.report import AgreementReport, Matrix
from workbench.agreement.report_json import (
    estimate_data,
    matrix_data,
    options_data,
    report_data,
    selection_data,
)
from workbench.agreement.selection import Selection
from workbench.latex import between, document, escaped, number, percent, table
from workbench.tables import Export


def bounds(interval: Interval | None, places: int = 3) -> str:
    """`[low, high]`, or nothing."""
    return "" if interval is None else between(interval.low, interval.high, places)


def with_bounds(estimate: Estimate) -> str:
    """A value with its bounds in two decimals after it."""
    return f"{number(estimate.value)} {bounds(estimate.interval, places=2)}"


def interval_note(options: AgreementOptions) -> str:
    """How intervals were found, as a sentence of a caption."""
    weights = f" With {options.weights_in_words}." if options.weighted else ""
    return f"{percent(options.confidence)} intervals: {METHOD}.{weights}"


def report_latex(report: AgreementReport) -> str:
    """Tables of all, every two assessors, overlaps, grades, relevance thresholds, and who is strict."""
    tables = [_of_all(report), _of_pairs(report), _of_overlaps(report), _of_grades(report)]
    if report.thresholds:
        tables.append(thresholds_latex(report.thresholds, report.options))
    return document(*tables, _of_leniency(report))


def matrix_latex(found: Matrix) -> str:
    """The matrix of assessors by one coefficient, ordered as it is; what is undefined is a dash."""
    selection, options, by = found.selection, found.options, found.options.coefficient
    names = [escaped(selection.assessors[place].name) for place in found.order]
    rows = [
        (
            name,
            *(
                "" if two is None else number(two.estimate(by).value, 2)
                for two in (found.at(row, column) for column in found.order)
            ),
        )
        for name, row in zip(names, found.order, strict=True)
    ]
    label = escaped(next(iter(found.pairs.values())).estimate(by).label)
    caption = (
        f"{label} of every two assessors, those who judge alike side by side: {escaped(selection.sentence)}; "
        f"{selection.grades_in_words}."
    )
    weights = f" With {options.weights_in_words}." if options.weighted else ""
    columns, label = f"l{'r' * len(names)}", "tab:agreement-matrix"
    turned = [rf"\rotatebox{{90}}{{{name}}}" for name in names]
    made = table(columns, ("", *turned), rows, caption + weights, label, size=r"\footnotesize")
    return f"% needs \\usepackage{{graphicx}}\n{document(made)}"


def estimates_latex(found: Sequence[Estimate], selection: Selection, options: AgreementOptions) -> str:
    """The coefficients of all together alone."""
    return document(_coefficients(found, (), selection, options))


def _of_all(report: AgreementReport) -> str:
    means = report.means if len(report.selection.assessors) > 2 else ()
    return _coefficients(report.estimates, means, report.selection, report.options)


def _coefficients(
    found: Sequence[Estimate], means: Sequence[PairwiseMean], selection: Selection, options: AgreementOptions
) -> str:
    rows: list[Sequence[str]] = [
        (
            escaped(one.label),
            number(one.value),
            bounds(one.interval),
            f"{one.found.n:,}",
            str(one.band or "--"),
        )
        for one in found
    ]
    rows += [
        (escaped(one.label), number(one.value), bounds(one.interval), f"{one.pairs:,} pairs", "--")
        for one in means
    ]
    caption = (
        f"Agreement of {len(selection.assessors)} assessors: {escaped(selection.sentence)}; "
        f"{selection.grades_in_words}. {interval_note(options)} Bands after Landis and Koch (1977)."
    )
    heads = ("Coefficient", "Value", f"{100 * options.confidence:g}\\,\\% interval", "$n$", "Band")
    return table("lrrrl", heads, rows, caption, "tab:agreement")


def _of_pairs(report: AgreementReport) -> str:
    names = [escaped(one.name) for one in report.selection.assessors]
    shown = shown_in(Shown.OF_PAIRS)
    rows = [
        (
            f"{names[two.first]}, {names[two.second]}",
            f"{two.n:,}",
            *(with_bounds(two.estimate(one.name)) for one in shown),
        )
        for two in report.pairs
    ]
    compared, intervals = report.selection.grades_in_words, interval_note(report.options)
    caption = f"Agreement of every two assessors; {compared}. {intervals}"
    heads = ("Assessors", "$n$", *(one.latex for one in shown))
    return table(f"lr{'r' * len(shown)}", heads, rows, caption, "tab:agreement-pairs", size=r"\footnotesize")


def _of_overlaps(report: AgreementReport) -> str:
    names = [escaped(one.name) for one in report.selection.assessors]
    rows = [
        (
            ", ".join(names[at] for at in one.assessors),
            number(one.mean),
            bounds(one.mean_interval),
            number(one.together),
            bounds(one.together_interval),
            f"{len(one.by_topic) - one.empty:,}",
        )
        for one in (*report.overlaps, *report.triples)
    ]
    caption = (
        "Overlap of relevant sets (Voorhees 1998): of what any called relevant, how much all did, on what "
        f"all judged; relevant from grade {report.selection.relevant_from}. "
        f"{interval_note(report.options)}"
    )
    heads = ("Assessors", "Mean over topics", "", "Topics together", "", "Topics")
    return table("lrrrrr", heads, rows, caption, "tab:agreement-overlap", size=r"\footnotesize")


def _of_grades(report: AgreementReport) -> str:
    rows = [
        (
            str(one.grade),
            f"{one.given:,}",
            number(one.specific.value),
            bounds(one.interval),
            number(one.kappa.value),
            bounds(one.kappa_interval),
        )
        for one in report.scale_grades
    ]
    caption = (
        "Agreement by grade: where one gave it, the share of others who did too, and the pooled $\\kappa$ of "
        f"the grade against all others. {interval_note(report.options)}"
    )
    heads = ("Grade", "Given", "Given too", "", r"$\kappa$ against the rest", "")
    return table("lrrrrr", heads, rows, caption, "tab:agreement-grades")


def thresholds_latex(found: Sequence[Threshold], options: AgreementOptions) -> str:
    """The same agreement at every relevance threshold."""
    shown = [one.on_scale((1, 0)) for one in shown_in(Shown.EVERYWHERE)]
    rows = [
        (
            str(one.relevant_from),
            *(with_bounds(one.estimate(each.name)).rstrip() for each in shown),
            number(one.positive.specific.value),
            number(one.negative.specific.value),
            f"{number(one.overlap.value)} {bounds(one.overlap.interval, places=2)}".rstrip(),
            number(one.prevalence),
        )
        for one in found
    ]
    caption = (
        "Agreement by the lowest grade that counts as relevant: coefficients, positive and negative "
        f"agreement, mean overlap of every two assessors, prevalence index. {interval_note(options)}"
    )
    heads = ("From", *(one.latex for one in shown), "Pos.", "Neg.", "Overlap", "Prev.")
    columns = f"l{'r' * (len(shown) + 4)}"
    return table(columns, heads, rows, caption, "tab:agreement-lines", size=r"\footnotesize")


def _of_leniency(report: AgreementReport) -> str:
    rows = [
        (
            escaped(report.selection.assessors[one.assessor].name),
            f"{one.n:,}",
            number(one.own),
            number(one.others),
            number(one.difference),
            bounds(one.interval),
        )
        for one in report.leniency
    ]
    what = "mean grade" if report.selection.graded else "share of relevant"
    caption = (
        f"Strict and lenient assessors: the {what} of each against the mean of the others on the same pairs, "
        f"the strictest first; below 0 is stricter. {interval_note(report.options)}"
    )
    heads = ("Assessor", "$n$", "Own", "Others", "Difference", "")
    return table("lrrrrr", heads, rows, caption, "tab:agreement-strictness")


COLUMNS = (
    "of", "first", "second", "third", "relevant_from", "coefficient", "value", "low", "high", "n", "observed",
    "expected", "band_landis_koch", "analytic_low", "analytic_high", "undefined", "would_define", "interval",
    "level", "basis",
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


def report_rows(report: AgreementReport) -> Iterator[Row]:
    """All together, means over pairs, every two, every threshold, overlaps, grades and leniency."""
    names = [one.name for one in report.selection.assessors]
    # Every two share all their pairs: those judged once count towards the rest alone.
    basis, of_pairs = report.selection.basis_name, str(report.selection.basis)
    line = None if report.selection.graded else report.selection.relevant_from
    yield from estimate_rows(report.estimates, report.selection)
    for mean in report.means:
        yield (
            "mean over pairs", None, None, None, line, mean.name, mean.value, *bounds_cells(mean.interval),
            mean.pairs, None, None, None, None, None,
            "" if mean.pairs else "undefined for every two assessors",
            "" if mean.pairs else "two assessors for whom it is defined", *method_cells(mean.interval),
            of_pairs,
        )  # fmt: skip
    if len(report.grades) == 2:
        index = _index("prevalence", report.prevalence, report.selection.n_pairs)
        yield ("all", None, None, None, line, *index, basis)
    for two in report.pairs:
        two_names = (names[two.first], names[two.second], None)
        for estimate in two.estimates:
            yield ("pair", *two_names, line, *_estimate(estimate), of_pairs)
        for name in INDICES if two.view is not None else ():
            yield ("pair", *two_names, line, *_index(name, getattr(two.view, name), two.n), of_pairs)
    for threshold in report.thresholds:
        for estimate in threshold.estimates:
            yield ("threshold", None, None, None, threshold.relevant_from, *_estimate(estimate), basis)
        for name, grade in (("positive", threshold.positive), ("negative", threshold.negative)):
            yield (
                "threshold", None, None, None, threshold.relevant_from, INDICES[name],
                *_specific(grade), basis,
            )  # fmt: skip
        n = threshold.estimate("observed").found.n
        index = _index("prevalence", threshold.prevalence, n)
        yield ("threshold", None, None, None, threshold.relevant_from, *index, basis)
        yield (
            "threshold", None, None, None, threshold.relevant_from,
            *_overlap("overlap_mean_over_pairs", threshold.overlap.value, threshold.overlap.interval),
            of_pairs,
        )  # fmt: skip
    for overlap in (*report.overlaps, *report.triples):
        who = [*(names[number] for number in overlap.assessors), None][:3]
        for name, value, interval in (
            ("overlap_mean_over_topics", overlap.mean, overlap.mean_interval),
            ("overlap_topics_together", overlap.together, overlap.together_interval),
        ):
            n = len(overlap.by_topic) - overlap.empty
            cells = _overlap(name, value, interval, n)
            yield ("overlap", *who, report.selection.relevant_from, *cells, of_pairs)
    for grade in report.scale_grades:
        yield ("grade", None, None, None, grade.grade, "specific", *_specific(grade), basis)
        kappa = grade.kappa
        yield (
            "grade", None, None, None, grade.grade, "kappa_against_the_rest", kappa.value,
            *bounds_cells(grade.kappa_interval), kappa.n, kappa.observed, kappa.expected, None, None, None,
            kappa.undefined, kappa.would_define, *method_cells(grade.kappa_interval), basis,
        )  # fmt: skip
    for one in report.leniency:
        why = ("", "") if one.n else ("shares no pair with anybody", WOULD_DEFINE[NOBODY])
        yield (
            "assessor", names[one.assessor], None, None, line, "strictness", one.difference,
            *bounds_cells(one.interval), one.n, one.own, one.others, None, None, None, *why,
            *method_cells(one.interval), of_pairs,
        )  # fmt: skip


def estimate_rows(found: Sequence[Estimate], selection: Selection) -> Iterator[Row]:
    """The coefficients of all together alone, as rows of the same COLUMNS."""
    line = None if selection.graded else selection.relevant_from
    for estimate in found:
        yield ("all", None, None, None, line, *_estimate(estimate), selection.basis_name)


def matrix_columns(found: Matrix) -> tuple[str, ...]:
    """Who stands above the columns of the matrix."""
    return ("assessor", *(found.selection.assessors[number].name for number in found.order))


def matrix_rows(found: Matrix) -> Iterator[Row]:
    """The matrix row by row, the name first; what is undefined and the diagonal is empty."""
    for row in found.order:
        cells = (found.at(row, column) for column in found.order)
        values = (None if two is None else two.estimate(found.options.coefficient).value for two in cells)
        yield (found.selection.assessors[row].name, *values)


def _estimate(estimate: Estimate) -> Row:
    found = estimate.found
    return (
        found.name, found.value, *bounds_cells(estimate.interval), found.n, found.observed, found.expected,
        estimate.band, *bounds_cells(estimate.analytic), found.undefined, estimate.found.would_define,
        *method_cells(estimate.interval),
    )  # fmt: skip


def _overlap(name: str, value: float | None, interval: Interval | None, n: int | None = None) -> Row:
    """An overlap; `n` counts the topics that have one."""
    undefined = "nobody called anything relevant that all judged" if value is None else ""
    would = "a document that one of them calls relevant" if value is None else ""
    return (
        name, value, *bounds_cells(interval), n, None, None, None, None, None, undefined, would,
        *method_cells(interval),
    )  # fmt: skip


def _index(name: str, value: float | None, n: int) -> Row:
    """A part of the close look at two grades: `n` pairs, no interval, and why there is none."""
    why = WHY_NONE[name] if value is None else ("", "")
    return (INDICES[name], value, None, None, n, *([None] * 5), *why, *method_cells(None))


def _specific(one: GradeAgreement) -> Row:
    found = one.specific
    return (
        found.value, *bounds_cells(one.interval), one.given, None, None, None, None, None, found.undefined,
        found.would_define, *method_cells(one.interval),
    )  # fmt: skip


def bounds_cells(interval: Interval | None) -> tuple[float | None, float | None]:
    """The bounds of an interval, empty where there are none."""
    return (None, None) if interval is None else (interval.low, interval.high)


def method_cells(interval: Interval | None) -> Row:
    """How an interval was found: its method and level, empty where there is none."""
    return (None, None) if interval is None else (interval.method, interval.level)


def report_export(report: AgreementReport) -> Export:
    """Everything about all assessors together."""
    return Export(
        COLUMNS, partial(report_rows, report), partial(report_data, report), partial(report_latex, report)
    )


def coefficients_export(found: Sequence[Estimate], selection: Selection, options: AgreementOptions) -> Export:
    """The coefficients alone."""

    def data() -> dict[str, object]:
        coefficients = {one.name: estimate_data(one) for one in found}
        return {
            "entered": selection_data(selection),
            "how": options_data(options),
            "coefficients": coefficients,
        }

    return Export(
        COLUMNS,
        partial(estimate_rows, found, selection),
        data,
        partial(estimates_latex, found, selection, options),
    )


def matrix_export(found: Matrix) -> Export:
    """Every assessor with every other by one coefficient."""
    return Export(
        matrix_columns(found),
        partial(matrix_rows, found),
        partial(matrix_data, found),
        partial(matrix_latex, found),
    )
