"""The rows of a table in the portable form: read in bounded memory, written as lines, counted and hashed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, LargeBinary, String, collate, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement

from workbench.errors import WorkbenchError
from workbench.outside import parsed_json
from workbench.storage.portable.schema import PortableTable
from workbench.storage.tables import Moment

Row = Sequence[Any]
Progress = Callable[[str, int], None]
"""Called with what is being done and how many more rows are done."""
MOST_ROWS = 500
FETCHED_BYTES = 2**20
"""How much is read at once: some rows have a run of many megabytes, others sixty bytes."""


@dataclass(frozen=True, slots=True)
class TableSurvey:
    """How many rows a table has, and the SHA-256 of their lines."""

    name: str
    columns: tuple[str, ...]
    rows: int
    sha256: str


def no_progress(step: str, rows: int) -> None:
    """Report nothing."""


def lines_of(connection: Connection, table: PortableTable) -> Iterator[bytes]:
    """The rows of a table in the order of their key, one line each without its end."""
    statement = select(table.table).order_by(*(_by_bytes(connection, table, one) for one in table.key))
    # Not more than what is asked for at a time: the driver of PostgreSQL would read the whole table.
    options = {"stream_results": True, "max_row_buffer": 1}
    encoders = [_encoder(column) for column in table.table.columns]
    number = 1
    with connection.execute(statement, execution_options=options) as result:
        while rows := result.fetchmany(number):
            size = 0
            for row in rows:
                line = _line(row, encoders)
                size += len(line)
                yield line
            fitting = len(rows) * FETCHED_BYTES // max(1, size)
            number = max(1, min(MOST_ROWS, 2 * number, fitting))


def _by_bytes(connection: Connection, table: PortableTable, name: str) -> ColumnElement[Any]:
    # PostgreSQL would sort text by the language of the database.
    column = table.table.columns[name]
    bytewise = isinstance(column.type, String) and connection.dialect.name == "postgresql"
    return collate(column, "C") if bytewise else column


def _line(row: Iterable[Any], encoders: Sequence[Callable[[Any], Any] | None]) -> bytes:
    values = [
        value if encode is None or value is None else encode(value)
        for value, encode in zip(row, encoders, strict=True)
    ]
    return json.dumps(values, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _encoder(column: Column[Any]) -> Callable[[Any], Any] | None:
    if isinstance(column.type, LargeBinary):
        return lambda value: base64.b64encode(value).decode("ascii")
    if isinstance(column.type, Moment):
        return datetime.isoformat
    # Numbers stay as they are.
    return bool if isinstance(column.type, Boolean) else None


def row_of(line: bytes, table: PortableTable) -> dict[str, Any]:
    """The values of a line by column; raises ValueError for a line that no backup has."""
    values = parsed_json(line)
    if not isinstance(values, list) or len(values) != len(table.columns):
        raise ValueError(f"a row of {table.name} must have {len(table.columns)} values")
    columns = zip(table.table.columns, values, strict=True)
    return {column.name: _decoded(column, value) for column, value in columns}


def _decoded(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    try:
        if isinstance(column.type, LargeBinary):
            return base64.b64decode(value, validate=True)
        if isinstance(column.type, Moment):
            return datetime.fromisoformat(value)
    except (TypeError, binascii.Error) as error:
        raise ValueError(f"{column.name}: {error}") from error
    return value


def check_fits(row: dict[str, Any], table: PortableTable) -> None:
    """Raise WorkbenchError for text that PostgreSQL cannot store and SQLite does: too long, or with a NUL."""
    for column in table.table.columns:
        value = row[column.name]
        if not isinstance(value, str) or not isinstance(column.type, String):
            continue
        longest = column.type.length
        problem = ""
        if "\0" in value:
            problem = "has a NUL character"
        elif longest is not None and len(value) > longest:
            problem = f"has {len(value)} characters, and {longest} are allowed"
        if problem:
            key = ", ".join(str(row[name]) for name in table.key)
            raise WorkbenchError(
                f"{table.name} ({key}): {column.name} {problem}, which PostgreSQL does not store",
                remedy="change it where it is, or stay on SQLite",
            )


class Surveyor:
    """Counts and hashes the lines of a table as they pass."""

    def __init__(self, table: PortableTable) -> None:
        self._table = table
        self._hash = hashlib.sha256()
        self.rows = 0

    def add(self, line: bytes) -> None:
        """Take the next line, without its end."""
        self._hash.update(line)
        self._hash.update(b"\n")
        self.rows += 1

    def survey(self) -> TableSurvey:
        """What has passed."""
        return TableSurvey(self._table.name, self._table.columns, self.rows, self._hash.hexdigest())


def survey(
    connection: Connection,
    schema: Sequence[PortableTable],
    progress: Progress = no_progress,
    step: str = "Reading",
) -> tuple[TableSurvey, ...]:
    """Count and hash the rows of every table."""
    found = []
    for table in schema:
        surveyor = Surveyor(table)
        for line in lines_of(connection, table):
            surveyor.add(line)
            progress(step, 1)
        found.append(surveyor.survey())
    return tuple(found)


def whole_sha256(surveys: Iterable[TableSurvey]) -> str:
    """One SHA-256 of everything: of a line for each table with its name, rows and hash, sorted by name."""
    lines = sorted(f"{one.name} {one.rows} {one.sha256}\n" for one in surveys)
    return hashlib.sha256("".join(lines).encode()).hexdigest()
