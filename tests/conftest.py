"""Fixtures that every room's tests may ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.databases import (
    empty_all_tables,
    migrated_sqlite_file,
    new_postgresql_database,
    opened,
    opened_copy,
)
from tests.postgresql import postgresql_server
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate


def pytest_configure() -> None:
    """Forget the settings of whoever runs the tests, lest they reach a real database."""
    for name in [name for name in os.environ if name.startswith("WORKBENCH_")]:
        if not name.startswith("WORKBENCH_TEST_"):
            del os.environ[name]


# How long an example takes is no property of the code; and a shared machine must see the same examples again.
settings.register_profile("here", deadline=None)
settings.register_profile("shared machine", deadline=None, derandomize=True)
settings.load_profile("shared machine" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """The address of a PostgreSQL server: our own, or the one that WORKBENCH_TEST_POSTGRESQL names."""
    given = os.environ.get("WORKBENCH_TEST_POSTGRESQL")
    if given:
        yield given
        return
    with postgresql_server() as url:
        yield url


@pytest.fixture(scope="session")
def migrated_postgresql_url(postgresql_url: str) -> Iterator[str]:
    """The address of one migrated PostgreSQL database, which tests share one after another."""
    with new_postgresql_database(postgresql_url) as url:
        with opened(url) as database:
            migrate(database)
        yield url


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy."""
    return migrated_sqlite_file(tmp_path_factory.mktemp("migrated") / "migrated.sqlite3")


@pytest.fixture
def sqlite_database(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """A migrated SQLite database of the test's own."""
    with opened_copy(migrated_sqlite, tmp_path) as database:
        yield database


@pytest.fixture
def postgresql_database(migrated_postgresql_url: str) -> Iterator[Database]:
    """A migrated PostgreSQL database without rows; its tables must be left as they are."""
    with opened(migrated_postgresql_url) as database:
        empty_all_tables(database)
        yield database


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    """A migrated database without rows; the test runs once on each kind."""
    found = request.getfixturevalue(f"{request.param}_database")
    assert isinstance(found, Database)
    return found


@pytest.fixture(params=["sqlite", "postgresql"])
def unmigrated_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of the test's own without tables; the test runs once on each kind."""
    if request.param == "sqlite":
        with opened(f"sqlite:///{tmp_path / 'unmigrated.sqlite3'}") as database:
            yield database
        return
    server: str = request.getfixturevalue("postgresql_url")
    with new_postgresql_database(server) as url, opened(url) as database:
        yield database
