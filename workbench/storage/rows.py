"""The rows of a database as an archive has them: the same lines from either engine, counted and hashed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from alembic.runtime.migration import MigrationContext
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    DateTime,
    Double,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    cast,
    collate,
    select,
)
from sqlalchemy.engine import Connection
from sqlalchemy.types import TypeEngine, UserDefinedType

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.outside import parsed_json
from workbench.storage.tables import (
    AccessTokenRow,
    JobRow,
    MailMessageRow,
    Moment,
    OneTimeTokenRow,
    RepeatableRequestRow,
    SessionRow,
    SignInAttemptRow,
)

VERSION_TABLE = "alembic_version"
LEFT_OUT = frozenset(
    row.__tablename__
    for row in (
        *(SessionRow, OneTimeTokenRow, SignInAttemptRow, AccessTokenRow),
        *(RepeatableRequestRow, JobRow, MailMessageRow),
    )
)
"""Tables whose rows stay behind: nobody is to be signed in by a copy, no message is sent again, and what was
computed can be again."""
MOST_ROWS = 500
FETCHED_BYTES = 2**20
"""How much is read at once: some rows have a run of many megabytes, others sixty bytes."""
Progress = Callable[[str, int], None]
"""Called with what is being done and how many more rows are done."""


def no_progress(step: str, rows: int) -> None:
    """Report nothing."""


@frozen_dataclass
class TableSurvey:
    """How many rows a table has, and the SHA-256 of their lines."""

    name: str
    columns: tuple[str, ...]
    rows: int
    sha256: str


@frozen_dataclass
class Contents:
    """What a database or an archive holds; two with the same rows have the same `sha256`."""

    revision: str
    tables: tuple[TableSurvey, ...]

    @property
    def sha256(self) -> str:
        """One SHA-256 of all rows: of a line for each table with its name, rows and hash, sorted by name."""
        lines = sorted(f"{one.name} {one.rows} {one.sha256}\n" for one in self.tables)
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(one.rows for one in self.tables)

    def count(self, table: str) -> int:
        """The rows of one table; 0 for a table that the revision does not have."""
        return next((one.rows for one in self.tables if one.name == table), 0)

    def differing(self, other: Contents) -> tuple[str, ...]:
        """The names of the tables whose rows are not the same, sorted."""
        left, right = ({one.name: one for one in each.tables} for each in (self, other))
        return tuple(sorted(name for name in left.keys() | right.keys() if left.get(name) != right.get(name)))


def contents_of(connection: Connection, progress: Progress = no_progress, step: str = "Reading") -> Contents:
    """Count and hash the rows of every table; raises WorkbenchError for a database without any of ours."""
    surveys = [
        survey(table.name, table.columns.keys(), lines_of(connection, table), progress, step)
        for table in carried(connection)
    ]
    return Contents(revision_of(connection), tuple(surveys))


def survey(
    table: str, columns: Iterable[str], lines: Iterable[bytes], progress: Progress, step: str
) -> TableSurvey:
    """Count and hash the lines of a table, which come without their ends, as they pass."""
    found, rows = hashlib.sha256(), 0
    for line in lines:
        found.update(line)
        found.update(b"\n")
        rows += 1
        progress(step, 1)
    return TableSurvey(table, tuple(columns), rows, found.hexdigest())


class _StoredJson(UserDefinedType[str]):
    """A JSON column by the text that is stored in it, of which parsing would change spaces and numbers."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """The type in the database."""
        return "JSON"

    def column_expression(self, colexpr: ColumnElement[Any]) -> ColumnElement[Any]:
        """The text."""
        # PostgreSQL's driver would parse it otherwise.
        return cast(colexpr, Text)


def revision_of(connection: Connection) -> str:
    """The revision of the schema; raises WorkbenchError for a database without tables of Workbench."""
    found = MigrationContext.configure(connection).get_current_revision()
    if found is None:
        raise WorkbenchError(
            "this database has no tables of Workbench", remedy="name another with --instance or --database"
        )
    return str(found)


def carried(connection: Connection) -> list[Table]:
    """The tables as they are, each after those that it refers to, with types that read alike everywhere."""
    found = MetaData()
    found.reflect(connection)
    return [_table(one) for one in found.sorted_tables if one.name not in {VERSION_TABLE, *LEFT_OUT}]


def _table(found: Table) -> Table:
    """A table with its columns in one order, the key first."""
    key = [one.name for one in found.primary_key]
    others = sorted(set(found.columns.keys()) - set(key))
    columns = [
        Column(name, _type_of(found.columns[name].type), primary_key=name in key) for name in (*key, *others)
    ]
    return Table(found.name, MetaData(), *columns)


def _type_of(found: TypeEngine[Any]) -> TypeEngine[Any]:
    if isinstance(found, JSON):
        return _StoredJson()
    if isinstance(found, DateTime):
        return Moment()
    if isinstance(found, String):
        return String(found.length)
    for kind in (Boolean, LargeBinary, Double):
        if isinstance(found, kind):
            return kind()
    # SQLite reads every whole number as INTEGER, of which PostgreSQL's has half the width.
    return BigInteger()


def lines_of(connection: Connection, table: Table) -> Iterator[bytes]:
    """The rows of a table in the order of their key, one line each without its end."""
    statement = select(table).order_by(*(_by_bytes(connection, column) for column in table.primary_key))
    # Not more than what is asked for at a time: the driver of PostgreSQL would read the whole table.
    options = {"stream_results": True, "max_row_buffer": 1}
    encoders = [_encoder(column) for column in table.columns]
    number = 1
    with connection.execute(statement, execution_options=options) as result:
        while rows := result.fetchmany(number):
            size = 0
            for row in rows:
                line = _line(row, encoders)
                size += len(line)
                yield line
            number = max(1, min(MOST_ROWS, 2 * number, len(rows) * FETCHED_BYTES // max(1, size)))


def _by_bytes(connection: Connection, column: Column[Any]) -> ColumnElement[Any]:
    # PostgreSQL would sort text by the language of the database.
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


def row_of(line: bytes, table: Table) -> dict[str, Any]:
    """The values of a line by column; raises ValueError for a line that no archive has."""
    values = parsed_json(line)
    if not isinstance(values, list) or len(values) != len(table.columns):
        raise ValueError(f"a row must have {len(table.columns)} values")
    return {
        column.name: None if value is None else _decoded(column, value)
        for column, value in zip(table.columns, values, strict=True)
    }


def _decoded(column: Column[Any], value: Any) -> Any:
    try:
        if isinstance(column.type, LargeBinary):
            return base64.b64decode(value, validate=True)
        if isinstance(column.type, Moment):
            return datetime.fromisoformat(value)
    except (TypeError, binascii.Error) as error:
        raise ValueError(f"{column.name}: {error}") from error
    return value


"""Rows named for each constraint; more of the same say no more."""
"""Tables with the triggers that refuse to change their rows."""
