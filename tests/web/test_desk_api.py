"""The desk's API: who may, what it says, that it is blind, and that what cannot be recorded is kept aside."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update
from werkzeug.test import TestResponse

from tests.cast import Cast
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, JudgmentEventRow, KeptAsideRow

JSON = {"Accept": "application/json"}


class Desk:
    """Somebody's desk for topic T1, as the page's script has it."""

    def __init__(self, client: FlaskClient, address: str) -> None:
        self.client = client
        self.address = address
        page = client.get(address).text
        found = {
            name: re.search(rf"data-{name}='(.*?)'", page, re.DOTALL) for name in ("work", "desk", "keys")
        }
        self.page = page
        self.work, self.facts, self.keys = (
            json.loads(unescape(match[1])) if match else {} for match in found.values()
        )

    def event(self, docno: str, grade: int, **more: Any) -> dict[str, Any]:
        """An answer as the script makes it."""
        event = {"kind": "answer", "assignment": self.facts["assignment"], "client_id": str(uuid4())}
        return event | {"docno": docno, "answer": "grade", "grade": grade} | more

    def send(self, *events: dict[str, Any], account: str | None = None) -> TestResponse:
        """Send events as the script does."""
        body = {"account": account or self.work["account"], "events": list(events)}
        return self.client.post("/desk/events", json=body, headers=JSON)


@pytest.fixture
def ada(enter: Any, cast: Cast) -> Desk:
    return Desk(enter("Ada"), f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")


def said(database: Database) -> list[tuple[str, int | None]]:
    with database.reading() as db:
        event = JudgmentEventRow
        return [
            (docno, grade) for docno, grade in db.execute(select(event.docno, event.grade).order_by("id"))
        ]


def test_the_work_and_the_documents_are_what_the_assessor_has(ada: Desk) -> None:
    ada.send(ada.event("d1", 2, comment="why"))
    work = ada.client.get(f"{ada.address}/work", headers=JSON).json
    assert work is not None
    assert [(one["docno"], one["grade"], one["comment"], one["on_screen"]) for one in work["said"]] == [
        ("d1", 2, "why", True)
    ]
    found = ada.client.get(f"{ada.address}/documents?docno=d/4&docno=d1", headers=JSON).json
    assert found is not None
    first, second = found["documents"]
    assert (first["docno"], first["title"], first["position"]) == (
        "d/4",
        "Title of d/4",
        ada.work["order"].index("d/4") + 1,
    )
    assert first["html"].startswith('<article dir="auto">')
    assert "Text of d1" in second["html"]
    assert len(second["sha256"]) == 64
    assert ada.client.get(f"{ada.address}/documents?docno=d6", headers=JSON).status_code == 404
    titles = ada.client.get(f"{ada.address}/titles", headers=JSON).json
    assert titles is not None
    assert titles["titles"]["d2"] == "Title of d2"
    following = ada.client.get(f"{ada.address}/next-topic", headers=JSON).json
    assert following is not None
    assert following["topic"]["title"] == "nets"


def test_what_is_fetched_ahead_is_as_blind_as_the_page(ada: Desk, enter: Any, cast: Cast) -> None:
    ben = Desk(enter("Ben"), f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}")
    ben.send(ben.event("d1", 3, comment="Ben was here"), ben.event("d2", 3))
    fetched = [ada.client.get(f"{ada.address}{path}", headers=JSON).text for path in (
        "/work", "/documents?docno=d1&docno=d2&docno=d/4", "/titles", "/next-topic"
    )]  # fmt: skip
    fetched += [ada.client.get(ada.address).text, ada.send(ada.event("d1", 0)).text]
    for text in fetched:
        for hidden in ("alpha", "beta", "Ben", "Olga", "best_rank", "brought", "run_count", '"rank'):
            assert hidden not in text
    assert json.loads(fetched[0])["said"] == []


def test_nobody_sends_or_fetches_for_another(
    app: Flask, ada: Desk, enter: Any, sqlite_database: Database
) -> None:
    ben = enter("Ben")
    for path in ("/work", "/documents?docno=d1", "/titles"):
        assert ben.get(f"{ada.address}{path}", headers=JSON).status_code == 404
        assert app.test_client().get(f"{ada.address}{path}", headers=JSON).status_code == 401
    event = ada.event("d1", 2)
    body = {"account": ada.work["account"], "events": [event]}
    # Ben's browser has Ada's outbox: it says whose it is, and nothing of it is taken.
    assert ben.post("/desk/events", json=body, headers=JSON).status_code == 409
    assert app.test_client().post("/desk/events", json=body, headers=JSON).status_code == 401
    nobodys = body | {"account": ""}
    assert ben.post("/desk/events", json=nobodys, headers=JSON).status_code == 409
    assert said(sqlite_database) == []


def test_another_site_cannot_send_events(ada: Desk, sqlite_database: Database) -> None:
    body = {"account": ada.work["account"], "events": [ada.event("d1", 2)]}
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert ada.client.post("/desk/events", json=body, headers=foreign).status_code == 403
    assert said(sqlite_database) == []


def test_a_disabled_account_can_still_send_what_it_said_and_nothing_else_opens(
    ada: Desk, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        db.execute(
            update(AccountRow)
            .where(AccountRow.id == cast.accounts["Ada"].id)
            .values(disabled_at=datetime.now(UTC))
        )
    answer = ada.send(ada.event("d1", 2))
    assert answer.json is not None
    assert [(one["outcome"], one["why"]) for one in answer.json["receipts"]] == [
        ("kept_aside", "the account is disabled")
    ]
    assert ada.client.get(f"{ada.address}/work", headers=JSON).status_code == 401
    assert said(sqlite_database) == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no json",
        b"[]",
        b'{"events": {}}',
        b'{"events": [1]}',
        b'{"events": [' + b",".join([b"{}"] * 51) + b"]}",
        b'{"events": ' + b"[" * 5000,
    ],
)
def test_what_is_no_batch_of_events_is_refused_as_a_whole(ada: Desk, body: bytes) -> None:
    answer = ada.client.post("/desk/events", data=body, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json
    assert answer.json["why"]


@pytest.mark.parametrize(
    "change",
    [
        {"docno": 7},
        {"grade": "2"},
        {"grade": 2**70},
        {"grade": True},
        {"answer": None},
        {"kind": ["answer"]},
        {"shown_sha256": "no hash"},
        {"more": {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}, "docno": "d6"},
    ],
)
def test_an_event_that_makes_no_sense_is_kept_as_it_came(
    ada: Desk, sqlite_database: Database, change: dict[str, Any]
) -> None:
    answer = ada.send(ada.event("d1", 1) | change)
    assert answer.json is not None
    assert [one["outcome"] for one in answer.json["receipts"]] == ["kept_aside"]
    with sqlite_database.reading() as db:
        assert db.scalar(select(KeptAsideRow.why))
    assert said(sqlite_database) == []


def test_a_comment_and_a_document_put_off_work_without_scripts(ada: Desk, sqlite_database: Database) -> None:
    def fields() -> dict[str, str]:
        page = ada.client.get(ada.address).text
        return dict(
            re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.split("</form>")[0])
        )

    first = fields()
    ada.client.post(f"{ada.address}/answer", data=first | {"answer": "later"})
    second = fields()
    assert second["docno"] != first["docno"]
    ada.client.post(f"{ada.address}/answer", data=second | {"answer": "2", "comment": "as asked"})
    page = ada.client.get(ada.address, query_string={"docno": second["docno"]}).text
    assert "as asked</textarea>" in page
    form = {"docno": second["docno"], "client_id": str(uuid4()), "comment": "again"}
    answer = ada.client.post(f"{ada.address}/comment", data=form)
    assert answer.location.endswith(f"?docno={second['docno']}")
    with sqlite_database.reading() as db:
        event = JudgmentEventRow
        rows = db.execute(select(event.answer, event.grade, event.comment).order_by(event.id)).all()
    assert [tuple(row) for row in rows] == [
        ("later", None, ""),
        ("grade", 2, "as asked"),
        ("grade", 2, "again"),
    ]
