"""A report as LaTeX tables (booktabs) with captions that say what entered and how intervals were found."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.agreement.report.figures import Figure
from workbench.agreement.report.how import How
from workbench.agreement.report.latex_table import bounds, document, escaped, how_drawn, number, table
from workbench.agreement.report.matrix import Matrix
from workbench.agreement.report.overview import Together
from workbench.agreement.report.thresholds import Threshold
from workbench.agreement.report.two import MeanOfTwo
from workbench.agreement.several.entering import Entering

_PAIRED = ("observed", "pooled", "unpooled", "alpha", "gwet")
_AT_A_LINE = ("observed", "pooled", "unpooled", "gwet")
_HEADS = ("Assessors", "$n$", "Observed", r"Pooled $\kappa$", r"Unpooled $\kappa$", r"$\alpha$", "AC")


def report_latex(report: Together) -> str:
    """Tables of all, every two assessors, overlaps, grades, lines of relevance, and who is strict."""
    tables = [_of_all(report), _of_pairs(report), _of_overlaps(report), _of_grades(report)]
    if report.thresholds:
        tables.append(thresholds_latex(report.thresholds, report.how))
    return document(*tables, _of_strictness(report))


def matrix_latex(found: Matrix, entering: Entering, how: How, by: str) -> str:
    """The matrix of assessors by one coefficient, ordered as it is; what is undefined is a dash."""
    names = [escaped(entering.assessors[place].name) for place in found.order]
    rows = [
        (
            name,
            *(
                "" if two is None else number(two.figure(by).value, 2)
                for two in (found.at(row, column) for column in found.order)
            ),
        )
        for name, row in zip(names, found.order, strict=True)
    ]
    label = escaped(next(iter(found.pairs.values())).figure(by).label)
    caption = (
        f"{label} of every two assessors, those who judge alike side by side: {escaped(entering.sentence)}; "
        f"{entering.grades_in_words}."
    )
    weights = f" With {how.weights_name} weights." if how.weighted else ""
    columns, label = f"l{'r' * len(names)}", "tab:agreement-matrix"
    turned = [rf"\rotatebox{{90}}{{{name}}}" for name in names]
    made = table(columns, ("", *turned), rows, caption + weights, label, size=r"\footnotesize")
    return f"% needs \\usepackage{{graphicx}}\n{document(made)}"


def figures_latex(found: Sequence[Figure], entering: Entering, how: How) -> str:
    """The coefficients of all together alone."""
    return document(_coefficients(found, (), entering, how))


def _of_all(report: Together) -> str:
    means = report.means if len(report.entering.assessors) > 2 else ()
    return _coefficients(report.figures, means, report.entering, report.how)


def _coefficients(found: Sequence[Figure], means: Sequence[MeanOfTwo], entering: Entering, how: How) -> str:
    rows: list[Sequence[str]] = [
        (
            escaped(one.label),
            number(one.value),
            bounds(one.interval),
            f"{one.coefficient.n:,}",
            str(one.band or "--"),
        )
        for one in found
    ]
    rows += [
        (escaped(one.label), number(one.value), bounds(one.interval), f"{one.pairs:,} pairs", "--")
        for one in means
    ]
    caption = (
        f"Agreement of {len(entering.assessors)} assessors: {escaped(entering.sentence)}; "
        f"{entering.grades_in_words}. {how_drawn(how)} Bands after Landis and Koch (1977)."
    )
    heads = ("Coefficient", "Value", f"{100 * how.confidence:g}\\,\\% interval", "$n$", "Band")
    return table("lrrrl", heads, rows, caption, "tab:agreement")


def _of_pairs(report: Together) -> str:
    names = [escaped(voice.name) for voice in report.entering.assessors]
    rows = [
        (
            f"{names[two.first]}, {names[two.second]}",
            f"{two.n:,}",
            *(
                f"{number(two.figure(name).value)} {bounds(two.figure(name).interval, places=2)}"
                for name in _PAIRED
            ),
        )
        for two in report.pairs
    ]
    caption = f"Agreement of every two assessors; {report.entering.grades_in_words}. {how_drawn(report.how)}"
    return table("lrrrrrr", _HEADS, rows, caption, "tab:agreement-pairs", size=r"\footnotesize")


def _of_overlaps(report: Together) -> str:
    names = [escaped(voice.name) for voice in report.entering.assessors]
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
        f"all judged; relevant from grade {report.entering.relevant_from}. "
        f"{how_drawn(report.how, over='topic')}"
    )
    heads = ("Assessors", "Mean over topics", "", "Topics together", "", "Topics")
    return table("lrrrrr", heads, rows, caption, "tab:agreement-overlap", size=r"\footnotesize")


def _of_grades(report: Together) -> str:
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
        f"the grade against all others. {how_drawn(report.how)}"
    )
    heads = ("Grade", "Given", "Given too", "", r"$\kappa$ against the rest", "")
    return table("lrrrrr", heads, rows, caption, "tab:agreement-grades")


def thresholds_latex(found: Sequence[Threshold], how: How) -> str:
    """The same agreement at every line between relevant and not."""
    rows = [
        (
            str(one.relevant_from),
            *(
                f"{number(one.figure(name).value)} {bounds(one.figure(name).interval, places=2)}".rstrip()
                for name in _AT_A_LINE
            ),
            number(one.positive.specific.value),
            number(one.negative.specific.value),
            f"{number(one.overlap.value)} {bounds(one.overlap.interval, places=2)}".rstrip(),
            number(one.prevalence),
        )
        for one in found
    ]
    caption = (
        "Agreement by the lowest grade that counts as relevant: coefficients, positive and negative "
        f"agreement, mean overlap of every two assessors, prevalence index. {how_drawn(how)}"
    )
    heads = ("From", "Observed", r"Pooled $\kappa$", r"Unpooled $\kappa$", "AC1", "Pos.", "Neg.", "Overlap")
    return table("lrrrrrrrr", (*heads, "Prev."), rows, caption, "tab:agreement-lines", size=r"\footnotesize")


def _of_strictness(report: Together) -> str:
    rows = [
        (
            escaped(report.entering.assessors[one.assessor].name),
            f"{one.n:,}",
            number(one.own),
            number(one.others),
            number(one.difference),
            bounds(one.interval),
        )
        for one in report.strictness
    ]
    what = "mean grade" if report.entering.graded else "share of relevant"
    caption = (
        f"Strict and lenient assessors: the {what} of each against the mean of the others on the same pairs, "
        f"the strictest first; below 0 is stricter. {how_drawn(report.how, over='topic')}"
    )
    heads = ("Assessor", "$n$", "Own", "Others", "Difference", "")
    return table("lrrrrr", heads, rows, caption, "tab:agreement-strictness")
