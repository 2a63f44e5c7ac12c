"""The schema of a revision, as the portable form sees it: tables, columns and keys, whatever the engine."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from alembic import command
from alembic.runtime.migration import MigrationContext
from sqlalchemy import JSON, Boolean, Column, DateTime, LargeBinary, MetaData, String, Table, Text, cast, inspect
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeEngine, UserDefinedType

from workbench.errors import WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.migrate import changing_schema, configuration
from workbench.storage.tables import Moment, SessionRow, SignInAttemptRow

VERSION_TABLE = "alembic_version"
LEFT_OUT = frozenset({SessionRow.__tablename__, SignInAttemptRow.__tablename__})
"""Tables whose rows stay behind."""


class StoredJson(UserDefinedType[str]):
    """A JSON column by the text that is stored in it, of which parsing would change spaces and numbers."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """The type in the database."""
        return "JSON"

    def column_expression(self, colexpr: ColumnElement[Any]) -> ColumnElement[Any]:
        """The text, which PostgreSQL's driver would parse otherwise."""
        return cast(colexpr, Text)


@dataclass(frozen=True, slots=True)
class PortableTable:
    """A table with its columns in their order; `key` are the columns of the primary key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    table: Table


@lru_cache(maxsize=16)
def schema_of(revision: str) -> tuple[PortableTable, ...]:
    """The tables of a revision that are carried, each after those that it refers to.

    They are made in a database in memory, by the migrations up to there, and read from it.
    """
    with closing(Database("sqlite://")) as database, changing_schema(database) as connection:
        command.upgrade(configuration(connection), revision)
        found = MetaData()
        found.reflect(connection)
        return tuple(
            _portable(table)
            for table in found.sorted_tables
            if table.name != VERSION_TABLE and table.name not in LEFT_OUT
        )


def _portable(table: Table) -> PortableTable:
    # With types that read the same from both engines.
    columns = [Column(one.name, _type_of(one.type), primary_key=one.primary_key) for one in table.columns]
    key = tuple(one.name for one in table.primary_key)
    plain = Table(table.name, MetaData(), *columns)
    return PortableTable(table.name, tuple(one.name for one in columns), key, plain)


def _type_of(found: TypeEngine[Any]) -> TypeEngine[Any]:
    if isinstance(found, JSON):
        return StoredJson()
    if isinstance(found, DateTime):
        return Moment()
    if isinstance(found, Boolean | LargeBinary):
        return found
    return String(found.length) if isinstance(found, String) else found


def revision_of(connection: Connection) -> str | None:
    """The revision of an open database's schema, None before the first migration."""
    return MigrationContext.configure(connection).get_current_revision()


def known_revision(database: Database) -> str:
    """The revision of a database that is to be copied.

    Raises WorkbenchError if it has no tables of Workbench.
    """
    with database.engine.connect() as connection:
        revision = revision_of(connection)
    if revision is None:
        raise WorkbenchError(
            "this database has no tables of Workbench", remedy="name another with --instance or --database"
        )
    return revision


def tables_in(connection: Connection) -> frozenset[str]:
    """The tables of an open database, whoever made them."""
    return frozenset(inspect(connection).get_table_names())
