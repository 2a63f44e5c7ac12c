"""Judging what a search found: what the form lacks is said beside the document, with a script and without."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.uploads import text_of
from tests.web import test_search
from tests.web.test_search import HTMX, searched
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow

pytestmark = pytest.mark.usefixtures("allowed")
allowed, place = test_search.allowed, test_search.place


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["a page", "a script"])
def test_a_form_without_an_answer_comes_back_with_its_document(
    ada: FlaskClient, place: str, sqlite_database: Database, headers: dict[str, str]
) -> None:
    found = searched(ada, place, "spring tides")
    ada.post(f"{found}/open", data={"docno": "new1"})
    answer = ada.post(f"{found}/judge", data={"docno": "new1", "client_id": "a-judgment-1"}, headers=headers)
    assert answer.status_code == 422
    assert ("<html" in answer.text) == (headers == {})
    opened = text_of(answer.text.partition('id="opened"')[2])
    assert "High water of spring tides. The form has no answer" in opened
    with sqlite_database.reading() as db:
        assert db.scalars(select(JudgmentEventRow.id)).all() == []
