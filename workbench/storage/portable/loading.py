"""Loading: rows from a backup fill an empty database, which shows them once they are verified.

An interrupted copy continues where it stopped, if it is started again with the same source; with another
source, or one that has changed since, it starts over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from alembic import command
from sqlalchemy import Column, MetaData, String, Table, delete, func, insert, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DataError, IntegrityError

from workbench.errors import Conflict, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.migrate import (
    UNFINISHED,
    changing_schema,
    configuration,
    require_known,
    upgrade_to_latest,
    wait_for_others,
)
from workbench.storage.portable.contents import Contents, CopySource, differing_tables
from workbench.storage.portable.rows import (
    FETCHED_BYTES,
    MOST_ROWS,
    Progress,
    check_fits,
    no_progress,
    row_of,
    survey,
)
from workbench.storage.portable.schema import (
    LEFT_OUT,
    VERSION_TABLE,
    PortableTable,
    revision_of,
    schema_of,
    tables_in,
)
from workbench.storage.reachability import reachable

# Says in a database that is being filled what with, by the hash of the source's contents.
_MARK = Table("unfinished_copy", MetaData(), Column("sha256", String(64)), Column("revision", String(32)))
_VERSION = Table(VERSION_TABLE, MetaData(), Column("version_num", String(32)))


@dataclass(frozen=True, slots=True)
class Copied:
    """A verified copy: what it holds, and how many rows were there already from an earlier attempt."""

    contents: Contents
    resumed: int


def load(source: CopySource, database: Database, progress: Progress = no_progress) -> Copied:
    """Fill an empty database with the rows of a source, verify them, and only then let it be opened.

    Raises Conflict unless it is empty, or has a part of the same copy; WorkbenchError if the rows cannot be
    stored, or are not the same afterwards. Then nobody can open it: start again, or delete it.
    """
    reachable(database)
    contents = source.contents
    resumed = _begin(database, contents)
    for table in contents.schema:
        _fill(database, source, table, progress)
    with database.reading() as db:
        found = survey(db.connection(), contents.schema, progress, "Verifying")
    different = differing_tables(found, contents.tables)
    if different:
        raise WorkbenchError(
            f"the copy is not complete: the rows of {', '.join(different)} are not those of the source",
            remedy="let nothing else write to the new database, delete it, and start again",
        )
    _reveal(database, contents)
    return Copied(contents, resumed)


def _begin(database: Database, contents: Contents) -> int:
    """Make the schema of a copy, which nobody can open; returns how many rows an earlier attempt has left."""
    with changing_schema(database) as connection:
        wait_for_others(connection)
        names = tables_in(connection)
        if _MARK.name in names:
            mark = connection.execute(select(_MARK.c.sha256, _MARK.c.revision)).one()
            if tuple(mark) == (contents.sha256, contents.revision):
                return sum(_count(connection, table) for table in contents.schema)
            _remove(connection, mark.revision)
        elif names:
            _require_empty(connection, names)
            _remove(connection, revision_of(connection) or "")
        command.upgrade(configuration(connection), contents.revision)
        _MARK.create(connection)
        connection.execute(insert(_MARK).values(sha256=contents.sha256, revision=contents.revision))
        connection.execute(update(_VERSION).values(version_num=UNFINISHED))
    return 0


def _require_empty(connection: Connection, names: frozenset[str]) -> None:
    require_known(connection)
    revision = revision_of(connection)
    schema = schema_of(revision) if revision else ()
    ours = {table.name for table in schema} | LEFT_OUT | {VERSION_TABLE} if revision else frozenset()
    strange = sorted(names - ours)
    filled = sorted(table.name for table in schema if _count(connection, table))
    if strange or filled:
        what = f"has rows in {', '.join(filled[:3])}" if filled else f"has the table {strange[0]}"
        raise Conflict(
            f"the database is not empty: it {what}",
            remedy="name an empty one; nothing was changed, and nothing is ever overwritten",
        )


def _remove(connection: Connection, revision: str) -> None:
    """Delete what an earlier attempt or an unused installation has left."""
    if _MARK.name in tables_in(connection):
        connection.execute(update(_VERSION).values(version_num=revision))
        _MARK.drop(connection)
    for table in reversed(schema_of(revision)):
        connection.execute(delete(table.table))
    command.downgrade(configuration(connection), "base")


def _count(connection: Connection, table: PortableTable) -> int:
    return connection.execute(select(func.count()).select_from(table.table)).scalar_one()


def _fill(database: Database, source: CopySource, table: PortableTable, progress: Progress) -> None:
    # Rows come in a stated order and are committed in that order, so that their number says which are there.
    with database.reading() as db:
        there = _count(db.connection(), table)
    lines = source.lines(table)
    for _ in islice(lines, there):
        progress("Copying", 1)
    for batch in _batches(lines, table):
        if not database.embedded:
            for row in batch:
                check_fits(row, table)
        try:
            with database.writing() as db:
                db.connection().execute(insert(table.table), batch)
        except (DataError, IntegrityError) as error:
            raise WorkbenchError(
                f"rows of {table.name} cannot be stored: {str(error.orig).strip().splitlines()[0]}",
                remedy="run `workbench verify` where they come from",
            ) from error
        progress("Copying", len(batch))


def _batches(lines: Iterator[bytes], table: PortableTable) -> Iterator[Sequence[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    size = 0
    for line in lines:
        try:
            batch.append(row_of(line, table))
        except ValueError as error:
            raise WorkbenchError(f"a row of {table.name} cannot be read: {error}") from error
        size += len(line)
        if len(batch) == MOST_ROWS or size >= FETCHED_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _reveal(database: Database, contents: Contents) -> None:
    """Give the copy its revision, upgrade it to this version's, and number new rows after those copied."""
    with changing_schema(database) as connection:
        wait_for_others(connection)
        _MARK.drop(connection)
        connection.execute(update(_VERSION).values(version_num=contents.revision))
        upgrade_to_latest(connection)
        if not database.embedded:
            for table in contents.schema:
                _number_after_last(connection, table)


def _number_after_last(connection: Connection, table: PortableTable) -> None:
    """Have PostgreSQL number the next row of a table after its last one; SQLite does so by itself."""
    if "id" not in table.columns:
        return
    number = table.table.c.id
    sequence = func.pg_get_serial_sequence(table.name, "id")
    last = func.greatest(func.max(number), 1)
    connection.execute(select(func.setval(sequence, last, func.max(number).is_not(None))))
