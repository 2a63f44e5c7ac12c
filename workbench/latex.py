"""LaTeX: tables with rules of booktabs, and the text and numbers of their cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

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


def between(low: float | None, high: float | None, places: int = 3) -> str:
    """The same from the two bounds; nothing where there are none."""
    return "" if low is None or high is None else f"[{number(low, places)}, {number(high, places)}]"


def percent(level: float) -> str:
    """A confidence level as `95 %`."""
    return f"{100 * level:g}\\,\\%"


Row = Sequence[object]
Table = tuple[tuple[str, ...], Sequence[Row]]
"""The names of the columns, and the rows, as CSV has them."""


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """A column of an exported table by its name: its heading in LaTeX, and its decimals.

    The values of the columns `low` and `high`, where there are such, stand behind it in brackets.
    """

    name: str
    head: str
    places: int = 3
    low: str = ""
    high: str = ""


def bounded(name: str, head: str, places: int = 3, *, prefix: str | None = None) -> PaperColumn:
    """A column whose interval is in `<prefix>low` and `<prefix>high`; the prefix is `<name>_` by default."""
    before = f"{name}_" if prefix is None else prefix
    return PaperColumn(name, head, places, f"{before}low", f"{before}high")


def paper_table(
    found: Table, chosen: Sequence[str | PaperColumn], caption: str, label: str, *, most: int | None = None
) -> str:
    """The columns chosen of a table, of its first `most` rows; texts left, numbers right.

    A column that is chosen by its name alone has this as its heading. Raises ValueError for a column that
    the table does not have.
    """
    names, rows = found
    columns = [
        one if isinstance(one, PaperColumn) else PaperColumn(one, one.replace("_", " ").capitalize())
        for one in chosen
    ]
    places = {name: place for place, name in enumerate(names)}
    if unknown := {name for one in columns for name in (one.name, one.low, one.high) if name} - places.keys():
        raise ValueError(f"no columns {', '.join(sorted(unknown))}")
    shown = list(islice(rows, most))
    aligned = "".join("l" if _texts(shown, places[one.name]) else "r" for one in columns)
    cells = [[_cell(row, one, places) for one in columns] for row in shown]
    size = r"\scriptsize" if len(columns) > _WIDE else r"\small"
    return table(aligned, [one.head for one in columns], cells, caption, label, size=size)


_WIDE = 6
"""More columns than these take small letters to fit the width of a page."""


def _texts(rows: Sequence[Row], place: int) -> bool:
    return any(isinstance(row[place], str) for row in rows)


def _cell(row: Row, column: PaperColumn, places: Mapping[str, int]) -> str:
    value = row[places[column.name]]
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, float):
        shown = number(value, column.places)
    else:
        shown = "--" if value is None else f"{value:,}"
    if not column.low:
        return shown
    low, high = (row[places[name]] for name in (column.low, column.high))
    if not isinstance(low, float | int) or not isinstance(high, float | int):
        return shown
    return f"{shown} {between(low, high, column.places)}"
