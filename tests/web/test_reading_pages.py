"""Reading at the desk: own words, how text looks, near-duplicates; each for its own assessor only."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from tests.cast import Cast
from workbench.storage.engine import Database
from workbench.storage.tables import DocumentRow

STORY = " ".join(f"word{number}" for number in range(100))


def begun_with(page: str) -> dict[str, Any]:
    """What the scripts of reading begin from."""
    found = re.search(r"<div id=\"reading-data\" hidden data-begin='([^']*)'", page)
    assert found
    loaded = json.loads(found[1])
    assert isinstance(loaded, dict)
    return loaded


def test_own_words_are_on_the_desk_the_next_time(ada: FlaskClient, desk: str) -> None:
    kept = ada.put(f"{desk}/words", json={"words": ["  neap  tide", "</script><b>"]})
    assert (kept.status_code, kept.json) == (200, {"words": ["neap tide", "</script><b>"]})
    assert ada.get(f"{desk}/words").json == kept.json
    begun = begun_with(ada.get(desk).text)
    assert begun["words"] == {"words": ["neap tide", "</script><b>"], "address": f"{desk}/words"}
    assert (begun["title"], begun["description"]) == ("tides", "When is high water?")


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"words": "tide"}', '{"words": [1]}', '{"words": ["a", '])
def test_a_body_without_words_is_refused(ada: FlaskClient, desk: str, body: str) -> None:
    answer = ada.put(f"{desk}/words", data=body, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json is not None
    assert "words" in answer.json["error"].lower()


@pytest.mark.parametrize("page", ["words", "documents?docno=d1", "compare?docno=d1&docno=d2"])
def test_another_assessors_part_stays_closed(enter: Any, desk: str, page: str) -> None:
    assert enter("Ben").get(f"{desk}/{page}").status_code == 404
    assert enter("Olga").get(f"{desk}/{page}").status_code == 403


def test_how_text_looks_stands_in_the_first_html_of_every_page(ada: FlaskClient, desk: str) -> None:
    assert 'data-text-size="3"' in ada.get(desk).text
    answer = ada.post("/account/text", data={"size": "5", "theme": "dark", "start": "top"})
    assert (answer.status_code, answer.location) == (303, "/account/text")
    for page in (desk, "/account", "/account/text"):
        html = ada.get(page).text
        assert 'data-text-size="5"' in html
        assert 'data-text-theme="dark"' in html
        assert 'data-text-start="top"' in html
    assert re.search(r'name="size" value="5"\s+checked', ada.get("/account/text").text)
    quiet = ada.post("/account/text", data={"face": "sans"}, headers={"HX-Request": "true"})
    assert (quiet.status_code, quiet.text) == (204, "")
    assert 'data-text-face="sans"' in ada.get(desk).text


def test_a_choice_that_is_none_is_refused(ada: FlaskClient) -> None:
    assert ada.post("/account/text", data={"size": "6"}).status_code == 422
    assert ada.post("/account/text", data={"size": "6"}, headers={"HX-Request": "true"}).status_code == 422
    assert 'data-text-size="3"' in ada.get("/account").text


def test_near_duplicates_come_with_a_document_and_are_compared_by_its_assessor(
    ada: FlaskClient, enter: Any, desk: str, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        for docno, text in {"d1": STORY, "d2": f"{STORY} more"}.items():
            db.execute(update(DocumentRow).where(DocumentRow.docno == docno).values(text=text))
    answer = {"docno": "d1", "answer": "2", "client_id": "one-of-my-own", "shown_sha256": ""}
    assert ada.post(f"{desk}/answer", data=answer).status_code == 303

    def sent(client: FlaskClient, desk: str, *docnos: str) -> dict[str, Any]:
        query = "&".join(f"docno={docno}" for docno in docnos)
        found = client.get(f"{desk}/documents?{query}").get_json()["documents"]
        return {one["docno"]: one["near"] for one in found}

    near = sent(ada, desk, "d1", "d2", "d%2F4")
    # 96 of 97 shingles. With the document goes which are near; what was said of them the desk knows itself.
    assert near == {"d1": [["d2", 0.9897]], "d2": [["d1", 0.9897]], "d/4": []}
    bens = f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}"
    assert sent(enter("Ben"), bens, "d2") == {"d2": [["d1", 0.9897]]}
    assert '"near": [["d2", 0.9897]]' in ada.get(f"{desk}?docno=d1").text

    compared = ada.get(f"{desk}/compare?docno=d2&docno=d1").text
    assert "you said <bdi" in compared
    assert "not graded by you" in compared
    assert "98.9 %" not in compared  # 96 of 97 shingles
    assert "99.0 %" in compared


@pytest.mark.parametrize(
    "query", ["", "?docno=d1", "?docno=d1&docno=d1", "?docno=d1&docno=d%236", "?docno=1&docno=2&docno=3"]
)
def test_only_two_documents_of_ones_part_are_compared(ada: FlaskClient, desk: str, query: str) -> None:
    assert ada.get(f"{desk}/compare{query}").status_code == 404
