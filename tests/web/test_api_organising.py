"""What organisers' programs change: pools, assignments, texts, records of runs, the campaign."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api import API, program
from tests.cast import Cast
from workbench.storage.engine import Database

HARBOUR = f"{API}/campaigns/harbour"


@pytest.fixture
def olga(app: Flask, sqlite_database: Database, cast: Cast) -> FlaskClient:
    return program(app, sqlite_database, cast.accounts["Olga"])


def findings(answer: Any, status: int = 422) -> list[tuple[str, str]]:
    assert answer.status_code == status, answer.text
    return [(one["code"], one["message"]) for one in answer.get_json()["findings"]]


def pool_name(olga: FlaskClient) -> str:
    (pool,) = olga.get(f"{HARBOUR}/pools").get_json()["items"]
    return str(pool["name"])


def test_documents_are_added_to_a_topic_all_or_none(olga: FlaskClient) -> None:
    pairs = f"{HARBOUR}/pools/{pool_name(olga)}/pairs"
    sent = {"topic": "T1", "docnos": ["d6", "d1"], "reason": "seen in a footnote"}
    # d1 is pooled already.
    assert olga.post(pairs, json=sent).get_json() == {"added": ["d6"], "passed": ["d1"], "without_text": []}
    before = olga.get(f"{pairs}.tsv").text
    assert "T1\td6\tmanual\n" in before
    assert findings(olga.post(pairs, json=sent | {"docnos": ["d#3", "new7"]})) == [
        ("docno-unknown", "new7 is no document of this campaign")
    ]
    assert olga.get(f"{pairs}.tsv").text == before


def test_assignments_are_given_by_name_listed_and_removed(olga: FlaskClient) -> None:
    place = f"{HARBOUR}/assignments"
    pool = pool_name(olga)
    lines = olga.get(place).get_json()["items"]
    assert len(lines) == 4
    assert findings(olga.post(place, json={"pool": pool, "assessors": ["Ada", "Zoe"]})) == [
        ("assessor", "'Zoe' is not an assessor who can judge")
    ]
    assert olga.delete(f"{place}/{lines[0]['assignment']}").status_code == 204
    assert len(olga.get(place).get_json()["items"]) == 3
    assert olga.delete(f"{place}/999").status_code == 404
    assert olga.post(place, json={"pool": pool, "topics": ["T1", "T2"]}).get_json() == {"added": 1}
    assert olga.post(place, json={"pool": pool, "per_topic": 2}).get_json() == {"added": 0}


def cursor(key: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("documents", "not base64!"),
        ("documents", cursor(7)),
        ("assignments", cursor("T1")),
        ("assignments", base64.urlsafe_b64encode(b"{").decode()),
        ("pools/{pool}/pairs", cursor(["T1"])),
        ("pools/{pool}/pairs", cursor(["T1", 7])),
        ("pools/{pool}/pairs", cursor(7)),
        ("pools/{pool}/pairs", cursor(["T1", "a\0b"])),
    ],
)
def test_a_cursor_of_another_list_is_refused(olga: FlaskClient, place: str, named: str) -> None:
    address = f"{HARBOUR}/{place.format(pool=pool_name(olga))}"
    assert findings(olga.get(address, query_string={"cursor": named})) == [
        ("cursor", "this is not a cursor of this list")
    ]


def test_documents_are_loaded_from_the_body_and_only_those_that_are_pooled(olga: FlaskClient) -> None:
    place = f"{HARBOUR}/documents"
    content = b"".join(
        json.dumps({"docno": docno, "title": "", "text": "new"}).encode() + b"\n" for docno in ("d1", "z9")
    )
    loaded = olga.post(place, query_string={"name": "d.jsonl", "pooled": "true"}, data=content)
    (file,) = loaded.get_json()["files"]
    assert (file["read"], file["changed"], file["passed_over"]) == (2, 1, 1)
    assert olga.get(f"{place}/document", query_string={"docno": "d1"}).get_json()["text"] == "new"
    assert olga.get(f"{place}/document", query_string={"docno": "z9"}).status_code == 404
    assert findings(olga.post(place, query_string={"format": "scroll"}, data=content))[0][0] == "format"
    # What it was read from, byte by byte.
    assert olga.get(f"{place}/original", query_string={"docno": "d1"}).data == content.splitlines()[0]
    assert olga.get(f"{place}/files/{'0' * 64}").status_code == 404
    first = olga.get(place, query_string={"limit": "2", "begins": "d"}).get_json()
    assert [one["docno"] for one in first["items"]] == ["d#3", "d/4"]
    rest = olga.get(place, query_string={"cursor": first["next"], "begins": "d"}).get_json()
    assert [one["docno"] for one in rest["items"]] == ["d1", "d2", "d6"]


def test_a_campaign_is_renamed_archived_and_restored(olga: FlaskClient) -> None:
    changed = olga.patch(HARBOUR, json={"name": "Harbours", "scale": "three-grades"}).get_json()
    assert (changed["name"], len(changed["scale"]["grades"])) == ("Harbours", 3)
    assert olga.patch(HARBOUR, json={"scale": "no such scale"}).status_code == 422
    state = f"{HARBOUR}/state"
    assert olga.post(state, json={"state": "archived"}).get_json()["archived"] is True
    assert olga.patch(HARBOUR, json={"name": "Again"}).status_code == 409
    assert olga.post(state, json={"state": "active"}).get_json()["archived"] is False
