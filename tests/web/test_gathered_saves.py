"""Answers that arrive at once at the door of a server share a commit, and each is answered as alone."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest
from flask import Flask
from granian.rsgi import Scope
from sqlalchemy import event, text

from tests.cast import CHEAP, Cast, assemble, signed_in_client
from tests.web.asked import Asked, Headers
from tests.web.test_desk_api import Desk, said
from workbench.errors import Unavailable
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web import quick_desk
from workbench.web.context import Context, context_of, init_app
from workbench.web.door import Door
from workbench.web.places import Full, Places, RequestBounds, RequestKind
from workbench.web.quick_desk import GATHERED
from workbench.web.trail import HEADER
from workbench.workflow.judging.sync import receive_plain_answers


@pytest.fixture
def ada(enter: Any, cast: Cast) -> Desk:
    desk = Desk(enter("Ada"), f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")
    context_of(desk.client.application).recognised.add(_token(desk))
    return desk


def _token(desk: Desk) -> str:
    cookie = desk.client.get_cookie("workbench")
    assert cookie is not None
    return cookie.value


def request_of(desk: Desk, *events: dict[str, Any], **headers: str) -> Asked:
    body = json.dumps({"account": desk.work["account"], "events": list(events)}).encode()
    sent = {"cookie": f"workbench={_token(desk)}", "content-length": str(len(body)), "host": "localhost"}
    return Asked("POST", "/desk/events", Headers((sent | headers).items()), [body])


def outcomes(*asked: Asked) -> list[str]:
    return [json.loads(one.answered[0][2])["receipts"][0]["outcome"] for one in asked]


def ask_at_once(app: Flask, *asked: Asked) -> None:
    """Send requests to a door whose writer is busy until all of them wait."""
    database = context_of(app).database

    async def run() -> None:
        door = Door(app)
        try:
            with database.writing():
                waiting = asyncio.gather(*(door.__rsgi__(cast(Scope, one), one) for one in asked))
                # The first has begun; the others are the next lot.
                while len(door._saves._waiting) < len(asked) - 1:
                    await asyncio.sleep(0.002)
            await waiting
            assert door._places.busy()["saving"] == 0
        finally:
            door.__rsgi_del__(None)

    asyncio.run(asyncio.wait_for(run(), 20))


def commits_of(database: Database, act: Callable[[], None]) -> int:
    """How many transactions were committed meanwhile."""
    seen: list[Any] = []

    def note(connection: Any) -> None:
        seen.append(connection)

    event.listen(database.engine, "commit", note)
    try:
        act()
    finally:
        event.remove(database.engine, "commit", note)
    return len(seen)


def test_answers_that_wait_share_a_commit_and_are_answered_as_alone(
    ada: Desk, sqlite_database: Database
) -> None:
    events = [ada.event("d1", 1) for _ in range(9)]
    client_ids = [one["client_id"] for one in events]
    asked = [request_of(ada, one) for one in events]
    # That of the writer who kept them waiting, that of the first, and one for all others.
    assert commits_of(sqlite_database, lambda: ask_at_once(ada.client.application, *asked)) == 3
    assert outcomes(*asked) == ["recorded"] * 9
    assert said(sqlite_database) == [("d1", 1)] * 9
    alone = ada.send(ada.event("d2", 1))
    status, headers, body = asked[0].answered[0]
    assert status == alone.status_code
    differ = {HEADER, "Content-Length"}
    assert {name for name, value in alone.headers.items() if headers.pop(name) != value} <= differ
    assert headers == {}
    said_alone = alone.get_json()["receipts"][0]
    assert json.loads(body)["receipts"][0] == said_alone | {"client_id": client_ids[0]}


def test_whatever_is_no_single_plain_answer_is_answered_all_the_same(
    ada: Desk, sqlite_database: Database
) -> None:
    undo = {**ada.event("d1", 0), "kind": "undo"}
    first = ada.event("d1", 1)
    asked = [
        request_of(ada, first),
        request_of(ada, ada.event("d2", 2)),
        request_of(ada, ada.event("d/4", 2), undo),
        request_of(ada, first),
        request_of(ada, ada.event("d2", 99)),
        request_of(ada, ada.event("d2", 3), **{"sec-fetch-site": "cross-site"}),
        request_of(ada, ada.event("d2", 3)),
    ]
    ask_at_once(ada.client.application, *asked)
    assert [one.status for one in asked] == [200] * 5 + [403, 200]
    assert outcomes(*asked[:5], asked[-1]) == [
        "recorded", "recorded", "recorded", "repeated", "kept_aside", "recorded",
    ]  # fmt: skip
    assert sorted(said(sqlite_database), key=repr) == [
        ("d/4", 2), ("d1", 1), ("d1", None), ("d2", 2), ("d2", 3),
    ]  # fmt: skip


def test_a_fault_of_one_is_its_own(
    ada: Desk, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def faulty(connection: Any, account_id: int, events: Sequence[Any]) -> Any:
        if events[0]["docno"] == "d2":
            raise ZeroDivisionError
        return receive_plain_answers(connection, account_id, events)

    monkeypatch.setattr(quick_desk, "receive_plain_answers", faulty)
    asked = [request_of(ada, ada.event(docno, 1)) for docno in ("d1", "d2", "d/4", "d1")]
    ask_at_once(ada.client.application, *asked)
    # The application has another way to record it.
    assert outcomes(*asked) == ["recorded"] * 4
    assert "could not be saved with others" in caplog.text
    assert sorted(said(sqlite_database)) == [("d/4", 1), ("d1", 1), ("d1", 1), ("d2", 1)]


def test_a_request_that_cannot_even_be_read_harms_no_other(
    ada: Desk, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = ada.client.application
    whole = app.wsgi_app

    def faulty(environ: dict[str, Any], start_response: Any) -> Any:
        if "HTTP_X_BAD" in environ and GATHERED in environ:
            raise ValueError
        return whole(environ, start_response)

    monkeypatch.setattr(app, "wsgi_app", faulty)
    asked = [request_of(ada, ada.event("d1", 1), **more) for more in ({}, {"x-bad": "1"}, {})]
    ask_at_once(app, *asked)
    assert outcomes(*asked) == ["recorded"] * 3
    assert said(sqlite_database) == [("d1", 1)] * 3


def test_what_was_saved_but_not_answered_is_told_by_the_application(
    ada: Desk, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(quick_desk, "new_request_id", lambda: 1 / 0)
    asked = request_of(ada, ada.event("d1", 1))
    ask_at_once(ada.client.application, asked)
    assert outcomes(asked) == ["repeated"]
    assert "was saved, but" in caplog.text
    assert said(sqlite_database) == [("d1", 1)]


def test_a_database_that_is_away_is_waited_for_once(
    ada: Desk, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[int] = []

    def away(acts: Sequence[Any]) -> list[tuple[None, Exception]]:
        waited.append(len(acts))
        return [(None, Unavailable("locked"))] * len(acts)

    monkeypatch.setattr(sqlite_database, "saving_together", away)
    monkeypatch.setattr(sqlite_database, "saving", lambda _: 1 / 0)
    asked = request_of(ada, ada.event("d1", 2))
    ask_at_once(ada.client.application, asked)
    assert (asked.status, asked.answered[0][1]["Retry-After"], waited) == (503, "5", [1])


def test_a_thread_takes_whoever_waits_and_tells_each_what_became_of_it() -> None:
    places = Places({RequestKind.SAVING: RequestBounds(1, 3, 0.3)})
    lots: list[list[int]] = []
    go_on = threading.Event()

    def act(lot: Sequence[int]) -> list[int]:
        lots.append(list(lot))
        if 0 in lot:
            go_on.wait(10)
        if 13 in lot:
            raise ZeroDivisionError
        return [10 * one for one in lot]

    async def run() -> None:
        gathering = places.gathering(RequestKind.SAVING, act)
        first, *rest = (asyncio.create_task(gathering.run(one)) for one in (0, 1, 2, 3, 4))
        await asyncio.sleep(0)
        found = await asyncio.gather(first, *rest, return_exceptions=True)
        # No place was left for the fifth, and nobody was answered in time.
        assert [type(one) for one in found] == [TimeoutError] * 4 + [Full]
        go_on.set()
        while places.busy()["saving"]:
            await asyncio.sleep(0.002)
        assert await gathering.run(5) == 50
        with pytest.raises(ZeroDivisionError):
            await gathering.run(13)
        assert await gathering.run(6) == 60

    asyncio.run(asyncio.wait_for(run(), 20))
    # Those whose time was up before they were begun were never begun.
    assert lots == [[0], [], [5], [13], [6]]


def test_each_of_several_threads_takes_its_share_of_those_who_wait() -> None:
    places = Places({RequestKind.SAVING: RequestBounds(2, 8, 10)})
    lots: list[list[int]] = []
    go_on, both = threading.Event(), threading.Barrier(2)

    def act(lot: Sequence[int]) -> Sequence[int]:
        lots.append(list(lot))
        if max(lot) < 2:
            go_on.wait(10)
        elif max(lot) < 5:
            both.wait(10)  # until the other thread has taken its own
        return lot

    async def run() -> None:
        gathering = places.gathering(RequestKind.SAVING, act, threads=2)
        tasks = [asyncio.create_task(gathering.run(number)) for number in range(6)]
        while len(lots) < 2:
            await asyncio.sleep(0.002)
        go_on.set()
        assert await asyncio.gather(*tasks) == list(range(6))

    asyncio.run(asyncio.wait_for(run(), 20))
    # The second takes half of those that the first has left.
    assert sorted(lots) == [[0], [1], [2, 3], [4], [5]]


@pytest.mark.engines
def test_answers_are_saved_whatever_another_transaction_locks(
    shared_app: Flask, postgresql_database: Database
) -> None:
    made = assemble(postgresql_database)
    init_app(shared_app, Context(read_settings({}), postgresql_database, CHEAP))
    client = signed_in_client(shared_app, postgresql_database, made.accounts["Ada"])
    ada = Desk(client, f"/c/harbour/judge/{made.assignments['Ada', 'T1']}")
    context_of(shared_app).recognised.add(_token(ada))
    asked = [request_of(ada, ada.event("d1", 1)) for _ in range(6)]
    late = request_of(ada, ada.event("d2", 1))

    async def run() -> None:
        door = Door(shared_app)
        try:
            with postgresql_database.writing() as other:
                other.execute(text("SELECT 1 FROM pool FOR UPDATE"))
                waiting = asyncio.gather(*(door.__rsgi__(cast(Scope, one), one) for one in asked))
                await asyncio.sleep(0.5)
                assert not any(one.answered for one in asked)
            await waiting
            await door.__rsgi__(cast(Scope, late), late)
        finally:
            door.__rsgi_del__(None)

    asyncio.run(asyncio.wait_for(run(), 20))
    assert outcomes(*asked, late) == ["recorded"] * 7
    assert said(postgresql_database) == [("d1", 1)] * 6 + [("d2", 1)]
