"""The database itself: its file, its schema, and every constraint, recounted instead of trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import (
    CheckConstraint,
    Column,
    ColumnElement,
    ForeignKey,
    Table,
    UniqueConstraint,
    and_,
    exists,
    func,
    literal_column,
    not_,
    or_,
    select,
    text,
)
from sqlalchemy.engine import Connection

from workbench.errors import Finding, WorkbenchError
from workbench.storage.migrate import known_revisions, require_known
from workbench.storage.rows import revision_of
from workbench.storage.tables import Base, ReleasePartRow, ReleaseRow, TrailRow

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
        asked = f"select case when is_called then last_value else last_value - 1 end from {sequence}"  # noqa: S608  # a name of the schema
        last = connection.execute(text(asked)).scalar_one()
        most = connection.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one()
        if last < most:
            message = f"the next row would be number {last + 1}, and number {most} is there"
            yield Finding(table.name, None, "counter", message, f"select setval('{sequence}', {most})")


def place(table: Table, key: Sequence[Any]) -> str:
    """A row as findings name it: its table and key."""
    return f"{table.name} {', '.join(map(str, key))}"
