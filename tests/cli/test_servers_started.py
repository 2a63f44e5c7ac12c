"""What `workbench serve` and `workbench demo` do before they serve; nothing is served here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from tests.cast import CHEAP
from tests.cli.executable import Terminal, new_instance
from workbench.cli import serve
from workbench.demo.campaign import PEOPLE, SLUG
from workbench.records import BINARY
from workbench.settings import Settings
from workbench.storage.tables import CampaignRow
from workbench.workflow.campaigns.campaigns import create_campaign

Served = list[dict[str, Any]]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Served:
    """What would have been served: the settings, host and port of each server."""
    found: Served = []

    def note(settings: Settings, **where: Any) -> None:
        found.append({"instance": settings.instance, **where})

    monkeypatch.setattr(serve, "serve_until_interrupted", note)
    return found


def test_serving_says_where_and_that_there_is_no_account_yet(terminal: Terminal, served: Served) -> None:
    first, data, stop, empty = terminal.does("serve", "--port", "0").decode().splitlines()
    (server,) = served
    assert server == {
        "instance": terminal.instance, "host": "127.0.0.1", "port": server["port"],
    }  # fmt: skip
    assert server["port"] > 0
    assert first == f"Workbench serves http://127.0.0.1:{server['port']}"
    assert data == f"Data: {terminal.instance / 'workbench.sqlite3'}"
    assert stop == "Stop with Ctrl-C."
    assert empty.startswith("There is no account yet")


def test_with_an_account_nobody_is_told_to_create_one(populated: Terminal, served: Served) -> None:
    assert b"no account" not in populated.does("serve", "--port", "0")
    assert len(served) == 1


class Demo(Terminal):
    """A terminal for `workbench demo`, whose campaign is an empty one: the whole one takes seconds."""

    def __init__(self, folder: Path, migrated: Path) -> None:
        super().__init__(folder)
        folder.mkdir()
        new_instance(folder / "demo", migrated)
        self.hashes: list[Mapping[str, str]] = []

    def make(self, db: Session, hashes: Mapping[str, str]) -> None:
        """What stands in for making the whole demo."""
        create_campaign(db, name="Demo", slug=SLUG, scale=BINARY)
        db.execute(update(CampaignRow).values(illustrative=True))
        self.hashes.append(hashes)


@pytest.fixture
def demonstration(tmp_path: Path, migrated_sqlite: Path, monkeypatch: pytest.MonkeyPatch) -> Demo:
    made = Demo(tmp_path / "instance", migrated_sqlite)
    monkeypatch.setattr(serve, "make_demo", made.make)
    monkeypatch.setattr(serve, "Passwords", lambda: CHEAP)
    return made


def test_the_demo_is_made_once_and_goes_on_with_its_passwords(demonstration: Demo, served: Served) -> None:
    chosen = "four boats at anchor"
    told = demonstration.does("demo", "--port", "0", "--password", chosen).decode()
    assert told.startswith("Making the demo campaign…\n")
    (hashes,) = demonstration.hashes
    assert hashes.keys() == {person.login for person in PEOPLE}
    assert all(CHEAP.matches(chosen, one) for one in hashes.values())
    for person in PEOPLE:
        assert f"  {person.login:<10} {chosen}   {person.role}" in told
    (server,) = served
    assert server["host"] == "127.0.0.1"
    assert server["instance"] == demonstration.instance / "demo"
    again = demonstration.run("demo", "--make-only", "--password", "another one at anchor")
    assert b"Making the demo" not in again.stdout
    assert b"its passwords stay as they are (--fresh creates it again)" in again.stderr
    assert (len(demonstration.hashes), len(served)) == (1, 1)


def test_a_fresh_demo_forgets_what_was_judged(demonstration: Demo) -> None:
    demonstration.does("demo", "--make-only")
    notes = demonstration.instance / "demo" / "notes"
    notes.write_text("mine")
    told = demonstration.does("demo", "--make-only", "--fresh").decode()
    assert told.startswith("Making the demo campaign…\n")
    assert len(demonstration.hashes) == 2
    assert notes.read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--host", "0.0.0.0"), "the password of the demo is public (choose another with --password)"),
        (("--password", "1234"), "error: Password: "),
    ],
)
def test_a_demo_that_others_could_enter_is_refused(
    demonstration: Demo, served: Served, words: tuple[str, ...], said: str
) -> None:
    assert said in demonstration.refused("demo", *words)
    assert (demonstration.hashes, served) == ([], [])


def test_others_may_reach_a_demo_with_a_password_of_its_own(demonstration: Demo, served: Served) -> None:
    demonstration.does("demo", "--host", "0.0.0.0", "--port", "0", "--password", "four boats at anchor")
    assert [one["host"] for one in served] == ["0.0.0.0"]
