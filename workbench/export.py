"""One result for other programs: as CSV, as JSON, as LaTeX; the only place that writes CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True, slots=True)
class Export:
    """A result in the forms that other programs read, each made when it is asked for.

    `columns` and `rows` are the table for CSV, `data` the plain data for JSON. `latex` is None where a result
    has no table for a paper.
    """

    columns: tuple[str, ...]
    rows: Callable[[], Iterable[Sequence[object]]]
    data: Callable[[], object]
    latex: Callable[[], str] | None = None

    def csv(self) -> bytes:
        """The table as CSV with all digits."""
        return csv_bytes(self.columns, self.rows())

    def json(self) -> bytes:
        """The data as one line of JSON; an id with bytes that are not UTF-8 keeps them as lone surrogates."""
        return json.dumps(self.data(), ensure_ascii=True, allow_nan=False).encode()


def table_export(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Export:
    """A table whose JSON is one object a row, by the names of its columns."""
    return Export(tuple(columns), lambda: rows, partial(_records, tuple(columns), rows))


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[object]], *, separator: str = ",") -> bytes:
    """A table as CSV: None is an empty cell, numbers have all their digits, ids keep their bytes.

    Lines end with a line feed alone, which spreadsheets read as well as `cut` and `awk` do.
    """
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8", "surrogateescape")


def _records(columns: tuple[str, ...], rows: Iterable[Sequence[object]]) -> list[dict[str, object]]:
    return [dict(zip(columns, row, strict=True)) for row in rows]
