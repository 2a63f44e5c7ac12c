"""Releases by the API: made, listed, downloaded, published and withdrawn, and what is refused."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api import API, program
from tests.cast import Cast
from tests.uploads import import_judgments
from tests.web.conftest import Enter
from workbench.releases.check import check_release
from workbench.storage.engine import Database
from workbench.workflow.people.sessions import Scope

RELEASES = f"{API}/campaigns/harbour/releases"
# By majority: d1 of T1 is 3, é5 of T2 is 1; on d2 two differ.
ROWS = [
    ("T1", "d1", "X", "3"), ("T1", "d1", "Y", "3"), ("T1", "d1", "Z", "0"),
    ("T1", "d2", "X", "2"), ("T1", "d2", "Y", "0"), ("T2", "é5", "X", "1"),
]  # fmt: skip


@pytest.fixture
def olga(app: Flask, sqlite_database: Database, cast: Cast, enter: Enter) -> FlaskClient:
    assert import_judgments(enter("Olga"), ROWS).status_code == 303
    return program(app, sqlite_database, cast.accounts["Olga"])


@pytest.fixture
def vera(app: Flask, sqlite_database: Database, cast: Cast) -> FlaskClient:
    return program(app, sqlite_database, cast.accounts["Vera"])


def made(client: FlaskClient, **choice: Any) -> dict[str, Any]:
    answer = client.post(RELEASES, json=choice)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.get_json()
    return found


def refusal(answer: Any) -> tuple[int, list[tuple[str, str]]]:
    findings = answer.get_json()["findings"]
    return answer.status_code, [(one["code"], one["remedy"]) for one in findings]


def test_a_release_is_made_with_what_is_still_open_and_downloads_as_it_was_made(
    olga: FlaskClient, vera: FlaskClient
) -> None:
    first = made(olga, licence="CC-BY-4.0", authors=["Ö. Ames"])
    assert (first["version"], first["lines"]) == ("1.0", 2)
    assert "disputes" in {one["code"] for one in first["warnings"]}
    second = made(olga, version="2.0", rule="any", include=["documents"])
    # Highest grade: d2 of T1 has one as well.
    assert second["lines"] == 3
    listed = vera.get(RELEASES).get_json()["items"]
    assert [one["version"] for one in listed] == ["1.0", "2.0"]
    assert vera.get(f"{RELEASES}/1.0").get_json() == listed[0]
    content = vera.get(f"{RELEASES}/1.0/zip").data
    assert hashlib.sha256(content).hexdigest() == listed[0]["sha256"]
    assert check_release(io.BytesIO(content), source="release.zip").whole


def test_a_release_is_published_taken_back_and_withdrawn_for_a_reason(olga: FlaskClient) -> None:
    made(olga)
    state = f"{RELEASES}/1.0/state"
    assert olga.post(state, json={"state": "public"}).get_json()["public"] is True
    assert olga.post(state, json={"state": "members"}).get_json()["public"] is False
    assert refusal(olga.post(state, json={"state": "withdrawn"}))[0] == 422
    withdrawn = olga.post(state, json={"state": "withdrawn", "reason": "T2 was wrong"}).get_json()
    assert (withdrawn["withdrawn"], withdrawn["withdrawn_by"]) == (True, "Olga")
    assert withdrawn["withdrawn_reason"] == "T2 was wrong"
    assert olga.post(state, json={"state": "public"}).status_code == 409
    assert olga.post(state, json={"state": "nowhere"}).status_code == 422


def test_what_no_release_can_have_is_refused_and_nothing_is_made(
    olga: FlaskClient, vera: FlaskClient
) -> None:
    status, findings = refusal(olga.post(RELEASES, json={"parameters": {"depth": "3"}}))
    assert status == 422
    assert findings[0][0] == "parameter"
    assert findings[0][1].startswith("choose one of ")
    for wrong in ({"rule": "magic"}, {"version": "no version"}, {"include": ["names"]}, {"colour": "red"}):
        assert olga.post(RELEASES, json=wrong).status_code == 422, wrong
    assert vera.post(RELEASES, json={}).status_code == 403
    assert olga.get(f"{RELEASES}/9").status_code == 404
    assert olga.get(f"{RELEASES}/9/zip").status_code == 404
    assert olga.get(RELEASES).get_json()["items"] == []


def test_a_token_that_may_only_read_makes_and_publishes_no_release(
    app: Flask, sqlite_database: Database, cast: Cast, olga: FlaskClient
) -> None:
    made(olga)
    reader = program(app, sqlite_database, cast.accounts["Olga"], [Scope.READ])
    assert reader.get(RELEASES).status_code == 200
    assert reader.post(RELEASES, json={}).status_code == 403
    assert reader.post(f"{RELEASES}/1.0/state", json={"state": "public"}).status_code == 403
