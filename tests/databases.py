"""Databases for tests, quickly: each kind is migrated once; SQLite's file is copied, PostgreSQL's emptied."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
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
def new_postgresql_database(server: str) -> Iterator[str]:
    """The address of a database without tables on that server; dropped at the end."""
    name = f"workbench_test_{secrets.token_hex(6)}"
    _execute(server, f'create database "{name}"')
    try:
        yield make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        # Without force: a test that leaves a connection open fails here.
        _execute(server, f'drop database "{name}"')


def empty_all_tables(database: Database) -> None:
    """Delete every row and number rows from 1 again; much quicker than a new PostgreSQL database."""
    tables = Base.metadata.sorted_tables
    with database.writing() as db:
        # A transaction that a test left open would hold its locks for ever.
        db.execute(text("set local lock_timeout = '5s'"))
        for table in reversed(tables):
            db.execute(table.delete())
        for table in tables:
            if "id" in table.columns:
                db.execute(text(f"select setval(pg_get_serial_sequence('{table.name}', 'id'), 1, false)"))


def _execute(server: str, statement: str) -> None:
    address = make_url(server).set(drivername="postgresql+psycopg")
    engine = create_engine(address, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text(statement))
    finally:
        engine.dispose()
