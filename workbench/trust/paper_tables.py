"""The tables of trust as a paper has them: each value with its interval, in LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from workbench.latex import between, escaped, number, table

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
    found: Table, columns: Sequence[PaperColumn], caption: str, label: str, *, most: int | None = None
) -> str:
    """The columns chosen of a table, of its first `most` rows; texts left, numbers right.

    Raises ValueError for a column that the table does not have.
    """
    names, rows = found
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
