"""The application as a server starts it."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from workbench.errors import WorkbenchError
from workbench.web import app as module
from workbench.web.pages import health


def test_the_application_of_an_environment_has_a_migrated_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_INSTANCE", str(tmp_path))
    client = module.from_environment().test_client()
    assert (tmp_path / "workbench.sqlite3").is_file()
    assert client.get("/healthz").status_code == 200
    assert client.get("/").location == "/welcome"


def test_a_server_without_its_database_says_so_and_no_more(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_database: object) -> None:
        raise WorkbenchError("password authentication failed for user olga")

    monkeypatch.setattr(health, "reachable", away)
    answer = app.test_client().get("/healthz")
    assert (answer.status_code, answer.text) == (503, "the database does not answer\n")
