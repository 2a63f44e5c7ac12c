"""Backup, restore and verify by commands."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.cli.executable import workbench
from tests.databases import opened
from workbench.storage.tables import AccountRow

UNSET = {"WORKBENCH_INSTANCE": None, "WORKBENCH_DATABASE_URL": None}


def printed(*words: str | Path, code: int = 0) -> Any:
    """What a command prints as JSON; it must end with this exit code."""
    done = workbench(*words, "--json", environment=UNSET)
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.fixture
def instance(tmp_path: Path, migrated_sqlite: Path) -> Path:
    """An instance with an account."""
    folder = tmp_path / "one"
    folder.mkdir()
    shutil.copyfile(migrated_sqlite, folder / "workbench.sqlite3")
    with opened(f"sqlite:///{folder / 'workbench.sqlite3'}") as database, database.writing() as db:
        now = datetime(2026, 1, 2, tzinfo=UTC)
        db.add(AccountRow(login="ada", name="Ada", password_hash="-", created_at=now))
    return folder


@pytest.mark.slow
def test_an_instance_is_backed_up_restored_and_verified(instance: Path, tmp_path: Path) -> None:
    made = printed("backup", "--instance", instance)
    file = Path(made["path"])
    assert file.parent == instance / "backups"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == made["sha256"]
    assert made["contents"]["tables"]["account"]["rows"] == 1

    other = tmp_path / "two"
    restored = printed("restore", file, "--sha256", made["sha256"], "--instance", other)
    assert restored == {"contents": made["contents"]}
    (error,) = printed("restore", file, "--instance", other, code=1)["errors"]
    assert "not empty" in error["message"]

    found = printed("verify", "--against", file, "--instance", other)
    assert (found["sound"], found["findings"], found["contents"]) == (True, [], made["contents"])
    with opened(f"sqlite:///{other / 'workbench.sqlite3'}") as database, database.writing() as db:
        db.execute(text("update account set name = 'Eve'"))
    found = printed("verify", "--against", file, "--instance", other, code=1)
    assert [(one["code"], one["source"]) for one in found["findings"]] == [("not-as-backup", "account")]


def test_findings_are_lines_with_code_place_and_remedy(instance: Path) -> None:
    with opened(f"sqlite:///{instance / 'workbench.sqlite3'}") as database, database.writing() as db:
        db.execute(text("drop trigger release_part_is_final"))
    done = workbench("verify", "--instance", instance, environment=UNSET)
    first, _ = done.stdout.decode().split("\n", 1)
    assert done.returncode == 1
    assert first.startswith("error schema: release_part: ")
    assert first.endswith(")")


def test_a_place_without_a_database_is_refused_and_stays_empty(tmp_path: Path, instance: Path) -> None:
    nowhere = tmp_path / "nowhere"
    for command in ("backup", "verify"):
        (error,) = printed(command, "--instance", nowhere, code=1)["errors"]
        assert "no database" in error["message"]
    assert not nowhere.exists()
    file = printed("backup", "--instance", instance)["path"]
    assert printed("restore", file, "--sha256", "0" * 64, "--instance", nowhere, code=1)["errors"]
    assert not nowhere.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes for others")
def test_a_backup_that_root_writes_belongs_to_the_owner_of_the_instance(instance: Path) -> None:
    """As from a terminal of root, before the service's own backup: it must be able to write there."""
    os.chown(instance, 65534, 65534)
    file = Path(printed("backup", "--instance", instance)["path"])
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in (file, file.parent)}
    assert owners == {(65534, 65534)}
    assert (instance / "last-backup.json").stat().st_uid == 65534
