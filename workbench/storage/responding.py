"""Whether the database responds: what passes by itself, or once somebody has made room, is Unavailable."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, DisconnectionError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from workbench.errors import DiskFull, Unavailable

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
        if _passes(error) or (writes and _only_reads(error)):
            raise (DiskFull if _has_no_room(error) else Unavailable)(first_line(error)) from error
        raise


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
