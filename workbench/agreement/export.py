"""The report, its coefficients alone and the matrix for other programs: CSV, JSON, and LaTeX for papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial

from workbench.agreement.coefficient import NOBODY, WOULD_DEFINE, CoefficientValue, Shown
from workbench.agreement.coefficients import shown_in
from workbench.agreement.estimates import Estimate
from workbench.agreement.grades import WHY_NONE, BinaryView, GradeAgreement
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
from workbench.tables import Export, between, document, escaped, number, percent, table


def bounds(interval: Interval | None, places: int = 3) -> str:
    """`[low, high]`, or nothing."""
    return "" if interval is None else between(interval.low, interval.high, places)


def with_bounds(estimate: Estimate) -> str:
    """A value with its bounds in two decimals after it."""
    return f"{number(estimate.value)} {bounds(estimate.interval, places=2)}"


def interval_note(options: AgreementOptions) -> str:
    """How intervals were found, as a sentence of a caption."""
    return f"{percent(options.confidence)} intervals: {METHOD}.{_weights_note(options)}"


def _weights_note(options: AgreementOptions) -> str:
    return f" With {options.weights_in_words}." if options.weighted else ""


def report_latex(report: AgreementReport) -> str:
    """Tables of all, every two assessors, overlaps, grades, relevance thresholds, and who is strict."""
    means = report.means if len(report.selection.assessors) > 2 else ()
    tables = [
        _coefficients(report.estimates, means, report.selection, report.options),
        _of_pairs(report),
        _of_overlaps(report),
        _of_grades(report),
    ]
    if report.thresholds:
        tables.append(thresholds_latex(report.thresholds, report.options))
    return document(*tables, _of_leniency(report))


def matrix_latex(found: Matrix) -> str:
    """The matrix of assessors by one coefficient, ordered as it is; what is undefined is a dash."""
    selection, options, by = found.selection, found.options, found.options.coefficient
    names = [escaped(selection.assessors[place].name) for place in found.order]
    rows = []
    for name, row in zip(names, found.order, strict=True):
        several = (found.at(row, column) for column in found.order)
        rows.append((name, *(number(two.estimate(by).value, 2) if two else "" for two in several)))
    label = escaped(next(iter(found.pairs.values())).estimate(by).label)
    caption = (
        f"{label} of every two assessors, similar ones side by side: {escaped(selection.sentence)}; "
        f"{selection.grades_in_words}."
    )
    turned = [rf"\rotatebox{{90}}{{{name}}}" for name in names]
    made = table(
        f"l{'r' * len(names)}",
        ("", *turned),
        rows,
        caption + _weights_note(options),
        "tab:agreement-matrix",
        size=r"\footnotesize",
    )
    return f"% needs \\usepackage{{graphicx}}\n{document(made)}"


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
        "Overlap of relevant sets (Voorhees 1998): of the documents that any of them called relevant, the "
        "share that all did, among those that all judged; relevant from grade "
        f"{report.selection.relevant_from}. "
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
        "Agreement by grade: where one assessor gave it, the share of others who did too, and the pooled "
        "$\\kappa$ of "
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


Cells = dict[str, object]


def report_rows(report: AgreementReport) -> Iterator[Row]:
    """All together, means over pairs, every two, every threshold, overlaps, grades and leniency."""
    selection = report.selection
    names = [one.name for one in selection.assessors]
    of_all = _of_everything(selection)
    # Every two share all their pairs: those judged once count towards the rest alone.
    of_pairs = of_all | {"basis": str(selection.basis)}
    yield from estimate_rows(report.estimates, selection)
    for mean in report.means:
        cells: Cells = {
            "of": "mean over pairs",
            "coefficient": mean.name,
            "value": mean.value,
            "n": mean.pairs,
        }
        if not mean.pairs:
            cells["undefined"] = "undefined for every pair of assessors"
            cells["would_define"] = "two assessors for whom it is defined"
        yield row_of(COLUMNS, of_pairs | cells, mean.interval)
    if len(report.grades) == 2:
        yield _index(of_all, "prevalence", report.prevalence, selection.n_pairs)
    for two in report.pairs:
        both = of_pairs | {"of": "pair", "first": names[two.first], "second": names[two.second]}
        for estimate in two.estimates:
            yield _estimate(both, estimate)
        for name, value in indices(two.view):
            yield _index(both, name, value, two.n)
    for threshold in report.thresholds:
        here = of_all | {"of": "threshold", "relevant_from": threshold.relevant_from}
        for estimate in threshold.estimates:
            yield _estimate(here, estimate)
        for name, grade in (("positive", threshold.positive), ("negative", threshold.negative)):
            yield _specific(here | {"coefficient": INDICES[name]}, grade)
        yield _index(here, "prevalence", threshold.prevalence, threshold.estimate("observed").found.n)
        cells = here | {"basis": of_pairs["basis"], "coefficient": "overlap_mean_over_pairs"}
        yield _overlap(cells, threshold.overlap.value, threshold.overlap.interval)
    for overlap in (*report.overlaps, *report.triples):
        who = zip(("first", "second", "third"), (names[number] for number in overlap.assessors), strict=False)
        n = len(overlap.by_topic) - overlap.empty
        cells = of_pairs | dict(who) | {"of": "overlap", "relevant_from": selection.relevant_from, "n": n}
        yield _overlap(
            cells | {"coefficient": "overlap_mean_over_topics"}, overlap.mean, overlap.mean_interval
        )
        cells["coefficient"] = "overlap_topics_together"
        yield _overlap(cells, overlap.together, overlap.together_interval)
    for grade in report.scale_grades:
        here = of_all | {"of": "grade", "relevant_from": grade.grade}
        yield _specific(here | {"coefficient": "specific"}, grade)
        cells = here | {"coefficient": "kappa_against_the_rest"}
        yield row_of(COLUMNS, cells | value_cells(grade.kappa), grade.kappa_interval)
    for one in report.leniency:
        cells = {"of": "assessor", "first": names[one.assessor], "coefficient": "strictness", "n": one.n}
        cells |= {"value": one.difference, "observed": one.own, "expected": one.others}
        if not one.n:
            cells |= {"undefined": "shares no pair with anybody", "would_define": WOULD_DEFINE[NOBODY]}
        yield row_of(COLUMNS, of_pairs | cells, one.interval)


def estimate_rows(found: Sequence[Estimate], selection: Selection) -> Iterator[Row]:
    """The coefficients of all together alone, as rows of the same COLUMNS."""
    return (_estimate(_of_everything(selection), estimate) for estimate in found)


def matrix_rows(found: Matrix) -> Iterator[Row]:
    """The matrix row by row, the name first; what is undefined and the diagonal is empty."""
    for row in found.order:
        cells = (found.at(row, column) for column in found.order)
        values = (None if two is None else two.estimate(found.options.coefficient).value for two in cells)
        yield (found.selection.assessors[row].name, *values)


def indices(view: BinaryView | None) -> list[tuple[str, float | None]]:
    """The parts of a close look that INDICES names; nothing where there is none."""
    return [] if view is None else [one for one in asdict(view).items() if one[0] in INDICES]


def row_of(columns: Sequence[str], cells: Cells, interval: Interval | None = None) -> Row:
    """A row by the names of its columns; what is not named is empty."""
    known: Cells = {"working": "", "undefined": "", "would_define": "", **cells}
    known["low"], known["high"] = bounds_cells(interval)
    known["interval"], known["level"] = method_cells(interval)
    return tuple(map(known.get, columns))


def value_cells(found: CoefficientValue) -> Cells:
    """The cells of the value of a coefficient."""
    return {
        "value": found.value,
        "n": found.n,
        "observed": found.observed,
        "expected": found.expected,
        "undefined": found.undefined,
        "would_define": found.would_define,
    }


def part_cells(name: str, value: float | None, n: int | None) -> Cells:
    """The cells of a part of the close look at two grades of `n` pairs: if it is None, why."""
    undefined, would_define = WHY_NONE[name] if value is None else ("", "")
    return {"value": value, "n": n, "undefined": undefined, "would_define": would_define}


def _of_everything(selection: Selection) -> Cells:
    line = None if selection.graded else selection.relevant_from
    return {"of": "all", "relevant_from": line, "basis": selection.basis_name}


def _estimate(cells: Cells, estimate: Estimate) -> Row:
    low, high = bounds_cells(estimate.analytic)
    cells = cells | {"coefficient": estimate.name, "band_landis_koch": estimate.band}
    cells |= {"analytic_low": low, "analytic_high": high, **value_cells(estimate.found)}
    return row_of(COLUMNS, cells, estimate.interval)


def _overlap(cells: Cells, value: float | None, interval: Interval | None) -> Row:
    cells |= {"value": value}
    if value is None:
        cells["undefined"] = "nobody called relevant any document that all judged"
        cells["would_define"] = "a document that one of them calls relevant"
    return row_of(COLUMNS, cells, interval)


def _index(cells: Cells, name: str, value: float | None, n: int) -> Row:
    return row_of(COLUMNS, cells | {"coefficient": INDICES[name]} | part_cells(name, value, n))


def _specific(cells: Cells, one: GradeAgreement) -> Row:
    found = value_cells(one.specific) | {"n": one.given, "observed": None}
    return row_of(COLUMNS, cells | found, one.interval)


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
        return {
            "entered": selection_data(selection),
            "how": options_data(options),
            "coefficients": {one.name: estimate_data(one) for one in found},
        }

    def latex() -> str:
        return document(_coefficients(found, (), selection, options))

    return Export(COLUMNS, partial(estimate_rows, found, selection), data, latex)


def matrix_export(found: Matrix) -> Export:
    """Every assessor with every other by one coefficient."""
    return Export(
        ("assessor", *(found.selection.assessors[number].name for number in found.order)),
        partial(matrix_rows, found),
        partial(matrix_data, found),
        partial(matrix_latex, found),
    )
