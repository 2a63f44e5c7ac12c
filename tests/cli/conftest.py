"""An instance and a terminal on it, for tests of commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from argon2 import PasswordHasher

from tests.cast import assemble
from tests.cli.executable import Terminal, new_instance


@pytest.fixture
def terminal(tmp_path: Path, migrated_sqlite: Path) -> Terminal:
    """A terminal with an instance whose database has no rows."""
    return Terminal(new_instance(tmp_path / "instance", migrated_sqlite))


@pytest.fixture
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands hash passwords at the least cost, which is tested elsewhere."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("workbench.workflow.people.accounts.PasswordHasher", lambda: cheap)


@pytest.fixture(scope="session")
def populated_sqlite(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Path:
    """A file to copy: the people of `tests.cast`, and the campaign harbour with two runs and a pool."""
    made = Terminal(new_instance(tmp_path_factory.mktemp("populated") / "instance", migrated_sqlite))
    with made.database() as database:
        assemble(database)
    return made.instance / "workbench.sqlite3"


@pytest.fixture
def populated(tmp_path: Path, populated_sqlite: Path) -> Terminal:
    """A terminal with an instance of the people of `tests.cast` and their campaign harbour."""
    return Terminal(new_instance(tmp_path / "instance", populated_sqlite))
