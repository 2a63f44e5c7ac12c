"""LaTeX tables (booktabs) of agreement, with captions that name the pairs included and the intervals."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.agreement.coefficients import shown_in
from workbench.agreement.coefficients.coefficient import Shown
from workbench.agreement.estimates import Estimate
from workbench.agreement.intervals import Interval
from workbench.agreement.jackknife import METHOD
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pairwise import PairwiseMean
from workbench.agreement.report import AgreementReport, Matrix
from workbench.agreement.selection import Selection
from workbench.agreement.thresholds import Threshold
from workbench.latex import between, document, escaped, number, percent, table


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
