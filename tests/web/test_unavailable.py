"""A database that is gone or locked: 503 with a page, and one line in the log."""

from __future__ import annotations

import json
import logging
import secrets
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, text
from werkzeug.test import TestResponse

from tests.builders import pooled_campaign
from tests.uploads import upload
from workbench.settings import read_settings
from workbench.storage import engine
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow
from workbench.web.app import create_app
from workbench.web.errors import TITLES
from workbench.workflow.people.accounts import account_from
from workbench.workflow.people.signing_in import open_session


def client_with(app: Flask, token: str) -> FlaskClient:
    client = app.test_client()
    client.set_cookie("workbench", token)
    return client


def is_unavailable(answer: TestResponse, *, page: bool = True) -> bool:
    return (answer.status_code, answer.headers["Retry-After"]) == (503, "5") and (
        TITLES[503] in answer.text and ("<html" in answer.text) is page
    )


def test_a_database_that_is_gone_is_told_on_every_page_and_once_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    nobody_listens = Database("postgresql://workbench@127.0.0.1:1/nothing")
    app = create_app(read_settings(), nobody_listens)
    client = client_with(app, "token")
    with caplog.at_level(logging.INFO):
        for path in ("/", "/account", "/c/harbour/scores", "/sign-in"):
            assert is_unavailable(client.get(path))
        assert is_unavailable(client.post("/desk/events", json={}))
        assert is_unavailable(client.get("/", headers={"HX-Request": "true"}), page=False)
    assert [one.levelname for one in caplog.records if one.levelno > logging.INFO] == ["ERROR"]
    assert "the database does not respond: " in caplog.text
    assert "Traceback" not in caplog.text
    assert client.get("/healthz").status_code == 503


def test_a_damaged_file_is_told_to_the_log_and_a_desk_keeps_its_answers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "damaged.sqlite3"
    file.write_bytes(b"SQLite format 4\0" + bytes(8192))
    client = client_with(create_app(read_settings(), Database(f"sqlite:///{file}")), "token")
    # Whoever gets this sends it again; a refusal would be final.
    assert is_unavailable(client.post("/desk/events", json={}))
    assert "it is damaged: file is not a database" in caplog.text


def test_who_reads_does_not_wait_for_a_lock_and_who_saves_is_told_to_try_again(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.05)
    database = Database(sqlite_database.url)
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        account = account_from(db.get_one(AccountRow, made.organiser))
        token = open_session(db, account).token
    client = client_with(create_app(read_settings(), database), token)
    other = Database(database.url)  # as another process has one
    with other.writing() as db:
        db.execute(text("select 1"))
        assert client.get("/c/harbour/people").status_code == 200
        assert is_unavailable(client.post("/sign-out"))
    assert client.post("/sign-out").status_code == 303
    database.close()
    other.close()


def test_a_full_disk_is_told_in_its_own_words_by_pages_health_and_overview(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = sqlite_database
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        account = account_from(db.get_one(AccountRow, made.organiser))
        token = open_session(db, account).token
    client = client_with(create_app(read_settings(), database), token)
    assert client.get("/healthz").status_code == 200

    most = [2**30]

    def limit(connection: Any, *_: Any) -> None:
        # SQLite takes it for a full disk.
        connection.execute(f"pragma max_page_count = {most[0]}")

    event.listen(database.engine, "checkout", limit)
    with database.reading() as db:
        most[0] = int(db.scalar(text("pragma page_count")) or 0)
    content = json.dumps({"id": "long", "title": "", "text": secrets.token_hex(200_000)})

    def load() -> TestResponse:
        return client.post("/c/harbour/documents", data={"files": [upload("long.jsonl", content)]})

    answer = load()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "The disk of the server is full" in answer.text
    assert "Too many requests" not in answer.text
    health = client.get("/healthz")
    assert (health.status_code, health.text) == (503, "the disk of the server is full: nothing is saved\n")
    assert "The disk of the server is full: nothing is saved." in client.get("/c/harbour/").text
    most[0] = 2**30
    assert load().status_code == 303
    monkeypatch.setattr(engine, "FULL_SECONDS", 0)  # a minute later
    assert client.get("/healthz").status_code == 200
    assert "The disk of the server" not in client.get("/c/harbour/").text
    event.remove(database.engine, "checkout", limit)
