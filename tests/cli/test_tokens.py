"""Access tokens in the terminal: made, listed, revoked, and each act in the trail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.cli.executable import new_instance
from tests.databases import opened
from workbench.cli.main import workbench
from workbench.workflow.campaigns.visits import token_visit_of
from workbench.workflow.people.sessions import PREFIX, Scope
from workbench.workflow.people.trail import TrailFilter, trail_entries


def run(instance: Path, *words: str) -> str:
    done = CliRunner().invoke(
        workbench, [*words, "--instance", str(instance)], env={"WORKBENCH_PASSWORD": "the tide comes twice"}
    )
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.usefixtures("cheap_passwords")
def test_a_token_is_made_listed_and_revoked(tmp_path: Path, migrated_sqlite: Path) -> None:
    instance = new_instance(tmp_path / "instance", migrated_sqlite)
    run(instance, "init", "--login", "ibarra")
    words = ("--name", "Nightly runs", "--scope", "runs", "--scope", "read", "--days", "30")
    secret = run(instance, "token", "new", "ibarra", *words).strip()
    assert secret.startswith(PREFIX)
    listed = run(instance, "token", "list", "ibarra", "--json")
    assert secret not in listed
    (token,) = json.loads(listed)
    assert (token["name"], token["scopes"], token["used_at"]) == ("Nightly runs", ["read", "runs"], None)
    with opened(f"sqlite:///{instance / 'workbench.sqlite3'}") as database:
        with database.asking() as connection:
            found = token_visit_of(connection, secret)
        assert found is not None
        assert (found.visit.account.login, found.scopes) == ("ibarra", (Scope.READ, Scope.RUNS))
    run(instance, "token", "revoke", "ibarra", str(token["token"]))
    with opened(f"sqlite:///{instance / 'workbench.sqlite3'}") as database:
        with database.asking() as connection:
            assert token_visit_of(connection, secret) is None
        with database.reading() as db:
            entries = trail_entries(db, TrailFilter(act="command token"))
        assert [one.act for one in entries] == ["command token revoke", "command token new"]
        # What opens something is in no entry.
        assert not any(secret in json.dumps(one.details) for one in entries)
