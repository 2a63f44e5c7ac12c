"""The database: one engine, reading and writing transactions, and settings that make commits durable."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import ArgumentError, OperationalError
from sqlalchemy.orm import Session

from workbench.errors import WorkbenchError

# How long a writer of the embedded database waits for another one.
BUSY_SECONDS = 30
# One for each busy thread of a server; a thread uses two at most.
KEPT_CONNECTIONS = 16


class Database:
    """An open database; all access is through `reading` and `writing`.

    A reading transaction sees one snapshot. A writing one holds SQLite's write lock from its first statement,
    so that it cannot fail half-way because of another writer.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = _engine(url)
        self.embedded = self.engine.dialect.name == "sqlite"
        self._writer = threading.RLock()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One transaction that is rolled back at its end."""
        engine = self.engine
        if not self.embedded:
            engine = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with Session(engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction that is committed at its end, or wholly undone by an exception."""
        engine = self.engine.execution_options(begin="IMMEDIATE")
        with self._turn(), Session(engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def _turn(self) -> Iterator[None]:
        # Writers of one process queue for this lock, which wakes the next one at once. SQLite would let them
        # poll at growing intervals, as it still does for writers of other processes.
        acquired = self.embedded and self._writer.acquire(timeout=BUSY_SECONDS)
        try:
            yield
        finally:
            if acquired:
                self._writer.release()

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _engine(url: str) -> Engine:
    try:
        address = make_url(url)
        if address.drivername == "postgresql":
            address = address.set(drivername="postgresql+psycopg")
        if address.get_backend_name() not in {"sqlite", "postgresql"}:
            raise WorkbenchError(
                f"{address.get_backend_name()} databases are not supported",
                remedy="use sqlite:///FILE or postgresql://USER@HOST/NAME",
            )
        if address.get_backend_name() == "sqlite" and address.database:
            Path(address.database).parent.mkdir(parents=True, exist_ok=True)
        # SQLite in memory has one connection per thread, which needs no pool.
        kept = {"pool_size": KEPT_CONNECTIONS, "max_overflow": KEPT_CONNECTIONS}
        pool = kept if address.database not in {None, "", ":memory:"} else {}
        engine = create_engine(address, pool_pre_ping=address.get_backend_name() == "postgresql", **pool)
    except ArgumentError:
        raise WorkbenchError(
            "the database address cannot be read", remedy="sqlite:///FILE or postgresql://USER@HOST/NAME"
        ) from None
    except ModuleNotFoundError:
        raise WorkbenchError(
            "the PostgreSQL driver is not installed", remedy="pip install 'ir-workbench[postgresql]'"
        ) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # The driver must not begin transactions itself: it would begin deferred ones, and late.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _write_ahead(connection: sqlite3.Connection) -> None:
    # The mode is stored in the file, so only its first connection changes it. SQLite does not apply the busy
    # timeout to this change: of several processes that start at once, most get SQLITE_BUSY and must retry.
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    kind = connection.get_execution_options().get("begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {kind}")


def reachable(database: Database) -> None:
    """Raise WorkbenchError, with the reason, if the database does not respond."""
    try:
        with database.engine.connect() as connection:
            connection.execute(text("select 1"))
    except OperationalError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise WorkbenchError(f"the database does not respond: {reason}", remedy="check its address") from None
