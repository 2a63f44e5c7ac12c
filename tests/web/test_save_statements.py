"""What is asked for all day takes few statements, on both engines; a further one is to be noticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event

from tests.cast import CHEAP, Cast, assemble, signed_in_client
from tests.formats.image_files import image_document, png_file
from tests.web.test_desk_api import JSON, Desk
from workbench.formats.documents_image import image_original
from workbench.formats.single_files import sha256_of
from workbench.records import Document, Original
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.context import Context, init_app
from workbench.web.pages.judging import desk_api
from workbench.workflow.campaigns.loading import load_in_portions

pytestmark = pytest.mark.engines


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """The first word of everything that the database is told meanwhile."""
    seen: list[str] = []

    def execute(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement.split()[0])

    def commit(_connection: Any) -> None:
        seen.append("COMMIT")

    event.listen(database.engine, "before_cursor_execute", execute)
    event.listen(database.engine, "commit", commit)
    try:
        yield seen
    finally:
        event.remove(database.engine, "before_cursor_execute", execute)
        event.remove(database.engine, "commit", commit)


@pytest.fixture
def cast(database: Database) -> Cast:
    return assemble(database)


@pytest.fixture
def ada(shared_app: Flask, database: Database, cast: Cast) -> Desk:
    init_app(shared_app, Context(read_settings({}), database, CHEAP))
    client = signed_in_client(shared_app, database, cast.accounts["Ada"])
    return Desk(client, f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")


def test_a_save_and_the_documents_ahead_take_few_statements(
    ada: Desk, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = f"{ada.address}/documents?docno=d1&docno=d2&docno=d/4"
    # The first requests make the sketches, read the order of the topic and render the documents.
    ada.send(ada.event("d1", 1))
    for _ in range(2):
        ada.client.get(ahead, headers=JSON)
    # PostgreSQL's driver begins transactions by itself.
    begin = ["BEGIN"] if database.embedded else []
    with statements(database) as save:
        assert ada.send(ada.event("d1", 2)).status_code == 200
    # Who sends it; the turn, for which SQLite needs no statement; the answer, apart from others beside it.
    turn = [] if database.embedded else ["SELECT"]
    assert save == ["SELECT", *begin, *turn, "SAVEPOINT", "SELECT", "INSERT", "RELEASE", "COMMIT"]
    with statements(database) as documents:
        assert ada.client.get(ahead, headers=JSON).status_code == 200
    assert documents == ["SELECT", *begin, "SELECT", "SELECT"]
    # The long way finds the same, also of one document and of none.
    asked = (ahead, f"{ada.address}/documents?docno=d/4", f"{ada.address}/documents")
    short = [ada.client.get(each, headers=JSON).get_json() for each in asked]
    monkeypatch.setattr(desk_api, "documents_ahead", lambda *_: None)
    assert [ada.client.get(each, headers=JSON).get_json() for each in asked] == short
    assert [[one["docno"] for one in each["documents"]] for each in short] == [
        ["d1", "d2", "d/4"],
        ["d/4"],
        [],
    ]


def test_an_image_and_a_page_that_names_one_are_shown_whole_whoever_asked_before(
    ada: Desk, database: Database, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = f"{ada.address}/documents?docno=d1&docno=d2&docno=d/4"
    content = b'<p>The tide <img src="chart.png" alt="a chart"></p>'
    original = Original("text/html", content, sha256_of(content), "http://x/tides.html")
    page = Document("d2", "", content.decode(), original)
    chart = image_original(png_file(3, 2), "http://x/chart.png", beside=True)

    def load(*documents: Document) -> None:
        load_in_portions(database, cast.campaign_id, [("files", documents)])

    load(page, image_document("d1"))

    def shown() -> list[dict[str, Any]]:
        found = ada.client.get(ahead, headers=JSON).get_json()
        return list(found["documents"])

    # The first two requests make the sketches and render what may be kept.
    without = [shown() for _ in range(3)][-1]
    load(Document(chart.address, "", "", chart), page)
    short = shown()
    monkeypatch.setattr(desk_api, "documents_ahead", lambda *_: None)
    assert shown() == short
    images = [[one["html"].count("/c/harbour/files/") for one in each] for each in (without, short)]
    assert [(one[0] > 0, *one[1:]) for one in images] == [(True, 0, 0), (True, 1, 0)]


def test_a_page_finds_who_looks_and_how_in_one_statement(ada: Desk, database: Database) -> None:
    ada.client.post("/account/text", data={"theme": "dark"})
    with statements(database) as page:
        answer = ada.client.get("/help/")
    assert page == ["SELECT"]
    assert 'data-text-theme="dark"' in answer.text
