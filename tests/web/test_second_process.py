"""Long requests and the second process, whose part tests play: what is asked of it, and what its end does."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any, ClassVar

import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder

from workbench.web.errors import EXPLANATIONS
from workbench.web.long_requests import READY, LongRequests, put_response
from workbench.web.refusals import Refusals, WholeResponse

ANSWER = WholeResponse("200 OK", [("X-From", "there")], b"from there")


class Process:
    """The second process: it says that it is ready, and keeps the other ends of the channels until killed."""

    says = READY
    started: ClassVar[list[Process]] = []

    def __init__(self, command: list[str], *, pass_fds: list[int], stdin: int) -> None:
        assert command[1:3] == ["-m", "workbench.web.long_worker"]
        assert command[3:] == [str(one) for one in pass_fds]
        self.pid = 4711
        self.ends = [Connection(os.dup(one)) for one in pass_fds]
        self.killed = threading.Event()
        for end in self.ends:
            end.send_bytes(self.says)
        self.started.append(self)

    def kill(self) -> None:
        """End, as the system ends it."""
        if not self.killed.is_set():
            self.killed.set()
            for end in self.ends:
                end.close()

    def wait(self) -> None:
        """Wait for the end."""
        self.killed.wait()


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Process]]:
    """The processes that were started."""
    monkeypatch.setattr(Process, "started", [])
    monkeypatch.setattr("subprocess.Popen", Process)
    yield Process.started
    for one in Process.started:
        one.kill()


@pytest.fixture
def served(app: Flask, processes: list[Process]) -> Iterator[LongRequests]:
    found = LongRequests(app, Refusals(app))
    yield found
    found.close()


def environ(path: str = "/healthz") -> dict[str, Any]:
    return EnvironBuilder(path=path).get_environ()


def started(served: LongRequests) -> None:
    """Have the second process started; this first request is answered here meanwhile."""
    assert served.answer(environ()).code == 200
    assert served._started() is not None


def test_a_request_goes_to_the_second_process_without_what_does_not_travel(
    served: LongRequests, processes: list[Process]
) -> None:
    started(served)
    (process,) = processes
    for end in process.ends:
        put_response(end, ANSWER)
    sent = environ("/c/harbour/scores")
    assert served.answer(sent) == ANSWER
    assert served.second is not None
    assert served.second.pid == 4711
    # The first channel was free for longest.
    asked = process.ends[0].recv()
    assert asked["PATH_INFO"] == "/c/harbour/scores"
    assert "wsgi.input" in sent
    assert "wsgi.input" not in asked


def test_a_request_whose_process_ends_is_sent_once_more_and_then_refused(
    served: LongRequests, processes: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    started(served)
    processes[0].kill()
    # The next one ends as soon as it has started.
    monkeypatch.setattr(Process, "__init__", _ending(Process.__init__))
    refused = served.answer(environ())
    assert (refused.code, dict(refused.headers)["Retry-After"]) == (503, "5")
    assert isinstance(refused.body, bytes)
    assert EXPLANATIONS[503][1].encode() in refused.body
    # One more is started for whoever comes next.
    assert len(processes) == 3


def _ending(begin: Any) -> Any:
    def begun(self: Process, *given: Any, **named: Any) -> None:
        begin(self, *given, **named)
        self.kill()

    return begun


def test_a_request_that_takes_too_long_ends_its_process_and_is_refused_at_once(
    served: LongRequests, processes: list[Process], caplog: pytest.LogCaptureFixture
) -> None:
    started(served)
    served.seconds = 0.01
    assert served.answer(environ("/c/harbour/scores")).code == 503
    assert processes[0].killed.is_set()
    assert "a request took longer than 0 s: /c/harbour/scores" in caplog.text
    served._started()
    assert (len(processes), processes[1].killed.is_set()) == (2, False)


def test_a_process_that_says_something_else_is_not_used(
    app: Flask, processes: list[Process], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Process, "says", b"Traceback")
    served = LongRequests(app, Refusals(app))
    # What computes waits for it, and is answered here only because there is none.
    assert served.answer(environ(), computes=True).code == 200
    assert served.second is None
    assert processes[0].killed.is_set()
    assert "long requests run in the main process: the second process did not start" in caplog.text


def test_what_starts_while_the_server_stops_is_closed(app: Flask, processes: list[Process]) -> None:
    served = LongRequests(app, Refusals(app))
    served.close()
    started(served)
    # Its channels are closed, by which the real one ends.
    (process,) = processes
    with pytest.raises(EOFError):
        process.ends[0].recv()
