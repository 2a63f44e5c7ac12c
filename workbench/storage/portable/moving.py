"""Moving: a whole instance goes from one database to another, between SQLite and PostgreSQL or within one.

Nobody can write to the old database meanwhile, so that no answer is acknowledged there and missing here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import URL, text, update
from sqlalchemy.engine import Connection

from workbench.errors import Conflict, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.migrate import require_current
from workbench.storage.portable.contents import Contents
from workbench.storage.portable.loading import Copied, load
from workbench.storage.portable.rows import Progress, lines_of, no_progress, survey
from workbench.storage.portable.schema import PortableTable, revision_of, schema_of
from workbench.storage.tables import Base, CampaignRow


class LockedInstance:
    """An instance as a source of a copy: one transaction, during which nobody else can write to it."""

    def __init__(self, connection: Connection, progress: Progress = no_progress) -> None:
        revision = revision_of(connection)
        if revision is None:
            raise WorkbenchError("there is nothing to move: the database has no tables of Workbench")
        self._connection = connection
        self.contents = Contents(revision, survey(connection, schema_of(revision), progress))

    def lines(self, table: PortableTable) -> Iterator[bytes]:
        """The rows of a table in the order of their key, one line each without its end."""
        return lines_of(self._connection, table)


def move_instance(source: Database, destination: Database, progress: Progress = no_progress) -> Copied:
    """Carry everything to an empty database, verify it there, and archive the campaigns that stay behind.

    Raises WorkbenchError if the old database is of an earlier version, and Conflict unless the destination
    is empty or has a part of the same copy. Whatever interrupts it, nothing is missing in the old database,
    and nobody opens the new one until it is complete.
    """
    if address_of(source) == address_of(destination):
        raise Conflict("this is the database that is to be moved", remedy="name an empty one")
    require_current(source)
    with _locked(source) as connection:
        copied = load(LockedInstance(connection, progress), destination, progress)
        connection.execute(
            update(CampaignRow).where(CampaignRow.archived_at.is_(None)).values(archived_at=datetime.now(UTC))
        )
    return copied


def address_of(database: Database) -> URL:
    """Where a database is, the same however its file is named."""
    url = database.engine.url
    return url.set(database=str(Path(url.database).resolve())) if database.embedded and url.database else url


@contextmanager
def _locked(source: Database) -> Iterator[Connection]:
    with source.writing() as db:
        connection = db.connection()
        if not source.embedded:
            # It waits while the new database is filled and compared, however long that takes.
            connection.execute(text("set local idle_in_transaction_session_timeout = 0"))
            names = ", ".join(f'"{name}"' for name in Base.metadata.tables)
            connection.execute(text(f"lock table {names} in share row exclusive mode"))
        yield connection
