"""What the desk asks for all day takes few statements, on both engines; a further one is to be noticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event

from tests.cast import CHEAP, assemble, signed_in_client
from tests.web.test_desk_api import JSON, Desk
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.context import Context, init_app
from workbench.web.pages.judging import desk_api

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
def ada(shared_app: Flask, database: Database) -> Desk:
    cast = assemble(database)
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
    assert save == ["SELECT", *begin, "SELECT", "INSERT", "COMMIT"]
    with statements(database) as documents:
        assert ada.client.get(ahead, headers=JSON).status_code == 200
    assert documents == ["SELECT", *begin, "SELECT", "SELECT"]
    # The long way finds the same.
    short = ada.client.get(ahead, headers=JSON).json
    monkeypatch.setattr(desk_api, "documents_ahead", lambda *_: None)
    assert ada.client.get(ahead, headers=JSON).json == short
