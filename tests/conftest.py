"""Fixtures that every room's tests may ask for."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from sqlalchemy import make_url

from tests.clusters import own_prefix, running_cluster
from tests.databases import (
    empty_all_tables,
    fill,
    lasting,
    migrated_sqlite_file,
    new_postgresql_database,
    opened,
    opened_copy,
    shared,
)
from tests.postgresql import postgresql_server
from tests.support import examples
from workbench.records import SearchCluster
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate

# Thousands of small databases are written and thrown away: in memory, where there is room for them.
MEMORY, ROOM_BYTES = Path("/dev/shm"), 6 << 30
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and disk_usage(MEMORY).free >= ROOM_BYTES:
    # pytest has asked for the folder already, which Python remembers.
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

if TYPE_CHECKING:
    from tests.openid import RunningProvider


def pytest_configure() -> None:
    """Forget the settings of whoever runs the tests, lest they reach a real database."""
    for name in [name for name in os.environ if name.startswith("WORKBENCH_")]:
        if not name.startswith("WORKBENCH_TEST_"):
            del os.environ[name]
    # ir_datasets makes folders there as it is imported.
    os.environ["IR_DATASETS_HOME"] = str(Path(gettempdir(), "workbench-test-collections"))


# How long an example takes is no property of the code; and a shared machine must see the same examples again.
HERE = settings(deadline=None, max_examples=examples(20))
settings.register_profile("here", HERE)
settings.register_profile("shared machine", HERE, derandomize=True)
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
def cluster_url() -> Iterator[str]:
    """The address of a search cluster."""
    with running_cluster() as url:
        yield url


@pytest.fixture
def cluster(cluster_url: str) -> Iterator[SearchCluster]:
    """A search cluster in which this test is alone."""
    with own_prefix(cluster_url) as own:
        yield own


@pytest.fixture(scope="session")
def lasting_postgresql(postgresql_url: str) -> Iterator[Database]:
    """One migrated PostgreSQL database, which tests share one after another."""
    with new_postgresql_database(postgresql_url) as url, lasting(url) as database:
        migrate(database)
        yield database


@pytest.fixture(scope="session")
def migrated_postgresql(postgresql_url: str) -> Iterator[str]:
    """The name of a migrated PostgreSQL database to copy, which nobody uses."""
    with new_postgresql_database(postgresql_url) as url:
        with opened(url) as database:
            migrate(database)
        yield str(make_url(url).database)


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy."""
    return migrated_sqlite_file(tmp_path_factory.mktemp("migrated") / "migrated.sqlite3")


@pytest.fixture(scope="session")
def lasting_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One SQLite database, whose file every test replaces by a copy."""
    with lasting(f"sqlite:///{tmp_path_factory.mktemp('lasting') / 'workbench.sqlite3'}") as database:
        yield database


@pytest.fixture
def sqlite_database(lasting_sqlite: Database, migrated_sqlite: Path) -> Database:
    """A migrated SQLite database without rows."""
    fill(lasting_sqlite, migrated_sqlite)
    return shared(lasting_sqlite)


@pytest.fixture
def postgresql_database(lasting_postgresql: Database) -> Database:
    """A migrated PostgreSQL database without rows; its tables must be left as they are."""
    empty_all_tables(lasting_postgresql)
    return shared(lasting_postgresql)


def pytest_collection_finish() -> None:
    """Have Python's collector pass by what the collected tests hold: a twentieth of all processor time."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave PostgreSQL to `-m slow` where a test is not marked `engines`: its SQL is plain."""
    for item in items:
        call = getattr(item, "callspec", None)
        on_postgresql = call is not None and call.params.get("database") == "postgresql"
        if on_postgresql and not item.get_closest_marker("engines"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def lasting_provider() -> Iterator[RunningProvider]:
    """One OpenID provider, which tests share one after another."""
    from tests.openid import running_provider  # its libraries take a second to load

    with running_provider() as running:
        yield running


@pytest.fixture
def running(lasting_provider: RunningProvider) -> RunningProvider:
    """An OpenID provider that has been asked nothing."""
    for changed in (lasting_provider.exchanges, lasting_provider.asked, lasting_provider.instead):
        changed.clear()
    return lasting_provider


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    """A migrated database without rows; a test marked `engines` runs on each kind, another on SQLite."""
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


@pytest.fixture(params=["sqlite", "postgresql"])
def own_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A migrated database that the test may spoil; a copy, since migrating one takes a second."""
    if request.param == "sqlite":
        with opened_copy(request.getfixturevalue("migrated_sqlite"), tmp_path) as database:
            yield database
        return
    server, like = (request.getfixturevalue(name) for name in ("postgresql_url", "migrated_postgresql"))
    with new_postgresql_database(server, like=like) as url, opened(url) as database:
        yield database
