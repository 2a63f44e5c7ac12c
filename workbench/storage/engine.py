"""The database: one engine, reading and writing transactions, and settings that make commits durable."""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    DisconnectionError,
    IntegrityError,
    NoResultFound,
)
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from workbench.errors import Unavailable, WorkbenchError
from workbench.storage.limits import time_limit
from workbench.storage.responding import responding
from workbench.storage.turns import BUSY, NextWriter, SharedCommits

T = TypeVar("T")
Writing = Callable[[], AbstractContextManager[Session]]
"""What opens a transaction that writes: `Database.writing`, or what a door adds to it."""
LOG = logging.getLogger(__name__)

# How long a writer waits for another one.
BUSY_SECONDS = 15.0
# One for each busy thread of a server; a thread uses two at most.
KEPT_CONNECTIONS = 16
# What a writer raises whose rows somebody else deleted at that moment.
ROWS_GONE = (IntegrityError, NoResultFound)
# Stands in the `info` of a session that may change something.
WRITES = "writes"
# In the `info` of a reading session: what is to be written after it.
AFTERWARDS = "afterwards"
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
        path = self.engine.url.database
        on_disk = self.embedded and path not in {None, "", ":memory:"}
        self._next = NextWriter(Path(f"{path}-next")) if on_disk else None
        self._commits = SharedCommits(self._turn, self._writing_connection)

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
        """One transaction that is rolled back at its end; then what was put off by `afterwards` is done."""
        put_off: list[Callable[[Session], None]] = []
        info = {AFTERWARDS: put_off}
        with responding(), Session(self._reading, expire_on_commit=False, info=info) as session:
            yield session
        try:
            for act in put_off:
                # Not as `TrailedDatabase` has it: nobody asked for it, and it can be computed again.
                with Database.writing(self) as writer:
                    act(writer)
        except (Unavailable, DBAPIError) as error:
            # Also where the right to write is missing, or the campaign is gone.
            LOG.warning("what was computed is not stored: %s", error)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction that is committed at its end, or wholly undone by an exception."""
        with (
            responding(writes=True),
            self._turn(),
            Session(self._writing, expire_on_commit=False, info={WRITES: True}) as session,
            session.begin(),
        ):
            self._begin(session.connection)
            yield session

    def saving(self, act: Callable[[Connection], T]) -> T:
        """What `act` gives in a transaction as `writing` has it, committed with others that wait.

        Only SQLite, which has one writer at a time, shares transactions. `act` is called again if one of the
        others fails, so it must change nothing outside of its connection.
        """
        if self.embedded:
            return self._commits.run(act)
        with self._writing_connection() as connection:
            return act(connection)

    def saving_together(
        self, acts: Sequence[Callable[[Connection], T]]
    ) -> list[tuple[T | None, Exception | None]]:
        """As `saving` for each of several, in their order; the result of each, or what it raised.

        Only where `embedded`: other databases commit several transactions at once by themselves.
        """
        return self._commits.run_all(acts)

    def sharing(self, act: Callable[[Session], T]) -> T:
        """As `saving`, for what needs a session."""

        def act_in_session(connection: Connection) -> T:
            with Session(connection, expire_on_commit=False, info={WRITES: True}) as session:
                found = act(session)
                session.flush()
            return found

        return self.saving(act_in_session)

    @contextmanager
    def _writing_connection(self) -> Iterator[Connection]:
        with responding(writes=True), self._turn(), self._writing.connect() as connection:
            self._begin(connection.begin)
            yield connection
            connection.commit()

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

    @contextmanager
    def deleting(self) -> Iterator[Session]:
        """As `writing`, for deleting rows with all rows that refer to them.

        SQLite would look through whole tables for each deleted row, where no index shows what refers to it;
        it has one writer, so nothing can come to refer to them meanwhile.
        """
        if not self.embedded:
            with Database.writing(self) as session:
                yield session
            return
        with (
            responding(writes=True),
            self._turn(),
            self._writing.connect() as connection,
            no_foreign_keys(connection),
            Session(connection, expire_on_commit=False, info={WRITES: True}) as session,
            session.begin(),
        ):
            self._begin(session.connection)
            yield session

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
            "the database address cannot be read", remedy="sqlite:///FILE or postgresql://USER@HOST/NAME"
        ) from None
    except ModuleNotFoundError:
        raise WorkbenchError(
            "the PostgreSQL driver is not installed", remedy="pip install 'ir-workbench[postgresql]'"
        ) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "do_connect", partial(_keep_private, engine.url.database))
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        event.listen(engine, "do_connect", _connected)
        event.listen(engine, "connect", _prepare_postgresql)
        event.listen(engine, "checkin", _note_rest)
        event.listen(engine, "checkout", partial(_check_rested, engine))
    return engine


@contextmanager
def no_foreign_keys(connection: Connection) -> Iterator[None]:
    """Leave foreign keys of SQLite unchecked; it ignores this within a transaction, so before one begins."""
    driver = connection.connection.dbapi_connection
    if driver is None:
        raise RuntimeError("the connection was closed")
    driver.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        driver.execute("PRAGMA foreign_keys = ON")


def _keep_private(path: str | None, *_: Any) -> None:
    """Make the file for its owner only, or close an older one to everybody outside its group.

    SQLite gives the files beside it the same permissions.
    """
    if path is None or path in {"", ":memory:"} or path.startswith("file:"):
        return
    file = Path(path)
    # Where the file cannot be made or changed, connecting says so, or it belongs to somebody else.
    with suppress(OSError):
        if not file.exists():
            _make_private(file)
        mode = file.stat().st_mode
        if mode & 0o007:
            file.chmod(mode & 0o770)


def _make_private(file: Path) -> None:
    # Never opened under its own name: whoever closes a file gives up every lock that its process has on it
    # (POSIX), and another process would then take away the log from under SQLite's feet.
    opened, made = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
    os.close(opened)
    try:
        os.link(made, file)
    finally:
        Path(made).unlink()


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


def _prepare_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # The driver must not begin transactions itself: it would begin deferred ones, and late.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
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
    if kind is not None:
        connection.exec_driver_sql(f"BEGIN {kind}")


def afterwards(db: Session, act: Callable[[Session], None]) -> None:
    """Have a reading session's database call `act` in a short writing transaction of its own, afterwards.

    That is for what can be computed again, such as a cache: it is not done where the reading fails, and it
    may fail without a word to whoever read. Within a writing session, which others wait for, nothing is done.
    """
    db.info.get(AFTERWARDS, []).append(act)
