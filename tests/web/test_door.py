"""The door of a server: requests are read whole, bounded in size and time, and answered in places."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from flask import Flask, request
from granian.rsgi import Scope
from werkzeug.wrappers import Response

from tests.builders import pooled_campaign
from tests.cast import CHEAP
from tests.web.asked import Asked, Headers
from workbench.errors import WorkbenchError
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow
from workbench.web import bodies, door, environ, health
from workbench.web.access import anyone
from workbench.web.app import create_app
from workbench.web.context import Context, init_app
from workbench.web.door import Door
from workbench.web.places import Places, RequestBounds, RequestKind, kind_of
from workbench.workflow.people.accounts import account_from
from workbench.workflow.people.signing_in import open_session

MEBIBYTE = 1024**2
FORM = {"content-type": "application/x-www-form-urlencoded"}
FILES = {"content-type": "multipart/form-data; boundary=b"}
PAGE, DESK = "/c/harbour/judge", "/desk/events"


@dataclass
class Site:
    """A door, and the tokens of an organiser and an assessor."""

    app: Flask
    olga: str
    ada: str
    echoed: list[dict[str, Any]] = field(default_factory=list)

    def asked(self, path: str, token: str = "", body: bytes | None = None, **more: Any) -> Asked:
        headers = Headers((more.pop("headers", {})).items())
        if token:
            headers.append(("cookie", f"a=b; workbench={token}"))
        if body is not None:
            headers.append(("content-length", str(more.pop("length", len(body)))))
            more.setdefault("parts", [body])
        return Asked(more.pop("method", "GET" if body is None else "POST"), path, headers, **more)


@pytest.fixture(scope="module")
def further_routes() -> Flask:
    """An application with routes that tests give a view of their own."""
    app = create_app(read_settings(), Database("sqlite://"), passwords=CHEAP)
    for name, methods in (("echo", ["GET", "POST"]), ("large", ["GET"]), ("lock", ["POST"])):
        app.add_url_rule(f"/{name}", name, anyone(lambda: ""), methods=methods)
    return app


@pytest.fixture
def site(further_routes: Flask, sqlite_database: Database, tmp_path: Path) -> Site:
    with sqlite_database.writing() as db:
        made, _ = pooled_campaign(db)
        olga, ada = (
            open_session(db, account_from(db.get_one(AccountRow, number))).token
            for number in (made.organiser, made.accounts["Ada"])
        )
    settings = read_settings(instance=tmp_path)
    init_app(further_routes, Context(settings, sqlite_database, CHEAP))
    made_site = Site(further_routes, olga, ada)

    def echo() -> str:
        content = request.stream.read()
        made_site.echoed.append(dict(request.headers) | {"length": len(content), "from": request.remote_addr})
        return hashlib.sha256(content).hexdigest()

    further_routes.view_functions["echo"] = anyone(echo)
    return made_site


def through(
    site: Site, act: Callable[[Door], Coroutine[Any, Any, None]], places: Places | None = None
) -> None:
    """Run `act` with a door in an event loop of its own."""

    async def run() -> None:
        made = Door(site.app, places=places)
        try:
            await act(made)
        finally:
            made.__rsgi_del__(None)

    asyncio.run(run())


async def ask(made: Door, *asked: Asked) -> None:
    await asyncio.gather(*(made.__rsgi__(cast(Scope, one), one) for one in asked))


def answered(site: Site, *asked: Asked, places: Places | None = None) -> list[int]:
    """The statuses of requests that come at once."""
    through(site, lambda made: ask(made, *asked), places)
    return [one.status for one in asked]


def unfinished(site: Site, strangers: int, assessors: int, organisers: int) -> list[Asked]:
    """Requests whose bodies stop after some bytes."""
    return [
        site.asked(path, token, b"login=a", length=length, headers=kind, stalls=True)
        for path, token, length, kind in (
            *[("/sign-in", "", 60_000, FORM)] * strangers,
            *[(DESK, site.ada, 60_000, FORM)] * assessors,
            *[("/c/harbour/documents", site.olga, 9 * MEBIBYTE, FILES)] * organisers,
        )
    ]


def test_unfinished_bodies_take_no_place(site: Site) -> None:
    stalled = unfinished(site, strangers=40, assessors=16, organisers=64)
    prompt = [site.asked(PAGE, site.ada), site.asked(DESK, site.ada, b"{}"), site.asked("/sign-in")]

    async def act(made: Door) -> None:
        waiting = [asyncio.create_task(ask(made, one)) for one in stalled]
        await asyncio.sleep(0.1)
        await ask(made, *prompt)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    through(site, act)
    assert [one.status for one in prompt] == [200, 422, 200]  # {} is no batch of answers
    assert not any(one.answered for one in stalled)


def test_a_large_answer_is_sent_as_a_file_which_is_then_deleted(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environ, "SECONDS_TO_OPEN", 0.2)

    def large() -> Response:
        return Response(iter([b"x" * 600_000] * 2), headers={"X-Large": "yes"})

    site.app.view_functions["large"] = anyone(large)
    asked = site.asked("/large")
    assert answered(site, asked) == [200]
    _, headers, content = asked.answered[0]
    assert (headers["X-Large"], content) == ("yes", b"x" * 1_200_000)
    (file,) = asked.files
    deadline = time.monotonic() + 30
    while file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_body_that_does_not_go_on_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(bodies, "BYTES_PER_SECOND", 1e6)
    assert set(answered(site, *unfinished(site, 2, 2, 2))) == {408}


@pytest.mark.parametrize(
    ("who", "kind", "length", "status"),
    [
        ("", FORM, 64 * 1024, 200),
        ("", FORM, 64 * 1024 + 1, 413),
        ("", FILES, 64 * 1024 + 1, 413),
        ("a session that nobody has", FORM, 64 * 1024 + 1, 413),
        ("ada", FORM, MEBIBYTE, 200),
        ("ada", {"content-type": "application/json"}, MEBIBYTE + 1, 413),
        ("ada", FILES, 3 * MEBIBYTE, 200),
        ("ada", FILES, 2048 * MEBIBYTE + 1, 413),  # the default of WORKBENCH_MAX_UPLOAD_MIB
    ],
)
def test_a_body_is_as_large_as_its_sender_and_its_kind_allow(
    site: Site, who: str, kind: dict[str, str], length: int, status: int
) -> None:
    token = site.ada if who == "ada" else who
    content = bytes(min(length, 3 * MEBIBYTE))
    parts = [content[begin : begin + 400_000] for begin in range(0, len(content), 400_000)]
    asked = site.asked("/echo", token, content, length=length, headers=kind, parts=parts)
    assert answered(site, asked) == [status]
    if status == 200:
        assert asked.answered[0][2].decode() == hashlib.sha256(content).hexdigest()
    else:
        assert site.echoed == []


def test_few_strangers_at_once_may_send_what_is_larger_than_a_form(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "MOST_LARGE_OF_STRANGERS", 2)
    address = "/releases/nowhere/1.0/score"
    whole = bytes(MEBIBYTE)
    assert answered(site, site.asked(address, "", whole, headers=FILES)) == [404]
    assert answered(site, site.asked(address, "", whole, length=5 * MEBIBYTE, headers=FILES)) == [413]
    stalled = [site.asked(address, "", b"x", length=MEBIBYTE, headers=FILES, stalls=True) for _ in range(2)]
    third, form = site.asked(address, "", whole, headers=FILES), site.asked("/sign-in")

    async def act(made: Door) -> None:
        waiting = [asyncio.create_task(ask(made, one)) for one in stalled]
        await asyncio.sleep(0.1)
        await ask(made, third, form)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    through(site, act)
    # The oldest of the same network made room.
    assert (third.status, form.status, stalled[0].status) == (404, 200, 408)
    assert stalled[1].answered == []
    assert answered(site, site.asked(address, "", whole, headers=FILES)) == [404]


def test_a_network_full_of_unfinished_forms_keeps_nobody_else_out(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "MOST_OF_NETWORK", 3)
    stalled = [
        site.asked("/sign-in", "", b"login=", length=60_000, headers=FORM, stalls=True) for _ in range(5)
    ]
    form = b"login=x&password=y"
    own, other = (site.asked("/sign-in", "", form, headers=FORM) for _ in range(2))
    other.client = "203.0.113.7:50123"

    async def act(made: Door) -> None:
        waiting = [asyncio.create_task(ask(made, one)) for one in stalled]
        await asyncio.sleep(0.1)
        await ask(made, own, other)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    through(site, act)
    assert [own.status, other.status] == [422, 422]
    assert [[answer[0] for answer in one.answered] for one in stalled] == [[408], [408], [408], [], []]


def test_answers_are_bounded_whatever_type_they_state(site: Site) -> None:
    large = b'{"account": "", "events": [], "x": "%s"}' % (b"x" * MEBIBYTE)
    assert answered(site, site.asked(DESK, site.ada, large, headers=FILES)) == [413]


def test_a_request_without_a_length_and_one_that_breaks_off_reach_no_view(site: Site) -> None:
    chunked = site.asked("/echo", site.ada, method="POST", headers={"transfer-encoding": "chunked"})
    broken = [
        site.asked("/echo", site.ada, b"x", length=length, headers=FILES) for length in (9, 2 * MEBIBYTE)
    ]
    through(site, lambda made: ask(made, chunked, *broken))
    assert chunked.status == 411
    assert [one.answered for one in broken] == [[], []]
    assert site.echoed == []


def test_a_view_sees_the_request_as_it_was_sent(site: Site) -> None:
    headers = {"x-forwarded-for": "192.0.2.1", "x_forwarded_for": "198.51.100.9", "accept": "text/html"}
    asked = site.asked("/echo", headers=headers)
    asked.headers.append(("accept", "application/json"))
    assert answered(site, asked) == [200]
    (seen,) = site.echoed
    assert (seen["X-Forwarded-For"], seen["Accept"]) == ("192.0.2.1", "text/html,application/json")
    assert seen["from"] == "2001:db8::7"
    missing = site.asked("/c/harbour/é�", site.ada)
    assert answered(site, missing, site.asked("/echo", method="HEAD")) == [404, 200]


def test_who_is_kept_waiting_keeps_nobody_else_waiting(site: Site) -> None:
    places = Places(
        {kind: RequestBounds(1, 1, 30) for kind in RequestKind}
        | {RequestKind.SAVING: RequestBounds(1, 1, 0.4)}
    )
    go_on = threading.Event()

    def lock() -> str:
        go_on.wait(10)
        return "late"

    site.app.view_functions["lock"] = anyone(lock)

    async def act(made: Door) -> None:
        await ask(made, site.asked("/echo", site.ada))
        saving = [site.asked("/lock", site.ada, b"") for _ in range(3)]
        waiting = asyncio.gather(*(ask(made, one) for one in saving))
        await asyncio.sleep(0.05)
        assert [one.status for one in saving if one.answered] == [503]  # one is answered, one waits
        others = [site.asked(PAGE, site.ada), site.asked("/sign-in"), site.asked("/c/harbour/", site.olga)]
        await ask(made, *others)
        assert [one.status for one in others] == [200, 200, 200]
        await waiting
        for one in saving:
            assert (one.status, one.answered[0][1]["Retry-After"]) == (503, "5")
            assert b"Try again in a few seconds" in one.answered[0][2]
        go_on.set()
        for _ in range(100):
            again = site.asked("/lock", site.ada, b"")
            await ask(made, again)
            if again.status == 200:
                return
            await asyncio.sleep(0.02)
        raise AssertionError("the place was not freed")

    try:
        through(site, act, places)
    finally:
        go_on.set()


@pytest.mark.parametrize(
    ("method", "endpoint", "signed_in", "kind"),
    [
        ("GET", "my_topics.index", False, RequestKind.STRANGER),
        ("POST", "entrance.sign_in", False, RequestKind.STRANGER),
        ("GET", None, True, RequestKind.READING),
        ("POST", "desk.events", True, RequestKind.SAVING),
        ("GET", "desk.work", True, RequestKind.READING),
        ("GET", "desk.documents", True, RequestKind.AHEAD),
        ("GET", "scores.index", True, RequestKind.LONG),
        ("HEAD", "scores.index", True, RequestKind.LONG),
        ("POST", "documents.load", True, RequestKind.LOADING),
    ],
)
def test_a_request_has_a_kind(
    app: Flask, method: str, endpoint: str | None, signed_in: bool, kind: RequestKind
) -> None:
    assert kind_of(app, method, endpoint, signed_in=signed_in) is kind


NO_ROOM = Places({kind: RequestBounds(1, 0, 0.1) for kind in RequestKind})


def test_health_is_told_in_time_while_the_database_hangs(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "SECONDS", 0.2)
    go_on = threading.Event()
    checks: list[str] = []

    def hanging(_database: object) -> None:
        checks.append("begun")
        go_on.wait(10)

    async def act(made: Door) -> None:
        monkeypatch.setattr(health, "reachable", hanging)
        asked = [site.asked("/healthz") for _ in range(5)]
        await ask(made, *asked)
        assert {one.status for one in asked} == {503}
        assert checks == ["begun"]  # one for all who ask meanwhile

    try:
        through(site, act, NO_ROOM)
    finally:
        go_on.set()


def test_health_says_whether_the_database_answers_and_not_what_it_says(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_database: object) -> None:
        raise WorkbenchError("no route to the host of the database")

    async def act(made: Door) -> None:
        for check, status in ((gone, 503), (lambda _: None, 200)):
            monkeypatch.setattr(health, "reachable", check)
            asked = [site.asked("/healthz") for _ in range(5)]
            await ask(made, *asked)
            assert {one.status for one in asked} == {status}
            assert "route" not in str([one.answered for one in asked])
        assert asked[0].answered[0][2] == b"ok\n"

    through(site, act, NO_ROOM)
