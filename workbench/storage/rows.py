"""The rows of a database as an archive has them: the same lines from either engine, counted and hashed.

And the database itself: its file, its schema, and every constraint, recounted instead of trusted.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    DateTime,
    Double,
    ForeignKey,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    cast,
    collate,
    exists,
    func,
    literal_column,
    not_,
    or_,
    select,
    text,
)
from sqlalchemy.engine import Connection
from sqlalchemy.types import TypeEngine, UserDefinedType

from workbench.errors import Finding, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.outside import parsed_json
from workbench.storage.migrate import known_revisions, require_known
from workbench.storage.tables import (
    AccessTokenRow,
    Base,
    JobRow,
    MailMessageRow,
    Moment,
    OneTimeTokenRow,
    ReleasePartRow,
    ReleaseRow,
    RepeatableRequestRow,
    SessionRow,
    SignInAttemptRow,
    TrailRow,
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


MOST = 20
"""Rows named for each constraint; more of the same say no more."""
RESTORE = "restore the latest backup without this error, and report how it happened"
KEPT_AS_THEY_ARE = {
    ReleaseRow.__tablename__: {"collection_release_is_final"},
    ReleasePartRow.__tablename__: {"release_part_is_final"},
    TrailRow.__tablename__: {"trail_keeps_update", "trail_keeps_delete"},
}
"""Tables with the triggers that refuse to change their rows."""


def require_latest(connection: Connection) -> None:
    """Raise WorkbenchError unless the schema is the one of this version."""
    revision = revision_of(connection)
    require_known(connection)
    if revision != known_revisions()[-1]:
        raise WorkbenchError(
            f"the database has revision {revision}, and this version {known_revisions()[-1]}",
            remedy="back it up, then upgrade it: every other command does so as it starts",
        )


def check_file(connection: Connection) -> Iterator[Finding]:
    """What SQLite finds in the pages of its file; PostgreSQL has tools of its own."""
    if connection.dialect.name != "sqlite":
        return
    for (found,) in connection.execute(text(f"PRAGMA integrity_check({MOST})")):
        if found != "ok":
            yield Finding("the file", None, "file", str(found), "check the disk; restore the latest backup")


def check_schema(connection: Connection) -> Iterator[Finding]:
    """Tables, columns, indexes and triggers that are missing or strange."""
    remedy = "restore a backup into an empty database: somebody changed the schema by hand"
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    for difference in compare_metadata(context, Base.metadata):
        # A change of a column comes in a list, everything else as a tuple that begins with its kind.
        change: Sequence[Any] = difference[0] if isinstance(difference, list) else difference
        about = " ".join(str(getattr(part, "name", part)) for part in change[1:4] if part is not None)
        yield Finding(about, None, "schema", f"this version would {change[0].replace('_', ' ')}", remedy)
    found = set(connection.execute(text(_TRIGGERS[connection.dialect.name])).scalars())
    for name, triggers in KEPT_AS_THEY_ARE.items():
        if not triggers <= found:
            message = "a trigger that protects its rows from changes is missing"
            yield Finding(name, None, "schema", message, remedy)


_TRIGGERS = {
    "sqlite": "select name from sqlite_master where type = 'trigger'",
    "postgresql": "select tgname from pg_trigger where not tgisinternal",
}


def check_constraints(connection: Connection) -> Iterator[Finding]:
    """Rows with a value that their table does not allow, an empty one that it requires, or a key twice."""
    for table in Base.metadata.sorted_tables:
        broken: dict[str, ColumnElement[bool]] = {
            f"{column.name} is missing": column.is_(None) for column in table.columns if not column.nullable
        }
        for check in table.constraints:
            if isinstance(check, CheckConstraint):
                broken[f"not allowed: {check.sqltext}"] = literal_column(f"not ({check.sqltext})")
        conditions = [condition.label(f"c{number}") for number, condition in enumerate(broken.values())]
        chosen = select(*table.primary_key, *conditions).where(or_(*broken.values())).limit(MOST)
        keys = len(table.primary_key)
        for row in connection.execute(chosen):
            for message, is_broken in zip(broken, row[keys:], strict=True):
                if is_broken:
                    yield Finding(place(table, row[:keys]), None, "constraint", message, RESTORE)
        for columns, only in _unique(table):
            several = select(*columns, func.count()).where(*only).group_by(*columns).limit(MOST)
            for row in connection.execute(several.having(func.count() > 1)):
                # Where one of the columns is null, rows are never the same.
                if None not in row[:-1]:
                    names = ", ".join(column.name for column in columns)
                    message = f"{row[-1]} rows have the same {names}"
                    yield Finding(place(table, row[:-1]), None, "constraint", message, RESTORE)


def _unique(table: Table) -> Iterator[tuple[tuple[Column[Any], ...], tuple[Any, ...]]]:
    """The columns that must differ between rows, each with the condition under which they must."""
    yield tuple(table.primary_key), ()
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint):
            yield tuple(constraint.columns), ()
    for index in table.indexes:
        if index.unique:
            condition = index.dialect_options["sqlite"]["where"]
            yield tuple(index.columns), () if condition is None else (condition,)


def check_references(connection: Connection) -> Iterator[Finding]:
    """Rows that refer to a row that is not there."""
    for table in Base.metadata.sorted_tables:
        for key in sorted(table.foreign_keys, key=lambda key: key.parent.name):
            yield from _orphans(connection, table, key)


def _orphans(connection: Connection, table: Table, key: ForeignKey) -> Iterator[Finding]:
    parent = key.column.table.alias("referred")
    there = exists().where(parent.c[key.column.name] == key.parent)
    chosen = select(*table.primary_key, key.parent).where(and_(key.parent.is_not(None), not_(there)))
    for row in connection.execute(chosen.limit(MOST)):
        message = f"{key.parent.name} is {row[-1]}, and there is no such {key.column.table.name}"
        yield Finding(place(table, row[:-1]), None, "orphan", message, RESTORE)


def check_counters(connection: Connection) -> Iterator[Finding]:
    """Counters of PostgreSQL that would give a new row the number of an old one."""
    if connection.dialect.name != "postgresql":
        return
    for table in Base.metadata.sorted_tables:
        # The trail counts its entries itself.
        if "id" not in table.columns or table.columns["id"].autoincrement is False:
            continue
        sequence = connection.execute(
            text("select pg_get_serial_sequence(:name, 'id')"), {"name": table.name}
        ).scalar_one()
        if sequence is None:
            yield Finding(table.name, None, "counter", "new rows get no number", RESTORE)
            continue
        # The database itself says what its sequence is called.
        asked = f"select case when is_called then last_value else last_value - 1 end from {sequence}"  # noqa: S608
        last = connection.execute(text(asked)).scalar_one()
        most = connection.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one()
        if last < most:
            message = f"the next row would be number {last + 1}, and number {most} is there"
            yield Finding(table.name, None, "counter", message, f"select setval('{sequence}', {most})")


def place(table: Table, key: Sequence[Any]) -> str:
    """A row as findings name it: its table and key."""
    return f"{table.name} {', '.join(map(str, key))}"
