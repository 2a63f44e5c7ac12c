"""Databases for tests, quickly: each kind is migrated once; SQLite's file is copied, PostgreSQL's emptied.

Tests of everything but the storage share one engine of each kind, since it keeps every statement that it has
compiled: compiling them anew for each test takes longer than running them.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, event, text
from sqlalchemy.engine import make_url

from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.storage.tables import Base


@contextmanager
def opened(url: str) -> Iterator[Database]:
    """An open database, closed at the end."""
    database = Database(url)
    try:
        yield database
    finally:
        database.close()


def migrated_sqlite_file(path: Path) -> Path:
    """Make a migrated SQLite file to be copied."""
    with opened(f"sqlite:///{path}") as database:
        migrate(database)
    return path


@contextmanager
def opened_copy(migrated: Path, folder: Path) -> Iterator[Database]:
    """A copy of the migrated SQLite file, open."""
    with opened(f"sqlite:///{shutil.copyfile(migrated, folder / 'workbench.sqlite3')}") as database:
        yield database


@contextmanager
def lasting(url: str) -> Iterator[Database]:
    """A database whose engine tests share one after another; SQLite's does not wait for the disk."""
    with opened(url) as database:
        if database.embedded:
            # After the database's own preparation, of which everything else stays.
            event.listen(
                database.engine,
                "connect",
                lambda connection, _: connection.execute("PRAGMA synchronous = OFF"),
            )
        yield database


def shared(lasting: Database) -> Database:
    """A lasting database for one test: what the test has its engine listen for ends with it."""
    database = Database(lasting.url)
    database.engine = lasting.engine.execution_options()  # the same pool and compiled statements
    return database


def fill(database: Database, saved: Path) -> None:
    """Put the content of a closed SQLite file in the place of this database's."""
    database.close()
    path = Path(database.engine.url.database or "")
    for part in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        part.unlink(missing_ok=True)
    shutil.copyfile(saved, path)


@contextmanager
def new_postgresql_database(server: str, *, like: str = "template1") -> Iterator[str]:
    """The address of a new database on that server, a copy of one that nobody uses; dropped at the end."""
    name = f"workbench_test_{secrets.token_hex(6)}"
    _execute(server, f'create database "{name}" template "{like}"')
    try:
        yield make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        # Without force: a test that leaves a connection open fails here.
        _execute(server, f'drop database "{name}"')


def empty_all_tables(database: Database) -> None:
    """Delete every row and number rows from 1 again; much quicker than a new PostgreSQL database."""
    with database.writing() as db:
        # In one journey, of which there would be a hundred otherwise.
        db.connection().exec_driver_sql(EMPTY)


# All tables but the one that says which versions of the program made the others.
TABLES = Base.metadata.sorted_tables


def _emptying() -> str:
    # A transaction that a test left open would hold its locks for ever.
    statements = ["set local lock_timeout = '5s'"]
    # Triggers refuse to delete rows of the trail.
    statements += [
        f'{"truncate" if table.name == "trail" else "delete from"} "{table.name}"'
        for table in reversed(TABLES)
    ]
    numbered = [table.name for table in TABLES if "id" in table.columns]
    statements += [f"select setval(pg_get_serial_sequence('{name}', 'id'), 1, false)" for name in numbered]
    return ";\n".join(statements)


EMPTY = _emptying()


def _execute(server: str, statement: str) -> None:
    address = make_url(server).set(drivername="postgresql+psycopg")
    engine = create_engine(address, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text(statement))
    finally:
        engine.dispose()
