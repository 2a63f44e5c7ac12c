"""Bring a database to the schema of this version, from an empty one or an older one."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.engine import Connection

from workbench.errors import WorkbenchError
from workbench.storage.engine import Database, reachable

MIGRATIONS = Path(__file__).resolve().parent / "migrations"

# Any number will do, as long as every process of Workbench uses the same one.
LOCK = 7_361_501


def configuration(connection: Connection) -> Config:
    """Alembic's configuration for an open connection; there is no ini file."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def migrate(database: Database) -> None:
    """Upgrade to the newest revision; several processes starting at once wait for one another.

    Raises WorkbenchError where the database does not answer or was made by a newer version.
    """
    reachable(database)
    engine = database.engine.execution_options(begin="IMMEDIATE")
    with engine.begin() as connection:
        if not database.embedded:
            connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        config = configuration(connection)
        current = MigrationContext.configure(connection).get_current_revision()
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        if current is not None and current not in known:
            raise WorkbenchError(
                f"the database has revision {current}, which this version does not know",
                remedy="it was made by a newer Workbench; install that one",
            )
        command.upgrade(config, "head")
