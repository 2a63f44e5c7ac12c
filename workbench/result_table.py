"""Results as tables: notebooks show them, and pandas or polars have them as data frames where installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

SHOWN_ROWS = 20
"""Of a result in a notebook: a run can have millions."""


@dataclass(frozen=True, slots=True)
class ResultRows:
    """A table: its caption, its columns and its `count` rows, which are read once."""

    caption: str
    columns: tuple[str, ...]
    rows: Iterable[Sequence[object]]
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
