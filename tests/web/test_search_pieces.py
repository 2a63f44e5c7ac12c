"""The organiser's searches as a script gets them: pieces of the page, and what is refused."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.cast import Cast
from tests.uploads import text_of
from tests.web import test_search
from workbench.workflow.searching import searches

pytestmark = pytest.mark.usefixtures("allowed")
allowed = test_search.allowed
SEARCH = "/c/harbour/search"
SCRIPT = {"HX-Request": "true"}


def piece(answer: TestResponse) -> str:
    """What a script gets: no page of its own."""
    assert answer.status_code == 200, answer.text
    assert "<html" not in answer.text
    return str(answer.text)


def searched(olga: FlaskClient, query: str = "tides") -> str:
    answer = olga.post(SEARCH, data={"query": query, "topic": "T1"})
    assert answer.status_code == 303
    return str(answer.location)


def test_the_next_hits_come_after_those_in_the_page(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "A_PAGE", 1)
    found = searched(olga)
    assert "new2" not in olga.get(found).text
    more = piece(olga.post(f"{found}/more", headers=SCRIPT))
    assert ("new2" in more, "new1" in more) == (True, False)
    # Without a script the page opens at the last of them.
    assert olga.post(f"{found}/more").location == f"{found}#hit-2"


def test_a_document_opens_beside_the_hits(olga: FlaskClient) -> None:
    found = searched(olga)
    answer = olga.post(f"{found}/open", data={"docno": "new1"}, headers=SCRIPT)
    assert "High water of spring tides." in text_of(piece(answer))
    assert answer.headers["HX-Push-Url"] == f"{found}?docno=new1"
    assert olga.post(f"{found}/open", data={"docno": "new1"}).location == f"{found}?docno=new1"
    # It was not among the hits.
    assert olga.post(f"{found}/open", data={"docno": "d1"}, headers=SCRIPT).status_code == 404


def test_documents_join_a_pool_only_if_some_are_selected(olga: FlaskClient, cast: Cast) -> None:
    found = searched(olga)
    none = olga.post(f"{found}/add", data={"pool": str(cast.pool_id)})
    assert none.status_code == 422
    refusal = text_of(none.text.partition('id="refusal"')[2].partition("</section>")[0])
    assert "Nothing was added" in refusal
    assert "no document is selected" in refusal
    added = olga.post(f"{found}/add", data={"pool": str(cast.pool_id), "selected": ["new1", "new2"]})
    assert added.location == found
    assert "2 documents" in text_of(olga.get(found).text)


def test_a_search_needs_a_topic(olga: FlaskClient) -> None:
    answer = olga.post(SEARCH, data={"query": "tides", "topic": ""})
    assert answer.status_code == 422
    assert "No topic is selected: select the topic that you search for" in text_of(answer.text)
    # That is said in its form alone.
    assert 'id="refusal"' not in answer.text
