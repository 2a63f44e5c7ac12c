"""A report as LaTeX tables (booktabs) with captions that say what entered and how intervals were found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.agreement.report.how import How
from workbench.agreement.report.overview import Together
from workbench.agreement.several.bootstrap import Interval

_ESCAPED = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_PAIRED = ("observed", "pooled", "unpooled", "alpha", "gwet")
_HEADS = ("Assessors", "$n$", "Observed", r"Pooled $\kappa$", r"Unpooled $\kappa$", r"$\alpha$", "AC")


def report_latex(report: Together) -> str:
    """Tables of all together, every two assessors, overlaps and grades; needs the package booktabs."""
    tables = (_of_all(report), _of_pairs(report), _of_overlaps(report), _of_grades(report))
    return "\n".join(("% needs \\usepackage{booktabs}", *tables))


def _of_all(report: Together) -> str:
    rows: list[Sequence[str]] = [
        (
            escaped(one.label),
            number(one.value),
            bounds(one.interval),
            f"{one.coefficient.n:,}",
            str(one.band or "--"),
        )
        for one in report.figures
    ]
    if len(report.entering.assessors) > 2:
        rows += [
            (escaped(one.label), number(one.value), bounds(one.interval), f"{one.pairs:,} pairs", "--")
            for one in report.means
        ]
    caption = (
        f"Agreement of {len(report.entering.assessors)} assessors: {escaped(report.entering.sentence)}; "
        f"{_what(report)}. {_how(report.how)} Bands after Landis and Koch (1977)."
    )
    heads = ("Coefficient", "Value", f"{100 * report.how.confidence:g}\\,\\% interval", "$n$", "Band")
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
    caption = f"Agreement of every two assessors; {_what(report)}. {_how(report.how)}"
    return table("lrrrrrr", _HEADS, rows, caption, "tab:agreement-pairs", size=r"\footnotesize")


def _of_overlaps(report: Together) -> str:
    names = [escaped(voice.name) for voice in report.entering.assessors]
    rows = [
        (
            ", ".join(names[number] for number in one.assessors),
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
        f"all judged; relevant from grade {report.entering.relevant_from}. {_how(report.how, over='topic')}"
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
        f"the grade against all others. {_how(report.how)}"
    )
    heads = ("Grade", "Given", "Given too", "", r"$\kappa$ against the rest", "")
    return table("lrrrrr", heads, rows, caption, "tab:agreement-grades")


def table(
    columns: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    caption: str,
    label: str,
    *,
    size: str = r"\small",
) -> str:
    """A floating table with rules of booktabs; cells are LaTeX already."""
    body = "\n".join(f"    {' & '.join(row)} \\\\" for row in rows)
    return "\n".join(
        (
            r"\begin{table}",
            f"  \\centering{size}",
            f"  \\caption{{{caption}}}",
            f"  \\label{{{label}}}",
            f"  \\begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            f"    {' & '.join(heads)} \\\\",
            r"    \midrule",
            body,
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        )
    )


def escaped(text: str) -> str:
    """Text in which nothing is a command; a byte that was no UTF-8 becomes a question mark."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(_ESCAPED.get(mark, mark) for mark in plain)


def number(value: float | None, places: int = 3) -> str:
    """So many decimals with a true minus, or a dash where there is no value."""
    if value is None:
        return "--"
    shown = f"{value:.{places}f}"
    return f"$-${shown[1:]}" if shown.startswith("-") and float(shown) else shown.lstrip("-")


def bounds(interval: Interval | None, places: int = 3) -> str:
    """`[low, high]`, or nothing."""
    if interval is None or interval.low is None:
        return ""
    return f"[{number(interval.low, places)}, {number(interval.high, places)}]"


def _what(report: Together) -> str:
    entering = report.entering
    if entering.graded:
        return f"grades {', '.join(map(str, sorted(entering.by_grade.categories)))}"
    return f"relevant from grade {entering.relevant_from} or not"


def _how(how: How, *, over: str | None = None) -> str:
    weights = f"{how.weights_name} weights; " if how.weighted and over is None else ""
    unit = over or how.unit
    return f"Intervals: {weights}percentile bootstrap over {unit}s, {how.rounds:,} rounds, seed {how.seed}."
