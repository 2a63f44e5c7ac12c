"""Long requests in a process of their own, so that saving an answer never waits behind scoring.

What organisers and readers ask for may reckon for seconds, and Python reckons in one thread at a time. So a
server keeps a second process at a lower priority and hands it those requests that only read; whatever saves,
and whatever an assessor asks for, stays where it came in. Both are the same application over the same
database. Until the second process is up, and where a system can have none, everything stays.
"""

from __future__ import annotations

import logging
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from typing import Any

from flask import Flask, request
from werkzeug.exceptions import HTTPException, ServiceUnavailable
from werkzeug.test import run_wsgi_app

from workbench.web.access import Who, access_of
from workbench.workflow.people.roles import Role

# How many long requests are worked on at once; others wait for one of them.
CHANNELS = 4
# How many are worked on or wait; the other threads of a server are for those who judge.
MOST_LONG = 40
# How many short requests are worked on at once: more would only take Python's lock from one another, and each
# needs a connection to the database.
MOST_SHORT = 16
BUSY_SECONDS = 5
BUSY = "workbench.busy"
READY = b"ready"
WORKER = "workbench.web.long_worker"
LOG = logging.getLogger(__name__)

Answer = tuple[str, list[tuple[str, str]], bytes]


def init_app(app: Flask) -> None:
    """Let the application of a server hand its long requests on."""
    app.before_request(_refuse_if_busy)
    app.wsgi_app = LongRequests(app)  # type: ignore[method-assign]  # as Flask's documentation does


class LongRequests:
    """A WSGI application before that of `app`, which hands long requests to a second process."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._here = app.wsgi_app
        self.places = threading.BoundedSemaphore(MOST_LONG)
        self.at_work = threading.BoundedSemaphore(MOST_SHORT)
        self._lock = threading.Lock()
        self._starter: threading.Thread | None = None
        self.second: _SecondProcess | None = None

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer here, or let the second process answer."""
        if not self._is_of_organisers(environ):
            with self.at_work:
                return self._here(environ, start_response)
        if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
            # An upload takes as long as somebody's line does: it keeps nobody else's place.
            return self._here(environ, start_response)
        if self.places.acquire(blocking=False):
            try:
                answer = self._answer(environ)
            finally:
                self.places.release()
        else:
            answer = self._refusal(environ)
        if answer is None:
            return self._here(environ, start_response)
        status, headers, body = answer
        start_response(status, headers)
        return [body]

    def close(self) -> None:
        """End the second process."""
        if self.second is not None:
            self.second.close()

    def _is_of_organisers(self, environ: dict[str, Any]) -> bool:
        """Whether it is for members of a campaign and for no assessor as such."""
        try:
            endpoint, _ = self._app.url_map.bind_to_environ(environ).match()
        except HTTPException:
            return False
        stated = access_of(self._app, endpoint)
        return stated is not None and stated.who is Who.MEMBER and Role.ASSESSOR not in stated.roles

    def _answer(self, environ: dict[str, Any]) -> Answer | None:
        """What the second process answers; None where there is none (yet)."""
        second = self._other()
        if second is None:
            return None
        for _ in range(2):
            try:
                return second.ask(environ)
            except (EOFError, OSError):
                # It was killed, perhaps for the memory that this very request took: it is asked of another
                # such process once, and never of this one, in which people judge.
                second = self._other_than(second)
                if second is None:
                    break
        return self._refusal(environ)

    def _refusal(self, environ: dict[str, Any]) -> Answer:
        body, status, headers = run_wsgi_app(self._here, {**environ, BUSY: True}, buffered=True)
        return status, list(headers), b"".join(body)

    def _other(self) -> _SecondProcess | None:
        """The second process, if it is up; the first who asks has it started, and need not wait for it."""
        with self._lock:
            if self._starter is None:
                self._start()
            return self.second

    def _other_than(self, lost: _SecondProcess) -> _SecondProcess | None:
        """A new process in the place of one that ended, once it is up; None where it cannot be started."""
        with self._lock:
            if self.second is lost:
                self.second = None
                self._start()
            starter = self._starter
        if starter is not None:
            starter.join()
        return self.second

    def _start(self) -> None:
        self._starter = threading.Thread(target=self._keep_second, daemon=True)
        self._starter.start()

    def _keep_second(self) -> None:
        try:
            self.second = _SecondProcess()
        except (EOFError, OSError, ValueError) as error:
            # Not tried again: everything works as it is.
            LOG.warning("long requests have no process of their own: %s", error)


class _SecondProcess:
    """The process, and the channels to it that are free; it ends when they are closed, as our end does.

    Raises EOFError, OSError or (where a system cannot hand channels on) ValueError.
    """

    def __init__(self) -> None:
        pairs = [socket.socketpair() for _ in range(CHANNELS)]
        self._all = [Connection(ours.detach()) for ours, _ in pairs]
        theirs = [other.fileno() for _, other in pairs]
        command = [sys.executable, "-m", WORKER, *map(str, theirs)]
        # Nothing of the command comes from outside.
        process = subprocess.Popen(command, pass_fds=theirs, stdin=subprocess.DEVNULL)  # noqa: S603
        # Somebody must take notice of its end, lest the system keeps its number for ever.
        threading.Thread(target=process.wait, daemon=True).start()
        for _, other in pairs:
            other.close()
        self.number = process.pid
        self._free: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        for channel in self._all:
            if channel.recv_bytes() != READY:
                raise OSError("it does not answer")
            self._free.put(channel)

    def close(self) -> None:
        """Close the channels: the process ends."""
        for channel in self._all:
            channel.close()

    def ask(self, environ: dict[str, Any]) -> Answer:
        """Send a request without a body and give its answer.

        Raises EOFError or OSError where the process has ended.
        """
        channel = self._free.get()
        try:
            channel.send({name: value for name, value in environ.items() if isinstance(value, str | int)})
            status, headers = channel.recv()
            return status, headers, channel.recv_bytes()
        finally:
            # Also one that has ended: whoever waits for a channel is to see it as well.
            self._free.put(channel)


def _refuse_if_busy() -> None:
    if BUSY in request.environ:
        raise ServiceUnavailable(retry_after=BUSY_SECONDS)
