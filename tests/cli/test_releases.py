"""Releases by commands: made, listed, checked, compared, imported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.executable import Done, workbench
from tests.databases import opened
from tests.workflow.releases.filled import filled_campaign

TIME = ("--at", "2026-03-04T05:06:07Z", "--seed", "11")


class Shell:
    """The `workbench` command on an instance of its own."""

    def __init__(self, instance: Path) -> None:
        self.instance = instance

    def run(self, *words: str | Path) -> Done:
        """Run one command."""
        environment = {"WORKBENCH_INSTANCE": str(self.instance), "WORKBENCH_DATABASE_URL": None}
        return workbench(*words, environment=environment)

    def does(self, *words: str | Path) -> bytes:
        """Run one command that must end well; gives what it printed."""
        done = self.run(*words)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout


def shell(folder: Path, migrated: Path) -> Shell:
    folder.mkdir()
    shutil.copyfile(migrated, folder / "workbench.sqlite3")
    return Shell(folder)


@pytest.fixture
def filled(tmp_path: Path, migrated_sqlite: Path) -> Shell:
    """An instance with the campaign harbour."""
    made = shell(tmp_path / "one", migrated_sqlite)
    with opened(f"sqlite:///{made.instance / 'workbench.sqlite3'}") as database, database.writing() as db:
        filled_campaign(db)
    return made


@pytest.mark.slow
def test_a_release_goes_from_one_machine_to_another_and_back(
    filled: Shell, tmp_path: Path, migrated_sqlite: Path
) -> None:
    create = ("campaign", "release", "create", "harbour", "--rule", "adjudicated", *TIME)
    made = json.loads(filled.does(*create, "--include", "runs", "--json"))
    assert (made["version"], made["lines"], made["public"]) == ("1.0", 5, False)
    zip_file = tmp_path / "harbour-1.0.zip"
    filled.does("campaign", "release", "download", "harbour", "1.0", "-o", zip_file)
    (checked,) = json.loads(filled.does("release", "check", zip_file, "--sha256", made["sha256"], "--json"))
    assert checked["whole"] is True

    other = shell(tmp_path / "two", migrated_sqlite)
    assert other.does("campaign", "release", "import", zip_file) == b"harbour\n"
    other.does(*create, "--include", "runs", "--json")
    assert other.does("campaign", "release", "download", "harbour", "1.0") == zip_file.read_bytes()

    second = ("campaign", "release", "create", "harbour", "--rule", "all", *TIME)
    assert b"release 1.1" in filled.does(*second)
    compared = json.loads(filled.does("campaign", "release", "compare", "harbour", "1.0", "1.1", "--json"))
    # By the lowest grade d2 of T1 is 0 and not 1, d1 of T1 still 2; the machine does not count.
    assert [(one["docno"], one["before"], one["after"]) for one in compared["changed"]] == [("d2", 1, 0)]
    assert {one["tag"] for one in compared["ranking"]["runs"]} == {"alpha", "beta"}
    listed = filled.does("campaign", "release", "list", "harbour").decode().splitlines()
    assert [line.split("\t")[0] for line in listed] == ["version", "1.1", "1.0"]


def test_releases_are_published_and_withdrawn(filled: Shell) -> None:
    filled.does("campaign", "release", "create", "harbour", *TIME)
    assert (
        json.loads(filled.does("campaign", "release", "publish", "harbour", "1.0", "--json"))["public"]
        is True
    )
    filled.does("campaign", "release", "withdraw", "harbour", "1.0", "--reason", "wrong topics")
    shown = json.loads(filled.does("campaign", "release", "show", "harbour", "1.0", "--json"))
    assert (shown["withdrawn"], shown["withdrawn_reason"]) == (True, "wrong topics")
    downloaded = filled.run("campaign", "release", "download", "harbour", "1.0")
    assert b"wrong topics" in downloaded.stderr
    assert filled.run("campaign", "release", "create", "harbour", "--version", "1.0").returncode == 1


def test_a_damaged_release_is_refused_by_every_command(filled: Shell, tmp_path: Path) -> None:
    filled.does("campaign", "release", "create", "harbour", *TIME)
    content = bytearray(filled.does("campaign", "release", "download", "harbour", "1.0"))
    content[content.index(b"Read *it*")] ^= 1
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(content)
    done = filled.run("release", "check", damaged)
    assert done.returncode == 1
    assert b"guidelines.md" in done.stderr
    assert filled.run("release", "compare", damaged, damaged).returncode == 1
    assert filled.run("campaign", "release", "import", damaged).returncode == 1
