"""A result as a table: rows for notebooks and data frames, CSV, JSON, LaTeX; nothing else writes CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, islice
from typing import Any, TypeVar

from workbench.frozen import frozen_dataclass

Found = TypeVar("Found")
Row = Sequence[object]
SHOWN_ROWS = 20
"""Of a result in a notebook: a run can have millions."""


@frozen_dataclass
class ResultRows:
    """A table: its caption, its columns and its `count` rows, which are read once."""

    caption: str
    columns: tuple[str, ...]
    rows: Iterable[Row]
    count: int


class ResultTable(ABC):
    """A result that is a table as well; a class of results gives `table`, and has the rest."""

    __slots__ = ()

    @abstractmethod
    def table(self) -> ResultRows:
        """The result as a table."""

    def to_pandas(self) -> Any:
        """The table as a DataFrame of pandas; raises ImportError where it is not installed."""
        found = self.table()
        return _library("pandas").DataFrame(list(found.rows), columns=list(found.columns))

    def to_polars(self) -> Any:
        """The table as a DataFrame of polars; raises ImportError where it is not installed."""
        found = self.table()
        return _library("polars").DataFrame(
            list(found.rows), schema=list(found.columns), orient="row", infer_schema_length=None
        )

    def _repr_html_(self) -> str:
        """The first rows as HTML, for notebooks."""
        found = self.table()
        head = "".join(f"<th>{_text(one)}</th>" for one in found.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{_text(one)}</td>' for one in row)}</tr>"
            for row in islice(found.rows, SHOWN_ROWS)
        )
        more = f"; the first {SHOWN_ROWS} of {found.count:,} rows" if found.count > SHOWN_ROWS else ""
        return (
            f"<table><caption>{_text(found.caption)}{more}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _library(name: str) -> Any:
    if find_spec(name) is None:
        raise ImportError(f"this data frame needs {name}: pip install {name}")
    return import_module(name)


def _text(value: object) -> str:
    """A cell: four decimals are enough to look at, and bytes that are not UTF-8 are shown as such."""
    if value is None:
        return ""
    shown = f"{value:.4f}" if isinstance(value, float) else str(value)
    return escape(shown.encode("utf-8", "backslashreplace").decode())


_FORMULA = re.compile(r"[=+\-@\t\n]")
Table = tuple[tuple[str, ...], Sequence[Row]]
"""The names of the columns, and the rows, as CSV has them."""
ROWS_OF_A_PART = 1000
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|-")


@frozen_dataclass
class Export:
    """A result in the forms that other programs read, each made when it is asked for.

    `columns` and `rows` are the table for CSV, `data` the plain data for JSON. `latex` is None where a result
    has no table for a paper.
    """

    columns: tuple[str, ...]
    rows: Callable[[], Iterable[Row]]
    data: Callable[[], object]
    latex: Callable[[], str] | None = None

    def csv(self) -> bytes:
        """The table as CSV with all digits."""
        return csv_bytes(self.columns, self.rows())

    def csv_parts(self) -> Iterator[bytes]:
        """The same in parts, for tables that may be long."""
        return csv_parts(self.columns, self.rows())

    def json(self) -> bytes:
        """The data as one line of JSON; an id with bytes that are not UTF-8 keeps them as lone surrogates."""
        return b"".join(self.json_parts())

    def json_parts(self) -> Iterator[bytes]:
        """The same in parts; the rows of a table become objects as they are written."""
        data = self.data if isinstance(self.data, _Records) else self.data()
        if not isinstance(data, _Records | list):
            yield _json(data)
            return
        objects, before = iter(data), b"["
        while portion := list(islice(objects, ROWS_OF_A_PART)):
            yield before + _json(portion)[1:-1]
            before = b", "
        yield b"]" if before == b", " else b"[]"


def table_export(columns: Sequence[str], rows: Sequence[Row]) -> Export:
    """A table whose JSON is one object a row, by the names of its columns."""
    return Export(tuple(columns), lambda: rows, _Records(tuple(columns), rows))


def result_export(
    found: Found, table: Table, data: Callable[[Found], object], latex: Callable[[Found], str] | None = None
) -> Export:
    """A result by one of its tables, with all of it as JSON, and as LaTeX where papers print it."""
    columns, rows = table
    return Export(columns, lambda: rows, partial(data, found), latex and partial(latex, found))


def csv_bytes(columns: Sequence[str], rows: Iterable[Row], *, read_back: bool = False) -> bytes:
    """A table as CSV: None is an empty cell, numbers have all their digits, ids keep their bytes.

    A text that a spreadsheet would take for a formula begins with an apostrophe, unless the file is to be
    `read_back` by a program. Lines end with a line feed alone, which spreadsheets read as well as `cut` does.
    """
    return b"".join(csv_parts(columns, rows, read_back=read_back))


def csv_parts(
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    separator: str = ",",
    read_back: bool = False,
) -> Iterator[bytes]:
    """What `csv_bytes` gives, in parts: no more than ROWS_OF_A_PART rows are in memory."""
    every = chain((columns,), rows)
    while portion := list(islice(every, ROWS_OF_A_PART)):
        text = io.StringIO()
        writer = csv.writer(text, delimiter=separator, lineterminator="\n")
        writer.writerows(row if read_back else map(inert, row) for row in portion)
        yield text.getvalue().encode("utf-8", "surrogateescape")


def inert(cell: object) -> object:
    """A cell that no spreadsheet calculates: an apostrophe comes before what it could take for a formula.

    As OWASP's page on CSV injection has it. Numbers stay numbers, also negative ones and as text.

    >>> [inert(cell) for cell in ("=1+1", "@SUM(A1)", "-2+3", "-2", -2, "a=b")]
    ["'=1+1", "'@SUM(A1)", "'-2+3", '-2', -2, 'a=b']
    """
    if not isinstance(cell, str):
        return cell
    # A carriage return is no reason for `csv` to quote a cell, but begins a new row in a spreadsheet.
    text = cell.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, allow_nan=False).encode()


@frozen_dataclass
class _Records:
    """The rows of a table as objects, all of them when called, or one by one."""

    columns: tuple[str, ...]
    rows: Iterable[Row]

    def __call__(self) -> list[dict[str, object]]:
        return list(self)

    def __iter__(self) -> Iterator[dict[str, object]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)


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
