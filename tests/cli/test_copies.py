"""What backup, verify and restore print for people while and after they copy."""

from __future__ import annotations

import hashlib
import time
import zipfile
from pathlib import Path

import pytest

from tests.cli.executable import Terminal


def test_a_backup_is_written_once_and_verified_against(populated: Terminal, tmp_path: Path) -> None:
    before = "2 campaigns, 7 accounts"
    file = tmp_path / "all.zip"
    written, digest, moment, held = populated.does("backup", "--to", file).decode().splitlines()
    assert written == f"{file}: {file.stat().st_size:,} bytes, complete and read back"
    assert digest == f"SHA-256 {hashlib.sha256(file.read_bytes()).hexdigest()}"
    assert f" UTC: {before}, " in moment
    same = populated.does("verify", "--against", file).decode().splitlines()
    assert same[-1] == held
    assert same[-2].endswith(": nothing found")
    populated.does("account", "disable", "ada")
    done = populated.run("verify", "--against", file)
    assert done.returncode == 1
    *findings, counted, now = done.stdout.decode().splitlines()
    # The disabled account, and the entry of this in the trail.
    assert [line.split(":")[1].strip() for line in findings] == ["account", "trail"]
    assert counted.endswith(": 2 findings")
    assert now != held
    assert "not empty" in populated.refused("restore", file)
    assert "does not have this SHA-256" in populated.refused("restore", file, "--sha256", "0" * 64)
    assert str(file) in populated.refused("backup", "--to", file)
    # A name without an ending is a folder, from the first night on.
    for _ in range(2):
        populated.does("backup", "--to", tmp_path / "nights")
        time.sleep(1)
    assert len(list((tmp_path / "nights").glob("workbench-*.zip"))) == 2


@pytest.mark.parametrize("damage", ["header", "schema", "end"])
def test_a_damaged_database_is_said_to_be_and_what_to_do(populated: Terminal, damage: str) -> None:
    (file,) = populated.instance.glob("*.sqlite3")
    content = bytearray(file.read_bytes())
    if damage == "header":
        content[3] ^= 1
    elif damage == "schema":
        content[content.index(b"ix_one_time_token") + 12] ^= 1
    else:
        del content[-8192:]
    file.write_bytes(content)
    for words in (("verify",), ("backup",)):
        done = populated.run(*words)
        assert done.returncode == 1
        assert b"Traceback" not in done.stderr
        assert b"it is damaged: " in done.stderr
        assert b"restore the latest backup" in done.stderr


def test_a_backup_and_a_scale_that_are_nested_without_end_are_refused_in_words(
    populated: Terminal, tmp_path: Path
) -> None:
    file, scale = tmp_path / "deep.zip", tmp_path / "deep.json"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("manifest.json", "[" * 200_000)
    said = populated.refused("restore", file, "--instance", tmp_path / "new")
    assert "not a complete backup: it cannot be read as a backup: it is nested too deeply" in said
    scale.write_text("[" * 200_000)
    made = populated.refused("campaign", "new", "Deep", "--scale", scale, "--organiser", "olga")
    assert "nested too deeply" in made


def test_after_a_restore_the_next_command_is_for_that_database(populated: Terminal, tmp_path: Path) -> None:
    file, empty = tmp_path / "all.zip", tmp_path / "new place"
    populated.does("backup", "--to", file)
    first, _, last = populated.does("restore", file, "--instance", empty).decode().splitlines()
    assert first.startswith("Restored and compared with the backup: 2 campaigns, 7 accounts, ")
    assert last == f"Start it with: workbench serve --instance '{empty}'"
