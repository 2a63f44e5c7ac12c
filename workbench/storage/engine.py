"""The database: one engine, reading and writing transactions, and settings that make commits durable."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    DisconnectionError,
    IntegrityError,
    InterfaceError,
    NoResultFound,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from workbench.errors import Damaged, DiskFull, Unavailable, WorkbenchError
from workbench.records import without_collections
from workbench.storage import sqlite
from workbench.storage.limits import time_limit
from workbench.storage.sqlite import BUSY, NextWriter

Writing = Callable[[], AbstractContextManager[Session]]
"""What opens a transaction that writes: `Database.writing`, or what a door adds to it."""

# How long a writer waits for another one.
BUSY_SECONDS = 15.0
# One for each busy thread of a server; a thread uses two at most.
KEPT_CONNECTIONS = 16
# What a writer raises whose rows somebody else deleted at that moment.
ROWS_GONE = (IntegrityError, NoResultFound)
# Stands in the `info` of a session that may change something.
WRITES = "writes"
# For so long a disk counts as full after a change found it so: without traffic none would find room.
FULL_SECONDS = 60
# How long a thread waits for a connection, and how long PostgreSQL has to accept one.
CONNECT_SECONDS = 5
# Of libpq: a host that vanished is noticed within about half a minute.
POSTGRESQL = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
# Settings of a connection: who waits for a lock, and who holds some and has vanished; how often a long
# statement looks whether anybody still waits for it.
SERVER_SECONDS = {
    "lock_timeout": BUSY_SECONDS,
    "idle_in_transaction_session_timeout": 300,
    "client_connection_check_interval": 10,
}
# A connection that has rested for longer is asked whether its server is still there.
REST_SECONDS = 2.0
RESTS_SINCE = "rests since"


class Database:
    """An open database; all access is through `reading` and `writing`.

    A reading transaction sees one snapshot. A writing one holds SQLite's write lock from its first statement,
    so that it cannot fail half-way because of another writer. Both raise Unavailable if the database does not
    respond, or is locked for too long.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = _engine(url)
        self.embedded = self.engine.dialect.name == "sqlite"
        self._writer = threading.RLock()
        self._full_at = -math.inf
        path = self.engine.url.database
        on_disk = self.embedded and path not in {None, "", ":memory:"}
        self._next = NextWriter(Path(f"{path}-next")) if on_disk else None

    @cached_property  # making it takes as long as a statement
    def _writing(self) -> Engine:
        return self.engine.execution_options(begin="IMMEDIATE")

    @cached_property
    def _reading(self) -> Engine:
        if self.embedded:
            return self.engine
        return self.engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @cached_property
    def _asking(self) -> Engine:
        level = {} if self.embedded else {"isolation_level": "AUTOCOMMIT"}
        return self.engine.execution_options(begin=None, **level)

    @contextmanager
    def asking(self) -> Iterator[Connection]:
        """A connection for a single statement that reads: it needs no transaction to see one snapshot."""
        with responding(), self._asking.connect() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One transaction that is rolled back at its end."""
        with responding(), Session(self._reading, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction that is committed at its end, or wholly undone by an exception."""
        with self._session(lambda _: nullcontext()) as session:
            yield session

    @contextmanager
    def deleting(self) -> Iterator[Session]:
        """As `writing`, for deleting rows with all rows that refer to them.

        SQLite would look through whole tables for each deleted row, where no index shows what refers to it;
        it has one writer, so nothing can come to refer to them meanwhile.
        """
        with self._session(sqlite.no_foreign_keys if self.embedded else lambda _: nullcontext()) as session:
            yield session

    @contextmanager
    def _session(self, within: Callable[[Connection], AbstractContextManager[None]]) -> Iterator[Session]:
        with (
            self._saving(),
            self._turn(),
            without_collections() if self.embedded else nullcontext(),
            self._writing.connect() as connection,
            within(connection),
            Session(connection, expire_on_commit=False, info={WRITES: True}) as session,
            session.begin(),
        ):
            self._begin(session.connection)
            yield session

    @property
    def disk_full(self) -> bool:
        """Whether a change found the disk full within the last minute; small ones may still be saved."""
        return time.monotonic() - self._full_at < FULL_SECONDS

    @contextmanager
    def _saving(self) -> Iterator[None]:
        try:
            with responding(writes=True):
                yield
        except DiskFull:
            self._full_at = time.monotonic()
            raise

    def _begin(self, begin: Callable[[], object]) -> None:
        with self._next.place(BUSY_SECONDS) if self._next else nullcontext():
            begin()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        # Writers of one process queue for this lock, which wakes the next one at once.
        if not self.embedded:
            yield
            return
        if not self._writer.acquire(timeout=BUSY_SECONDS):
            raise Unavailable(BUSY)
        try:
            yield
        finally:
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
        kept = {
            "pool_size": KEPT_CONNECTIONS,
            "max_overflow": KEPT_CONNECTIONS,
            "pool_timeout": CONNECT_SECONDS,
        }
        pool = kept if address.database not in {None, "", ":memory:"} else {}
        served = address.get_backend_name() == "postgresql"
        # What the address says itself counts.
        arguments = {name: value for name, value in POSTGRESQL.items() if name not in address.query}
        engine = create_engine(
            address, hide_parameters=True, connect_args=arguments if served else {}, **pool
        )
    except ArgumentError:
        raise WorkbenchError(
            "the database address cannot be read", remedy="use sqlite:///FILE or postgresql://USER@HOST/NAME"
        ) from None
    except ModuleNotFoundError:
        raise WorkbenchError(
            "the PostgreSQL driver is not installed", remedy="pip install 'ir-workbench[postgresql]'"
        ) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "do_connect", partial(sqlite.keep_private, engine.url.database))
        event.listen(engine, "connect", partial(sqlite.prepare, BUSY_SECONDS))
        event.listen(engine, "begin", sqlite.begin)
    else:
        event.listen(engine, "do_connect", _connected)
        event.listen(engine, "connect", _prepare_postgresql)
        event.listen(engine, "checkin", _note_rest)
        event.listen(engine, "checkout", partial(_check_rested, engine))
    return engine


