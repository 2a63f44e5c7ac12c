"""A search asks the database little, and is recorded before its hits are read and shown; on both engines."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.cast import CHEAP, Cast, signed_in_client
from tests.web import test_save_statements
from tests.web.test_save_statements import statements
from workbench.records import Document
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.context import Context, init_app
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.desk_rules import save_allows_search
from workbench.workflow.searching import found

pytestmark = pytest.mark.engines
cast = test_save_statements.cast
HTMX = {"HX-Request": "true"}


@pytest.fixture
def ada(
    shared_app: Flask, database: Database, cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> FlaskClient:
    """Ada, in a campaign that allows searching, of whose words nothing is known yet."""
    monkeypatch.setattr(found, "_MARKED", {})
    init_app(shared_app, Context(read_settings({}, instance=tmp_path), database, CHEAP))
    with database.writing() as db:
        save_allows_search(db, cast.campaign_id, True)
        load_documents(db, cast.campaign_id, [Document("new1", "", "Spring tides.")], source="new")
    return signed_in_client(shared_app, database, cast.accounts["Ada"])


def asked(database: Database, client: FlaskClient, place: str) -> tuple[str, list[str]]:
    """What a search is answered with, and what the database is asked before it is recorded and after."""
    # The first one makes the index.
    client.post(place, data={"query": "neap"}, headers=HTMX)
    with statements(database) as seen:
        answer = client.post(place, data={"query": "spring"}, headers=HTMX)
    assert answer.status_code == 200, answer.text
    return answer.text, [one for one in seen if one != "BEGIN"]


def test_a_search_at_the_desk_takes_few_statements(ada: FlaskClient, cast: Cast, database: Database) -> None:
    page, seen = asked(database, ada, f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}/search")
    assert "<mark>Spring</mark>" in page
    # Session; assignment, pairs, judgments, rules and topic; rules again, search and event; the texts.
    turn = 0 if database.embedded else 1
    assert seen == [*["SELECT"] * (7 + turn), "INSERT", "INSERT", "COMMIT", "SELECT"]
