"""Long requests go to a process of their own; what saves, and what assessors ask for, stays."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import Client, TestResponse

from tests.builders import pooled_campaign
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.storage.tables import AccountRow
from workbench.web import long_requests
from workbench.web.app import create_app
from workbench.web.errors import EXPLANATIONS
from workbench.web.long_requests import LongRequests
from workbench.web.long_worker import answer
from workbench.workflow.people.accounts import account_from
from workbench.workflow.people.signing_in import open_session

SCORES = "/c/harbour/scores"
DESK = "/c/harbour/judge"


class Site:
    """The application of a server, before it something that counts what is asked of it, and two people."""

    def __init__(self, database: Database) -> None:
        with database.writing() as db:
            made, _ = pooled_campaign(db)
            self.olga, self.ada = (
                open_session(db, account_from(db.get_one(AccountRow, number))).token
                for number in (made.organiser, made.accounts["Ada"])
            )
        self.app: Flask = create_app(read_settings(), database)
        self.app.before_request(self._count)
        self.asked = 0
        long_requests.init_app(self.app)
        assert isinstance(self.app.wsgi_app, LongRequests)
        self.served = self.app.wsgi_app

    def _count(self) -> None:
        self.asked += 1

    def ask(self, token: str, path: str, method: str = "GET") -> TestResponse:
        client = Client(self.served)
        client.set_cookie("workbench", token)
        return client.open(path, method=method)

    def where(self, token: str, path: str, method: str = "GET") -> tuple[int, str]:
        """The status, and whether this process was asked."""
        before = self.asked
        status = self.ask(token, path, method).status_code
        return status, "here" if self.asked > before else "there"

    def until_there(self) -> None:
        """Ask for something long until the second process is up."""
        end = time.monotonic() + 60
        while self.where(self.olga, SCORES) != (200, "there"):
            assert time.monotonic() < end
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill the second process."""
        assert self.served.second is not None
        os.kill(self.served.second.pid, signal.SIGKILL)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("WORKBENCH_INSTANCE", str(tmp_path))
    database = Database(read_settings().database_url)
    migrate(database)
    made = Site(database)
    yield made
    made.served.close()
    database.close()


def test_the_second_process_answers_what_organisers_read_and_may_be_killed(site: Site) -> None:
    assert site.where(site.olga, SCORES) == (200, "here")  # nobody waits for it to start
    site.until_there()
    first = site.ask(site.olga, SCORES)
    assert "<h1" in first.text
    assert first.headers["Content-Security-Policy"]
    assert site.where(site.ada, SCORES) == (403, "there")
    assert site.where(site.ada, DESK) == (200, "here")
    assert site.where(site.ada, "/desk/events", "POST")[1] == "here"
    assert site.where(site.olga, SCORES, "POST") == (405, "here")
    assert site.where(site.olga, "/c/harbour/nothing-like-it") == (404, "here")
    site.kill()
    assert site.where(site.olga, SCORES) == (200, "there")  # by another one, for which it waits


def test_a_request_that_ends_its_process_twice_is_refused_and_judging_goes_on(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.until_there()
    assert site.served.second is not None
    kind = type(site.served.second)
    asked = kind.ask

    def ask_the_dead(second: Any, environ: dict[str, Any]) -> Any:
        site.kill()
        return asked(second, environ)

    monkeypatch.setattr(kind, "ask", ask_the_dead)
    refused = site.ask(site.olga, SCORES)
    assert refused.status_code == 503
    assert refused.headers["Retry-After"] == "5"
    assert EXPLANATIONS[503][1] in refused.text
    assert site.where(site.ada, DESK) == (200, "here")


def test_no_more_wait_than_leave_threads_to_those_who_judge(site: Site) -> None:
    for _ in range(long_requests.MOST_LONG):
        assert site.served.waiting_slots.acquire(blocking=False)
    assert site.ask(site.olga, SCORES).status_code == 503
    assert site.where(site.ada, DESK) == (200, "here")
    site.served.waiting_slots.release()
    assert site.ask(site.olga, SCORES).status_code == 200


def test_short_requests_wait_for_a_place_and_uploads_take_none(site: Site) -> None:
    for _ in range(long_requests.MOST_SHORT):
        assert site.served.short_slots.acquire(blocking=False)
    statuses: list[int] = []
    asking = threading.Thread(
        target=lambda: statuses.append(site.ask(site.ada, DESK).status_code), daemon=True
    )
    asking.start()
    assert site.ask(site.olga, "/c/harbour/runs/remove", "POST").status_code == 404  # which run?
    asking.join(0.2)
    assert (asking.is_alive(), statuses) == (True, [])
    site.served.short_slots.release()
    asking.join(10)
    assert statuses == [200]


def test_where_no_process_can_be_started_everything_is_answered_here(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(long_requests, "WORKER", "workbench.no_such_module")
    end = time.monotonic() + 60
    while "long requests" not in caplog.text:
        assert site.where(site.olga, SCORES) == (200, "here")
        assert time.monotonic() < end
    assert site.where(site.olga, SCORES) == (200, "here")
    assert caplog.text.count("long requests run in the main process") == 1


def test_an_answer_goes_back_whole_and_its_body_is_closed() -> None:
    body = io.BytesIO(b"one\ntwo\n")

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [("X-Path", environ["PATH_INFO"])])
        return body

    ours, theirs = Pipe()
    ours.send({"PATH_INFO": "/p", "REQUEST_METHOD": "GET"})
    answer(app, theirs)
    assert ours.recv() == ("200 OK", [("X-Path", "/p")])
    assert ours.recv_bytes() == b"one\ntwo\n"
    assert body.closed
