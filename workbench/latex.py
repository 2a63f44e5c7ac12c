"""LaTeX: tables with rules of booktabs, and the text and numbers of their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_ESCAPED = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # What calculations are written with.
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
    """Tables one after the other, below a comment that names the packages they need."""
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
            "\n".join(lines),
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


def between(low: float | None, high: float | None, places: int = 3) -> str:
    """The same from the two bounds; nothing where there are none."""
    return "" if low is None or high is None else f"[{number(low, places)}, {number(high, places)}]"


def percent(level: float) -> str:
    """A confidence level as `95 %`."""
    return f"{100 * level:g}\\,\\%"
