"""A draft's page as a script changes it: what is found, opened and judged comes as a piece of the page."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.cast import Cast
from tests.uploads import text_of
from tests.web import test_drafts
from tests.web.test_drafts import DRAFT, TIDES, begun, judged, searched
from workbench.storage.engine import Database
from workbench.workflow.searching import searches
from workbench.workflow.searching.topic_drafts import topic_draft

_allowed, ada, olga = test_drafts._allowed, test_drafts.ada, test_drafts.olga
SCRIPT = {"HX-Request": "true"}


def piece(answer: TestResponse) -> str:
    """What a script gets: no page of its own."""
    assert answer.status_code in (200, 422), answer.text
    assert "<html" not in answer.text
    return str(answer.text)


def test_a_search_changes_the_piece_of_the_page_and_its_address(ada: FlaskClient) -> None:
    begun(ada)
    answer = ada.post(f"{DRAFT}/search", data={"query": "spring"}, headers=SCRIPT)
    found = piece(answer)
    assert answer.headers["HX-Push-Url"] == f"{DRAFT}/search/1"
    assert found.startswith('<div class="searching" id="searching"')
    assert [f"new{number}" in found for number in range(1, 6)] == [True] * 5
    # The same piece when the browser goes back to it.
    again = piece(ada.get(f"{DRAFT}/search/1", headers=SCRIPT))
    assert 'id="searching"' in again
    assert "new5" in again


def test_an_empty_search_comes_back_with_what_to_type(ada: FlaskClient) -> None:
    begun(ada)
    answer = ada.post(f"{DRAFT}/search", data={"query": " "})
    assert answer.status_code == 422
    assert "The query is empty: type one or more words" in text_of(answer.text)
    assert "Your searches" not in answer.text


def test_the_next_hits_come_after_those_in_the_page(
    ada: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "A_PAGE", 2)
    begun(ada)
    found = searched(ada)
    first = ada.get(found).text
    assert "new5" in first
    assert "new1" not in first
    more = piece(ada.post(f"{found}/more", headers=SCRIPT))
    assert more.count("<li") == 2
    plain = ada.post(f"{found}/more")
    assert plain.status_code == 303


def test_a_document_opens_and_its_grade_opens_the_next_beside_the_hits(
    ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    begun(ada)
    found = searched(ada)
    answer = ada.post(f"{found}/open", data={"docno": "new5"}, headers=SCRIPT)
    assert "Spring tides" in piece(answer)
    assert answer.headers["HX-Push-Url"] == f"{found}?docno=new5"
    sent = {"docno": "new5", "answer": "2", "client_id": "new5-is-2"}
    answer = ada.post(f"{found}/judge", data=sent, headers=SCRIPT)
    # The document after it, the judged hit with its grade, and how far the draft is.
    after = piece(answer)
    assert answer.headers["HX-Push-Url"] == f"{found}?docno=new4"
    assert 'name="docno" value="new4"' in after
    assert "Relevant" in text_of(after.partition('<li id="hit-1" hx-swap-oob')[2].partition("</li>")[0])
    assert "1 relevant of 1 judged, 3 to go" in text_of(after.partition('id="fitness"')[2])
    with sqlite_database.reading() as db:
        assert topic_draft(db, cast.campaign_id, 1).progress.judged == 1


def test_the_last_grade_of_a_search_leaves_no_document_open(ada: FlaskClient) -> None:
    begun(ada)
    found = searched(ada)
    judged(ada, found, new5=2, new4=1, new3=0, new2=0)
    sent = {"docno": "new1", "answer": "0", "client_id": "new1-is-0"}
    answer = ada.post(f"{found}/judge", data=sent, headers=SCRIPT)
    piece(answer)
    assert answer.headers["HX-Push-Url"] == found


def test_a_form_without_an_answer_is_told_where_the_answer_is_given(
    ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    begun(ada)
    found = searched(ada)
    ada.post(f"{found}/open", data={"docno": "new5"})
    sent = {"docno": "new5", "client_id": "new5-is-none"}
    for headers in ({}, SCRIPT):
        answer = ada.post(f"{found}/judge", data=sent, headers=headers)
        assert answer.status_code == 422
        assert ("<html" in answer.text) == (headers == {})
        # Beside the document that is still open.
        opened = answer.text.partition('id="opened"')[2]
        assert 'name="docno" value="new5"' in opened
        assert "The form has no answer" in text_of(opened)
    with sqlite_database.reading() as db:
        assert topic_draft(db, cast.campaign_id, 1).progress.judged == 0


def test_a_draft_that_does_not_exist_is_not_written(ada: FlaskClient) -> None:
    begun(ada)
    answer = ada.post("/c/harbour/topics/drafts/9", data=TIDES | {"revision": "0"}, headers=SCRIPT)
    assert answer.status_code == 404