def _connected(_dialect: Any, _record: Any, arguments: Any, named: Any) -> Any:
    # Here, since the driver is needed for PostgreSQL only.
    from workbench.storage.postgresql import LimitedConnection

    return LimitedConnection.connect(*arguments, **named)


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    # Not in a transaction, whose rollback would undo it.
    connection.autocommit = True
    connection.execute("; ".join(f"SET {name} = {int(each * 1000)}" for name, each in SERVER_SECONDS.items()))
    connection.autocommit = False


def _note_rest(_connection: Any, record: ConnectionPoolEntry) -> None:
    record.info[RESTS_SINCE] = time.monotonic()


def _check_rested(engine: Engine, connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
    # Asking at every request would take as long as the request's own statement.
    if time.monotonic() - record.info.get(RESTS_SINCE, time.monotonic()) < REST_SECONDS:
        return
    try:
        with time_limit(CONNECT_SECONDS):
            engine.dialect.do_ping(connection)
    except engine.dialect.loaded_dbapi.Error as error:
        # The pool opens another one.
        raise DisconnectionError from error


DatabaseError = DBAPIError | NoConnection | DisconnectionError

# Of SQLite, which has one class for these and for errors in a statement.
SQLITE_PASSES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
    }
)
# PostgreSQL's "read_only_sql_transaction": of a standby where we write, of our own doing where we read.
ONLY_READS = "25006"
DISK_FULL = "53100"


@contextmanager
def responding(*, writes: bool = False) -> Iterator[None]:
    """Raise Unavailable where the database did not respond, was locked, or lets nobody write who `writes`."""
    try:
        yield
    except (DBAPIError, NoConnection, DisconnectionError) as error:
        raise_if_damaged(error)
        if _passes(error) or (writes and _only_reads(error)):
            raise (DiskFull if _has_no_room(error) else Unavailable)(first_line(error)) from error
        raise


def raise_if_damaged(error: DatabaseError) -> None:
    """Raise Damaged where the file of the database is no longer what SQLite wrote."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    if getattr(cause, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        raise Damaged(f"it is damaged: {first_line(error)}") from error


def first_line(error: DatabaseError) -> str:
    """The reason of an error, without the statement and its parameters."""
    reason = error.orig if isinstance(error, DBAPIError) else error
    return (str(reason).strip().splitlines() or [type(reason).__name__])[0]


def _passes(error: DatabaseError) -> bool:
    if isinstance(error, NoConnection | DisconnectionError) or error.connection_invalidated:
        return True
    if isinstance(error.orig, sqlite3.Error):
        return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in SQLITE_PASSES
    return isinstance(error, OperationalError | InterfaceError)


def _has_no_room(error: DatabaseError) -> bool:
    if not isinstance(error, DBAPIError):
        return False
    if isinstance(error.orig, sqlite3.Error):
        return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
    return getattr(error.orig, "sqlstate", "") == DISK_FULL


def _only_reads(error: DatabaseError) -> bool:
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", "") == ONLY_READS


def insert_or(db: Session, row: type[Any]) -> Any:
    """An insert into the table of a row that can say, in the engine's words, what to do where it is there."""
    return (sqlite_insert if db.get_bind().dialect.name == "sqlite" else postgresql_insert)(row)
