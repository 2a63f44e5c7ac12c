"""SQLite's connections: settings that make commits durable, who may read the file, and waits for its lock."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from sqlalchemy.engine import Connection

from workbench.errors import Unavailable


def prepare(busy_seconds: float, connection: sqlite3.Connection, _record: Any) -> None:
    """Have a new connection commit durably and wait that long for a lock of another program."""
    # The driver must not begin transactions itself: it would begin deferred ones, and late.
    connection.isolation_level = None
    _wait_when_busy(connection, busy_seconds)
    _write_ahead(connection, busy_seconds)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _write_ahead(connection: sqlite3.Connection, busy_seconds: float) -> None:
    # The mode is stored in the file, so only its first connection changes it. SQLite does not apply the busy
    # timeout to this change: of several processes that start at once, most get SQLITE_BUSY and must retry.
    end = time.monotonic() + busy_seconds
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.02)


def _wait_when_busy(connection: Any, seconds: float) -> None:
    connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")


def begin(connection: Connection) -> None:
    """Begin a transaction of the kind that the options of a connection say; none where they say None."""
    kind = connection.get_execution_options().get("begin", "DEFERRED")
    if kind is not None:
        connection.exec_driver_sql(f"BEGIN {kind}")


@contextmanager
def busy_limit(connection: Connection, seconds: float, otherwise: float) -> Iterator[None]:
    """Have a connection that is in no transaction wait so long for a lock of another program."""
    driver = connection.connection.driver_connection
    _wait_when_busy(driver, seconds)
    try:
        yield
    finally:
        _wait_when_busy(driver, otherwise)


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


def keep_private(path: str | None, *_: Any) -> None:
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


# Between two looks at a lock that another process holds.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.0002, 0.004
BUSY = "another change holds the database"


class NextWriter:
    """The place of the process that gets SQLite's lock next; whoever wants it waits for the place first.

    So only one process looks at SQLite's lock, and the one that has just let it go does not get it again
    before. The place is a lock of the system on a file beside the database, which ends with its process.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def place(self, seconds: float) -> Iterator[None]:
        """Hold the place; raises Unavailable if it is not free within so many seconds.

        Where the file cannot be made nobody has a place: SQLite says what is wrong with the folder.
        """
        try:
            opened = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError:
            yield
            return
        with os.fdopen(opened, "ab") as file:
            end, pause = time.monotonic() + seconds, SHORTEST_PAUSE
            while not _locked(file):
                if time.monotonic() > end:
                    raise Unavailable(BUSY)
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            yield


def _locked(file: IO[bytes]) -> bool:
    """Whether the lock of a file was free, and is held now until the file is closed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
