"""Databases whose engine is the test's own and as the product opens it, which waits for the disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import empty_all_tables, opened, opened_copy
from workbench.storage.engine import Database


@pytest.fixture
def sqlite_database(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """A migrated SQLite database of the test's own."""
    with opened_copy(migrated_sqlite, tmp_path) as database:
        yield database


@pytest.fixture
def postgresql_database(lasting_postgresql: Database) -> Iterator[Database]:
    """A migrated PostgreSQL database without rows; its tables must be left as they are."""
    with opened(lasting_postgresql.url) as database:
        empty_all_tables(database)
        yield database
