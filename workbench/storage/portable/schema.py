"""The schema of a revision, as the portable form sees it: tables, columns and keys, whatever the engine."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from alembic import command
from alembic.runtime.migration import MigrationContext
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    cast,
    inspect,
)
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeEngine, UserDefinedType

from workbench.errors import WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.migrate import changing_schema, configuration, known_revisions
from workbench.storage.packed_text import PackedText
from workbench.storage.tables import (
    AccessTokenRow,
    Base,
    CodeStepRow,
    JobRow,
    MailMessageRow,
    Moment,
    PasswordResetRow,
    RepeatableRequestRow,
    SessionRow,
    SignInAttemptRow,
)

VERSION_TABLE = "alembic_version"
LEFT_OUT = frozenset(
    table.__tablename__
    for table in (
        SessionRow,
        CodeStepRow,
        PasswordResetRow,
        SignInAttemptRow,
        AccessTokenRow,
        RepeatableRequestRow,
        JobRow,
        MailMessageRow,
    )
)
"""Tables whose rows stay behind: nobody is to be signed in by a copy, no message is sent again,
and what was computed can be again."""


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

    Those of an earlier one are made in a database in memory, by the migrations up to there, and read from it.
    """
    if revision == known_revisions()[-1]:
        return _portable_tables(Base.metadata)
    with closing(Database("sqlite://")) as database, changing_schema(database) as connection:
        return _portable_tables(migrated_in_memory(connection, revision))


def migrated_in_memory(connection: Connection, revision: str) -> MetaData:
    """The tables that the migrations up to a revision make in an empty database."""
    command.upgrade(configuration(connection), revision)
    found = MetaData()
    found.reflect(connection)
    return found


def _portable_tables(metadata: MetaData) -> tuple[PortableTable, ...]:
    left_out = {VERSION_TABLE, *LEFT_OUT}
    return tuple(portable_table(one) for one in metadata.sorted_tables if one.name not in left_out)


def portable_table(table: Table) -> PortableTable:
    """A table with its columns in one order, the key first, and with types that read the same everywhere."""
    key = tuple(one.name for one in table.primary_key)
    others = sorted(set(table.columns.keys()) - set(key))
    columns = [Column(name, _type_of(table.columns[name].type), primary_key=name in key) for name in key]
    columns += [Column(name, _type_of(table.columns[name].type)) for name in others]
    return PortableTable(table.name, (*key, *others), key, Table(table.name, MetaData(), *columns))


def _type_of(found: TypeEngine[Any]) -> TypeEngine[Any]:
    if isinstance(found, JSON):
        return StoredJson()
    if isinstance(found, DateTime | Moment):
        return Moment()
    if isinstance(found, String):
        return String(found.length)
    if isinstance(found, PackedText):
        return LargeBinary()
    for kind in (Boolean, LargeBinary, Double):
        if isinstance(found, kind):
            return kind()
    # SQLite reads every whole number as INTEGER, of which PostgreSQL's has half the width.
    return BigInteger()


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
