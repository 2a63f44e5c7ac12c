"""The page of what was kept aside: seen by the organiser, recorded or dismissed."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, update

from tests.cast import Cast
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow, KeptAsideRow, PoolRow

PAGE = "/c/harbour/judgments/kept-aside"


@pytest.fixture
def kept(enter: Any, cast: Cast, sqlite_database: Database) -> None:
    """Ada judged two documents while the pool was closed."""
    ada = enter("Ada")
    with sqlite_database.writing() as db:
        db.execute(update(PoolRow).values(closed_at=datetime.now(UTC)))
    events = [
        {"kind": "answer", "assignment": cast.assignments["Ada", "T1"], "client_id": str(uuid4())}
        | {"docno": docno, "answer": "grade", "grade": 3, "comment": "<b>late</b>"}
        for docno in ("d1", "d/4")
    ]
    body = {"account": cast.accounts["Ada"].key, "events": events}
    assert ada.post("/desk/events", json=body).status_code == 200


@pytest.mark.usefixtures("kept")
def test_the_organiser_sees_who_said_what_and_why_and_records_or_dismisses_it(
    olga: FlaskClient, sqlite_database: Database
) -> None:
    assert "2 answers could not be recorded" in olga.get("/c/harbour/judgments").text
    page = olga.get(PAGE).text
    for words in ("2 answers to review", "Ada", "this pool is closed", "Highly relevant", "&lt;b&gt;late"):
        assert words in page
    first, second = re.findall(r'name="kept" value="(\d+)"', page)
    assert olga.post(PAGE, data={"kept": first, "act": "record"}).status_code == 303
    assert olga.post(PAGE, data={"kept": second, "act": "dismiss"}).status_code == 303
    page = olga.get(PAGE).text
    assert "Reviewed" in page
    assert "to review" not in page
    assert "could not be recorded" not in olga.get("/c/harbour/judgments").text
    with sqlite_database.reading() as db:
        assert db.scalars(select(JudgmentEventRow.docno)).all() == ["d1"]
        assert db.scalars(select(KeptAsideRow.settlement).order_by("id")).all() == ["recorded", "dismissed"]


@pytest.mark.usefixtures("kept")
def test_what_is_refused_changes_nothing_and_says_why(olga: FlaskClient, sqlite_database: Database) -> None:
    (first, second) = re.findall(r'name="kept" value="(\d+)"', olga.get(PAGE).text)
    assert "nothing is selected" in olga.post(PAGE, data={"act": "record"}).text
    olga.post(PAGE, data={"kept": first, "act": "dismiss"})
    # All or none: the first cannot be recorded any more.
    answer = olga.post(PAGE, data={"kept": [second, first], "act": "record"})
    assert (answer.status_code, "was already dismissed" in answer.text) == (409, True)
    with sqlite_database.reading() as db:
        assert db.scalars(select(JudgmentEventRow.id)).all() == []
