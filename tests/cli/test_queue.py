"""Queues from the terminal: made, given, watched, taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import new_instance
from tests.workflow.judging.queued import POOL, queued_pool
from workbench.cli.campaign import command
from workbench.errors import WorkbenchError
from workbench.storage.engine import Database


@pytest.fixture
def instance(tmp_path: Path, migrated_sqlite: Path) -> Path:
    """An instance with a queue of three documents that is given to nobody; two judgments are asked for."""
    folder = new_instance(tmp_path / "instance", migrated_sqlite)
    database = Database(f"sqlite:///{folder / 'workbench.sqlite3'}")
    with database.writing() as db:
        queued_pool(db, documents=3, give=False)
    database.close()
    return folder


def say(instance: Path, *words: str) -> Result:
    done = CliRunner().invoke(command, ["queue", *words, f"--instance={instance}"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def test_a_queue_goes_its_way_by_commands(instance: Path) -> None:
    assert "2 per pair" in say(instance, "make", "harbour", POOL, "--per-pair=2", "--lease=60").stdout
    with pytest.raises(WorkbenchError, match="Nobody is not an assessor with an account"):
        say(instance, "give", "harbour", POOL, "--assessor=Nobody")
    assert say(instance, "give", "harbour", POOL, "--assessor=Ada").stdout == "1 assignments added\n"
    assert say(instance, "give", "harbour", POOL).stdout == "2 assignments added\n"
    found = json.loads(say(instance, "status", "harbour", POOL, "--json").stdout)
    assert (found["per_pair"], found["lease_minutes"], found["waiting"], found["needed"]) == (2, 60, 3, 6)
    assert found["assessors"] == ["Ada", "Ben", "Cleo"]
    assert f"{POOL}: 0 of 6 judgments, 0 of 3 pairs" in say(instance, "status", "harbour", POOL).stdout
    assert say(instance, "take-back", "harbour", POOL, "--assessor=Ada").stdout == "0 pairs released\n"
    assert "; 0 unanswered pairs" in say(instance, "end", "harbour", POOL).stdout
