"""The desk's short way answers as the views do, refuses what they refuse, and leaves them the rest."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask, request
from sqlalchemy import delete, update
from werkzeug.test import TestResponse

from tests.cast import Cast
from tests.web.test_desk_api import JSON, Desk, said
from workbench.errors import Unavailable
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, CampaignRow, MemberRow, SessionRow
from workbench.web import quick_desk
from workbench.web.trail import HEADER
from workbench.workflow.clock import utc_now
from workbench.workflow.people.roles import Role


@pytest.fixture
def ada(enter: Any, cast: Cast) -> Desk:
    return Desk(enter("Ada"), f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")


@pytest.fixture
def views(shared_app: Flask, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The endpoints of the requests that go on to the application."""
    seen: list[str] = []
    dispatch = shared_app.dispatch_request

    def noted() -> Any:
        seen.append(str(request.endpoint))
        return dispatch()

    monkeypatch.setattr(shared_app, "dispatch_request", noted)
    return seen


def ahead(ada: Desk) -> TestResponse:
    return ada.client.get(f"{ada.address}/documents?docno=d1&docno=d%2F4&other=x", headers=JSON)


def whole(response: TestResponse) -> tuple[int, list[tuple[str, str]], bytes]:
    headers = dict(response.headers)
    assert len(headers.pop(HEADER)) == 16
    return response.status_code, sorted(headers.items()), response.data


def test_both_ways_answer_the_same(ada: Desk, views: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    event = ada.event("d1", 2)
    ahead(ada)  # makes the sketches
    views.clear()
    short = [ahead(ada), ada.send(event), ada.send(ada.event("d1", 2) | {"client_id": "0" * 8})]
    assert views == []
    monkeypatch.setattr(quick_desk, "endpoint_of", lambda _: None)
    long = [ahead(ada), ada.send(ada.event("d1", 2) | {"client_id": event["client_id"], "grade": 2})]
    assert views == ["desk.documents", "desk.events"]
    assert whole(short[0]) == whole(long[0])
    # The same but for the outcome: it was recorded before.
    assert sorted(short[1].headers.keys()) == sorted(long[1].headers.keys())
    assert short[1].data == long[1].data.replace(b"repeated", b"recorded")
    assert short[2].get_json()["receipts"][0]["elsewhere"] == {
        "answer": "grade", "grade": 2, "seconds_ago": 0
    }  # fmt: skip


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://elsewhere.example"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}, 200),
        ({"Origin": "http://localhost"}, 200),
    ],
)
def test_another_site_saves_nothing(
    ada: Desk, sqlite_database: Database, headers: dict[str, str], status: int
) -> None:
    body = {"account": ada.work["account"], "events": [ada.event("d1", 2)]}
    assert ada.client.post("/desk/events", json=body, headers=JSON | headers).status_code == status
    assert len(said(sqlite_database)) == (status == 200)


def test_a_session_that_has_ended_saves_and_sees_nothing(ada: Desk, sqlite_database: Database) -> None:
    assert ahead(ada).status_code == ada.send(ada.event("d1", 1)).status_code == 200
    with sqlite_database.writing() as db:
        db.execute(delete(SessionRow))
    assert ahead(ada).status_code == ada.send(ada.event("d1", 3)).status_code == 401
    assert said(sqlite_database) == [("d1", 1)]


def test_a_disabled_account_sees_nothing_and_its_answers_are_kept_aside(
    ada: Desk, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        db.execute(update(AccountRow).where(AccountRow.name == "Ada").values(disabled_at=utc_now(None)))
    assert ahead(ada).status_code == 401
    assert ada.send(ada.event("d1", 3)).get_json()["receipts"][0]["outcome"] == "kept_aside"
    assert said(sqlite_database) == []


def test_another_account_saves_nothing(ada: Desk, sqlite_database: Database) -> None:
    assert ada.send(ada.event("d1", 3), account="0" * 20).status_code == 409
    assert said(sqlite_database) == []


def test_an_archived_campaign_is_read_and_takes_no_answer(
    ada: Desk, sqlite_database: Database, views: list[str]
) -> None:
    ahead(ada)
    views.clear()
    with sqlite_database.writing() as db:
        db.execute(update(CampaignRow).values(archived_at=utc_now(None)))
    assert ahead(ada).status_code == 200
    assert ada.send(ada.event("d1", 3)).get_json()["receipts"][0]["outcome"] == "kept_aside"
    assert views == ["desk.events"]


def test_whoever_is_no_assessor_any_more_sees_nothing(ada: Desk, sqlite_database: Database) -> None:
    ahead(ada)
    with sqlite_database.writing() as db:
        db.execute(update(MemberRow).where(MemberRow.role == Role.ASSESSOR).values(role=Role.VIEWER))
    assert ahead(ada).status_code == 403


def test_documents_of_another_campaign_or_assignment_are_not_found(ada: Desk) -> None:
    for address in (
        ada.address.replace("harbour", "elsewhere"),
        f"{ada.address}9",
        f"{ada.address}{'9' * 20}",
    ):
        assert ada.client.get(f"{address}/documents?docno=d1", headers=JSON).status_code == 404


def test_events_that_are_not_all_plain_are_recorded_in_order_all_the_same(
    ada: Desk, sqlite_database: Database, views: list[str]
) -> None:
    undo = {**ada.event("d1", 0), "kind": "undo"}
    sent = ada.send(ada.event("d1", 2), ada.event("d2", 1), undo, ada.event("d1", 3))
    assert [one["outcome"] for one in sent.get_json()["receipts"]] == ["recorded"] * 4
    assert said(sqlite_database) == [("d1", 2), ("d2", 1), ("d1", None), ("d1", 3)]
    assert views == ["desk.events"]


def test_a_database_that_is_away_is_waited_for_once(
    ada: Desk, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = []

    def away(_: Any) -> None:
        waited.append(1)
        raise Unavailable("locked")

    monkeypatch.setattr(sqlite_database, "saving", away)
    answer = ada.send(ada.event("d1", 2))
    assert (answer.status_code, answer.headers["Retry-After"], len(waited)) == (503, "5", 1)


def test_a_fault_of_the_short_way_leaves_the_answer_to_the_views(
    ada: Desk, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(quick_desk, "receive_plain_answers", lambda *_: 1 / 0)
    assert ada.send(ada.event("d1", 2)).get_json()["receipts"][0]["outcome"] == "recorded"
    assert said(sqlite_database) == [("d1", 2)]
    assert "/desk/events" in caplog.text
