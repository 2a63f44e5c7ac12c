"""Fixtures of the tests of the use-cases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy.orm import Session

from workbench.storage.engine import Database


@pytest.fixture
def db(database: Database) -> Iterator[Session]:
    """A writing transaction on a migrated database without rows."""
    with database.writing() as session:
        yield session
