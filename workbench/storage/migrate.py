"""The schema: whether a database responds, what it holds; created, upgraded to this version, and emptied."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import delete, inspect, select, text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, DisconnectionError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from workbench import __version__
from workbench.errors import WorkbenchError
from workbench.storage import sqlite
from workbench.storage.engine import Database, first_line, raise_if_damaged
from workbench.storage.tables import AccountRow, Base, CampaignRow, TrailRow


def reachable(database: Database) -> None:
    """Raise WorkbenchError, with the reason, if the database does not respond."""
    try:
        with database.engine.connect() as connection:
            connection.execute(text("select 1 from sqlite_master" if database.embedded else "select 1"))
    except (DBAPIError, NoConnection, DisconnectionError) as error:
        raise_if_damaged(error)
        if isinstance(error, DBAPIError) and not isinstance(error, OperationalError):
            raise
        reason = first_line(error)
        raise WorkbenchError(f"the database does not respond: {reason}", remedy=_remedy(database)) from None


def _remedy(database: Database) -> str:
    folder = Path(database.engine.url.database or "").parent
    if database.embedded and not os.access(folder, os.W_OK):
        return f"{folder} is read-only, and SQLite writes beside its file: make it writable"
    return "check its address"


MIGRATIONS = Path(__file__).resolve().parent / "migrations"

# An arbitrary number that every process of Workbench uses.
LOCK = 7_361_501


def configuration(connection: Connection) -> Config:
    """Alembic's configuration for an open connection; there is no ini file."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


@contextmanager
def changing_schema(database: Database) -> Iterator[Connection]:
    """One transaction in which tables can be rebuilt while others refer to their rows.

    SQLite changes a constraint by recreating the table, which foreign keys would forbid; they are disabled
    meanwhile, and all of them are checked before the commit.
    """
    engine = database.engine.execution_options(begin="IMMEDIATE")
    with (
        engine.connect() as connection,
        sqlite.no_foreign_keys(connection) if database.embedded else nullcontext(),
        connection.begin(),
    ):
        yield connection
        if database.embedded:
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
            if broken is not None:
                raise RuntimeError(f"a row of {broken[0]} refers to a missing row of {broken[2]}")


def migrate(database: Database) -> None:
    """Upgrade to the latest revision; several processes that start at once wait for one another.

    Raises WorkbenchError if the database does not respond, or was upgraded by a newer version.
    """
    reachable(database)
    # Nearly always. Nobody waits then for the write lock, nor for a check of all foreign keys.
    with database.engine.connect() as connection:
        if _is_current(connection):
            return
    with changing_schema(database) as connection:
        wait_for_others(connection)
        require_known(connection)
        upgrade_to_latest(connection)


def require_current(database: Database) -> None:
    """Raise WorkbenchError unless the database has the schema of this version, and say what to do."""
    reachable(database)
    with database.engine.connect() as connection:
        if _is_current(connection):
            return
        require_known(connection)
        if MigrationContext.configure(connection).get_current_revision() is None:
            where = database.engine.url.render_as_string()
            raise WorkbenchError(
                f"there is no database of Workbench in {where}",
                remedy="name another with --instance or --database, or create it with `workbench init`",
            )
    raise WorkbenchError(
        f"the database is of an earlier version; this is Workbench {__version__}",
        remedy="`workbench serve` upgrades it; make a backup first with `workbench backup`",
    )


def _is_current(connection: Connection) -> bool:
    return MigrationContext.configure(connection).get_current_revision() == known_revisions()[-1]


def wait_for_others(connection: Connection) -> None:
    """Let no other process change the schema in this transaction; SQLite's begins with its write lock."""
    if connection.dialect.name == "postgresql":
        # However long the migration of another process takes.
        connection.execute(text("set local lock_timeout = 0"))
        connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": LOCK})


def require_known(connection: Connection) -> None:
    """Raise WorkbenchError if this version does not know the revision of the database."""
    current = MigrationContext.configure(connection).get_current_revision()
    if current is None or current in known_revisions():
        return
    raise WorkbenchError(
        f"the database was upgraded by a newer version of Workbench to revision {current}; this is Workbench"
        f" {__version__}, which knows revisions up to {known_revisions()[-1]}",
        remedy="install a newer version of Workbench",
    )


@cache  # reading them loads every migration
def known_revisions() -> tuple[str, ...]:
    """The revisions that this version knows, the oldest first."""
    return tuple(script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions())[::-1]


def upgrade_to_latest(connection: Connection) -> None:
    """Upgrade the schema within an open transaction."""
    command.upgrade(configuration(connection), "head")


def table_names(database: Database) -> frozenset[str]:
    """The tables of a database, whatever program made them."""
    with database.reading() as db:
        return frozenset(inspect(db.connection()).get_table_names())


def campaigns_in(database: Database) -> dict[str, bool]:
    """The slugs of the campaigns, and whether each is illustrative; empty where there is no such table."""
    if CampaignRow.__tablename__ not in table_names(database):
        return {}
    with database.reading() as db:
        return dict(db.execute(select(CampaignRow.slug, CampaignRow.illustrative)).all())


def accounts_in(database: Database) -> bool:
    """Whether there is any account."""
    if AccountRow.__tablename__ not in table_names(database):
        return False
    with database.reading() as db:
        return db.scalar(select(AccountRow.id).limit(1)) is not None


def delete_everything(database: Database) -> None:
    """Delete every row of every table but the trail, which stays whatever is deleted."""
    with database.writing() as db:
        for table in reversed(Base.metadata.sorted_tables):
            if table.name != TrailRow.__tablename__:
                db.execute(delete(table))
