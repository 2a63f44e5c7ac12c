"""LaTeX tables (booktabs): what every report on agreement writes them with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.agreement.report.how import How
from workbench.agreement.several.bootstrap import Interval
from workbench.agreement.several.bounds import NAMES, Bounds, method_of

_ESCAPED = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # What the working is written with.
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "²": "$^2$",
    "“": "``",
    "”": "''",
}
MOST_FLOATING = 45
"""Rows that fit on one page; a table of more goes on over pages."""


def document(*tables: str) -> str:
    """Tables one after the other, with the packages that they need said above them."""
    return "\n".join(("% needs \\usepackage{booktabs,longtable}", *tables))


def table(
    columns: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    caption: str,
    label: str,
    *,
    size: str = r"\small",
) -> str:
    """A floating table with rules of booktabs, or one that goes on over pages; cells are LaTeX already."""
    lines = [f"    {' & '.join(row)} \\\\" for row in rows]
    if len(lines) > MOST_FLOATING:
        return _long_table(columns, heads, lines, caption, label, size)
    body = "\n".join(lines)
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


def _long_table(
    columns: str, heads: Sequence[str], lines: Sequence[str], caption: str, label: str, size: str
) -> str:
    head = f"    {' & '.join(heads)} \\\\"
    return "\n".join(
        (
            rf"\begingroup{size}",
            f"\\begin{{longtable}}{{{columns}}}",
            f"    \\caption{{{caption}}}\\label{{{label}}} \\\\",
            r"    \toprule",
            head,
            r"    \midrule",
            r"    \endfirsthead",
            r"    \toprule",
            head,
            r"    \midrule",
            r"    \endhead",
            r"    \bottomrule",
            r"    \endfoot",
            *lines,
            r"\end{longtable}",
            r"\endgroup",
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
    return "" if interval is None else between(interval.low, interval.high, places)


def between(low: float | None, high: float | None, places: int = 3) -> str:
    """The same from the two bounds; nothing where there are none."""
    return "" if low is None or high is None else f"[{number(low, places)}, {number(high, places)}]"


def how_drawn(how: How, *, over: str | None = None) -> str:
    """How intervals were found, as a sentence of a caption; `over` is said instead of the chosen unit."""
    weights = f"{how.weights_name} weights; " if how.weighted and over is None else ""
    method = method_of(over or how.unit, how.bounds)
    return drawn(weights + method, level=how.confidence, rounds=how.rounds, seed=how.seed)


def drawn(method: str, *, level: float, rounds: int, seed: int) -> str:
    """The same where intervals have a method by name; nothing where there are none."""
    source = " (Hesterberg 2015)" if method.endswith(NAMES[Bounds.EXPANDED]) else ""
    said = f"{percent(level)} intervals: {method}{source}, {rounds:,} rounds, seed {seed}."
    return said if method else ""


def percent(level: float) -> str:
    """A confidence level as `95 %`."""
    return f"{100 * level:g}\\,\\%"
