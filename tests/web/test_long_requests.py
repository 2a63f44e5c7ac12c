"""Long requests go to a process of their own, which may be killed, and is where it hangs."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder

from tests.builders import pooled_campaign
from workbench.errors import Unavailable
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow
from workbench.web import long_requests, long_worker
from workbench.web.app import create_app
from workbench.web.errors import EXPLANATIONS
from workbench.web.long_requests import READY, LongRequests, take_response
from workbench.web.long_worker import answer
from workbench.web.pages import COMPUTING
from workbench.web.refusals import FAILURE, Refusals, WholeResponse, answer_of
from workbench.web.response_files import FOLDER, ResponseFiles
from workbench.workflow.people.accounts import account_from
from workbench.workflow.people.signing_in import open_session

SCORES = "/c/harbour/scores"


class Site:
    """An application that counts what is asked of it, its long requests, and two people."""

    def __init__(self, database: Database) -> None:
        with database.writing() as db:
            made, _ = pooled_campaign(db)
            self.olga, self.ada = (
                open_session(db, account_from(db.get_one(AccountRow, number))).token
                for number in (made.organiser, made.accounts["Ada"])
            )
        self.app: Flask = create_app(read_settings(), database)
        self.app.before_request(self._count)
        self.served = LongRequests(self.app, Refusals(self.app))
        self.asked = 0

    def _count(self) -> None:
        self.asked += 1

    def ask(self, token: str, path: str = SCORES) -> WholeResponse:
        environ = EnvironBuilder(path=path).get_environ()
        return self.served.answer(environ | {"HTTP_COOKIE": f"workbench={token}"})

    def where(self, token: str) -> tuple[int, str]:
        """The status, and whether this process was asked."""
        before = self.asked
        status = self.ask(token).code
        return status, "here" if self.asked > before else "there"

    def until_there(self) -> None:
        """Ask for something long until the second process is up."""
        end = time.monotonic() + 60
        while self.where(self.olga) != (200, "there"):
            assert time.monotonic() < end
            time.sleep(0.02)

    def signal(self, number: signal.Signals) -> int:
        """Send a signal to the second process, whose number it returns."""
        assert self.served.second is not None
        os.kill(self.served.second.pid, number)
        return self.served.second.pid


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, migrated_sqlite: Path) -> Iterator[Site]:
    monkeypatch.setenv("WORKBENCH_INSTANCE", str(tmp_path))
    shutil.copyfile(migrated_sqlite, tmp_path / "workbench.sqlite3")
    database = Database(read_settings().database_url)
    made = Site(database)
    yield made
    made.served.close()
    database.close()


def test_the_second_process_answers_what_organisers_read(site: Site) -> None:
    assert site.where(site.olga) == (200, "here")  # nobody waits for it to start
    site.until_there()
    first = site.ask(site.olga)
    assert isinstance(first.body, bytes)
    assert b"<h1" in first.body
    assert dict(first.headers)["Content-Security-Policy"]
    assert site.where(site.ada) == (403, "there")


@pytest.mark.slow  # it starts three
def test_the_second_process_may_be_killed_or_hang(site: Site) -> None:
    assert site.where(site.olga) == (200, "here")
    site.until_there()
    site.signal(signal.SIGKILL)
    assert site.where(site.olga) == (200, "there")  # by another one, for which it waits
    site.served.seconds = 0.3
    stopped = site.signal(signal.SIGSTOP)
    refused = site.ask(site.olga)
    assert (refused.code, dict(refused.headers)["Retry-After"]) == (503, "5")
    site.served.seconds = long_requests.SECONDS
    assert site.where(site.olga)[0] == 200  # here, until the next one has started
    end = time.monotonic() + 60
    while Path(f"/proc/{stopped}").exists():  # it was killed, though it was stopped
        assert time.monotonic() < end
        time.sleep(0.02)


class Starting:
    """A second process that has started once it is let."""

    let = threading.Event()
    pid = 0

    def __init__(self) -> None:
        self.let.wait()

    def ask(self, environ: dict[str, Any], seconds: float) -> WholeResponse:
        return WholeResponse("200 OK", [], b"from there")

    def close(self) -> None:
        """There is none."""


def test_what_computes_waits_for_the_second_process_and_is_never_answered_here(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_requests, "_SecondProcess", Starting)
    assert site.where(site.olga) == (200, "here")
    before = site.asked
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(site.served.answer, {"PATH_INFO": SCORES}, computes=True)
        assert not waiting.done()
        Starting.let.set()
        assert waiting.result().body == b"from there"
    assert site.asked == before


def test_pages_of_scores_trust_and_influence_are_among_those_that_compute(site: Site) -> None:
    rules = [rule for rule in site.app.url_map.iter_rules() if rule.endpoint.partition(".")[0] in COMPUTING]
    addresses = {str(rule) for rule in site.app.url_map.iter_rules()}
    wanted = {one for one in addresses if re.match("/c/<slug>/(scores|trust|adjudication/influence)", one)}
    assert len(wanted) > 20
    assert wanted == {str(rule) for rule in rules}


class Dying:
    """A second process that ends at every request."""

    def ask(self, environ: dict[str, Any], seconds: float) -> WholeResponse:
        raise EOFError

    def close(self) -> None:
        """It has ended."""


@pytest.mark.slow
def test_a_request_that_ends_its_process_twice_is_refused_and_not_answered_here(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_requests, "_SecondProcess", Dying)
    site.ask(site.olga)
    before = site.asked
    refused = site.ask(site.olga)
    assert (refused.code, dict(refused.headers)["Retry-After"]) == (503, "5")
    assert isinstance(refused.body, bytes)
    assert EXPLANATIONS[503][1].encode() in refused.body
    assert site.asked == before


def test_where_no_process_can_be_started_everything_is_answered_here(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(long_requests, "WORKER", "workbench.no_such_module")
    end = time.monotonic() + 60
    while "long requests" not in caplog.text:
        assert site.where(site.olga) == (200, "here")
        assert time.monotonic() < end
    assert site.where(site.olga) == (200, "here")
    assert caplog.text.count("long requests run in the main process") == 1


class Ended(BaseException):
    """The process would have ended."""


class AtOnce:
    """A thread that has done everything when it was started."""

    def __init__(self, target: Callable[..., None], args: tuple[Any, ...]) -> None:
        self.start = partial(target, *args)


def test_the_second_process_yields_to_the_first_and_ends_as_its_channel_is_closed(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []

    def ends(code: int) -> None:
        done.append(code)
        raise Ended

    def ignores(number: signal.Signals, how: signal.Handlers) -> None:
        done.append((number, how))

    # What would be done to this process, in which the worker runs here.
    itself = SimpleNamespace(nice=done.append, _exit=ends)
    signals = SimpleNamespace(signal=ignores, SIGINT=signal.SIGINT, SIG_IGN=signal.SIG_IGN)
    for name, value in {"os": itself, "signal": signals, "threading": SimpleNamespace(Thread=AtOnce)}.items():
        monkeypatch.setattr(long_worker, name, value)
    monkeypatch.setattr(long_worker, "start_logging", done.append)
    ours, theirs = Pipe()

    def ask() -> tuple[bytes, WholeResponse]:
        with ours:
            ready = ours.recv_bytes()
            environ = EnvironBuilder(path="/healthz").get_environ()
            ours.send({name: value for name, value in environ.items() if isinstance(value, str | int)})
            assert ours.poll(30)
            return ready, take_response(ours)

    with theirs, ThreadPoolExecutor(1) as asking:
        asked = asking.submit(ask)
        with pytest.raises(Ended):
            long_worker.main([str(os.dup(theirs.fileno()))])
        ready, response = asked.result()
    assert (ready, response.code) == (READY, 200)
    # Ctrl-C is the first process's; this one is nicer, has its log, and ends well.
    assert [done[0], done[1], done[-1]] == [(signal.SIGINT, signal.SIG_IGN), long_worker.NICENESS, 0]


def test_an_answer_goes_back_whole_and_its_body_is_closed() -> None:
    body = io.BytesIO(b"one\ntwo\n")

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [("X-Path", environ["PATH_INFO"])])
        return body

    ours, theirs = Pipe()
    ours.send({"PATH_INFO": "/p", "REQUEST_METHOD": "GET"})
    answer(app, theirs, ResponseFiles(Path("nowhere")))
    assert take_response(ours) == WholeResponse("200 OK", [("X-Path", "/p")], b"one\ntwo\n")
    assert body.closed


def test_a_large_answer_goes_back_as_a_file(tmp_path: Path) -> None:
    def app(_: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [])
        return iter([b"x" * 600_000, b"y" * 600_000])

    ours, theirs = Pipe()
    ours.send({})
    answer(app, theirs, ResponseFiles(tmp_path))
    path = take_response(ours).body
    assert isinstance(path, Path)
    assert path.read_bytes() == b"x" * 600_000 + b"y" * 600_000
    assert path.parent == tmp_path / FOLDER


def test_a_large_answer_that_breaks_off_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"x" * 1_200_000
        raise Unavailable("the database is away")

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if FAILURE in environ:
            start_response("503 Service Unavailable", [])
            return [str(environ[FAILURE]).encode()]
        start_response("200 OK", [])
        return parts()

    answered = answer_of(app, {}, ResponseFiles(tmp_path))
    assert (answered.code, answered.body) == (503, b"the database is away")
    assert list((tmp_path / FOLDER).iterdir()) == []
