"""Which database a command works on, and that only those which start an installation make or upgrade one."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from sqlalchemy import text

from tests.cli.executable import Terminal, new_instance, workbench
from workbench.cli.main import workbench as program
from workbench.storage import migrate
from workbench.storage.engine import Database
from workbench.storage.migrate import known_revisions

# Commands that need no database that is there, or take one of every version.
WITHOUT = {"init", "demo", "serve", "restore"}
ANY_VERSION = {"backup", "verify"}


def commands(group: click.Group, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every command that takes the options of a database."""
    found = []
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            if isinstance(command, click.Group):
                found += commands(command, (*words, name))
            elif {"instance", "database"} <= {one.name for one in command.params} and name not in WITHOUT:
                found.append((*words, name))
    return found


def arguments_of(words: tuple[str, ...], folder: Path) -> list[str]:
    """Words that every required argument and option of a command takes."""
    command: click.Command = program
    with click.Context(program) as context:
        for word in words:
            assert isinstance(command, click.Group)
            found = command.get_command(context, word)
            assert found is not None
            command = found
    file = folder / "file"
    file.write_text("1")
    given = []
    for one in command.params:
        if not one.required:
            continue
        value = str(file) if isinstance(one.type, click.Path) else "1"
        if isinstance(one.type, click.Choice):
            value = str(one.type.choices[0])
        given += [one.opts[0], value] if isinstance(one, click.Option) else [value] * max(1, one.nargs)
    return given


@pytest.mark.parametrize("words", commands(program), ids=" ".join)
def test_no_command_but_those_that_start_an_installation_makes_or_upgrades_a_database(
    words: tuple[str, ...], tmp_path: Path, migrated_sqlite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORKBENCH_DATABASE_URL", raising=False)
    monkeypatch.setenv("WORKBENCH_PASSWORD", "nine nets afloat")
    monkeypatch.setenv("WORKBENCH_MAIL_HOST", "mail.example.org")
    monkeypatch.setenv("WORKBENCH_MAIL_FROM", "site@example.org")
    monkeypatch.setenv("WORKBENCH_ADDRESS", "https://judge.example.org")
    monkeypatch.chdir(tmp_path)
    given, nowhere = arguments_of(words, tmp_path), tmp_path / "nowhere"
    workbench(*words, *given, "--instance", nowhere)
    assert not nowhere.exists()
    if words[-1] in ANY_VERSION:
        return
    older = new_instance(tmp_path / "older", migrated_sqlite)
    database = Database(f"sqlite:///{older / 'workbench.sqlite3'}")
    with database.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '0000'"))
    workbench(*words, *given, "--instance", older)
    with database.engine.connect() as connection:
        assert connection.scalar(text("select version_num from alembic_version")) == "0000"
    database.close()


def test_an_option_beats_the_environment(populated: Terminal, tmp_path: Path, migrated_sqlite: Path) -> None:
    rehearsal = new_instance(tmp_path / "rehearsal", migrated_sqlite)
    environment = {"WORKBENCH_DATABASE_URL": f"sqlite:///{populated.instance / 'workbench.sqlite3'}"}
    new = ("account", "new", "noor", "--password", "nine nets afloat")
    assert workbench(*new, "--instance", rehearsal, environment=environment).returncode == 0
    assert b"noor" not in populated.does("account", "list")
    listed = workbench("account", "list", "--instance", rehearsal, environment=environment)
    assert b"noor" in listed.stdout
    here = f"sqlite:///{rehearsal / 'workbench.sqlite3'}"
    assert b"noor" in workbench("account", "list", "--database", here, environment=environment).stdout
    both = ("account", "list", "--instance", rehearsal, "--database")
    assert workbench(*both, here, environment=environment).returncode == 0
    refused = workbench(*both, environment["WORKBENCH_DATABASE_URL"], environment=environment)
    assert (refused.returncode, b"name two databases" in refused.stderr) == (2, True)


def test_who_reads_is_told_that_there_is_no_database_or_an_older_one(
    populated: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*words: str | Path) -> str:
        return populated.refused("account", "list", *words)

    assert "there is no database in" in refused("--instance", tmp_path / "nowhere")
    (tmp_path / "empty.sqlite3").touch()
    assert "there is no database of Workbench in" in refused(
        "--database", f"sqlite:///{tmp_path}/empty.sqlite3"
    )
    with populated.database() as database, database.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = 'later'"))
    assert "was upgraded by a newer version" in refused()
    with populated.database() as database, database.engine.begin() as connection:
        connection.execute(
            text("update alembic_version set version_num = :one"), {"one": known_revisions()[0]}
        )
    monkeypatch.setattr(migrate, "known_revisions", lambda: (*known_revisions(), "next"))
    assert "`workbench serve` upgrades it" in refused()


def test_nobody_else_reads_what_lies_beside_a_new_database(tmp_path: Path) -> None:
    given = ("--login", "olga", "--password", "nine nets afloat", "--instance", tmp_path / "new")
    workbench("init", *given, environment={"WORKBENCH_DATABASE_URL": None})
    (beside,) = (tmp_path / "new").glob("*-next")
    assert beside.stat().st_mode & 0o777 == 0o600
