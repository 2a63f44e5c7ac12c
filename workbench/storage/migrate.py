"""Migrations: create the schema in an empty database, or upgrade an older one to this version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.engine import Connection

from workbench.errors import WorkbenchError
from workbench.storage.engine import Database, no_foreign_keys, reachable

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
        no_foreign_keys(connection) if database.embedded else nullcontext(),
        connection.begin(),
    ):
        yield connection
        if database.embedded:
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
            if broken is not None:
                raise RuntimeError(f"a row of {broken[0]} refers to a missing row of {broken[2]}")


def migrate(database: Database) -> None:
    """Upgrade to the latest revision; several processes that start at once wait for one another.

    Raises WorkbenchError if the database does not respond or was created by a newer version.
    """
    reachable(database)
    with changing_schema(database) as connection:
        if not database.embedded:
            # However long the migration of another process takes.
            connection.execute(text("set local lock_timeout = 0"))
            connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        config = configuration(connection)
        current = MigrationContext.configure(connection).get_current_revision()
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        if current is not None and current not in known:
            raise WorkbenchError(
                f"the database has revision {current}, which this version does not know",
                remedy="it was created by a newer version of Workbench; install that version",
            )
        command.upgrade(config, "head")
