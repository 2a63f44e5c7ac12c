"""Slow requests in a process of their own, so that saving a judgment never waits for scoring.

Pages for organisers and viewers may compute for seconds, and Python computes in one thread at a time. So each
server process starts a second one at a lower priority and forwards to it the requests that only read.
Requests that save, and all requests of assessors, are answered in the first process. Both run the same
application on the same database. Until the second process has started, or if the system cannot start one, the
first process answers everything.
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

# How many long requests the second process answers at once; others wait.
CHANNELS = 4
# How many are answered or wait; the other threads of a server are for assessors.
MOST_LONG = 40
# How many short requests are answered at once: more would only compete for Python's lock, and each needs a
# database connection.
MOST_SHORT = 16
BUSY_SECONDS = 5
BUSY = "workbench.busy"
READY = b"ready"
WORKER = "workbench.web.long_worker"
LOG = logging.getLogger(__name__)

Response = tuple[str, list[tuple[str, str]], bytes]


def init_app(app: Flask) -> None:
    """Have the application of a server forward its long requests."""
    app.before_request(_refuse_if_busy)
    app.wsgi_app = LongRequests(app)  # type: ignore[method-assign]  # as Flask's documentation does


class LongRequests:
    """WSGI middleware of `app` that forwards long requests to a second process."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._local = app.wsgi_app
        self.waiting_slots = threading.BoundedSemaphore(MOST_LONG)
        self.short_slots = threading.BoundedSemaphore(MOST_SHORT)
        self._lock = threading.Lock()
        self._starter: threading.Thread | None = None
        self.second: _SecondProcess | None = None

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer the request locally, or forward it to the second process."""
        if not self._may_be_long(environ):
            with self.short_slots:
                return self._local(environ, start_response)
        if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
            # An upload takes as long as the network does, so it must not occupy a slot.
            return self._local(environ, start_response)
        if self.waiting_slots.acquire(blocking=False):
            try:
                answer = self._answer(environ)
            finally:
                self.waiting_slots.release()
        else:
            answer = self._refusal(environ)
        if answer is None:
            return self._local(environ, start_response)
        status, headers, body = answer
        start_response(status, headers)
        return [body]

    def close(self) -> None:
        """Stop the second process."""
        if self.second is not None:
            self.second.close()

    def _may_be_long(self, environ: dict[str, Any]) -> bool:
        """Whether the view is for members of a campaign other than assessors."""
        try:
            endpoint, _ = self._app.url_map.bind_to_environ(environ).match()
        except HTTPException:
            return False
        stated = access_of(self._app, endpoint)
        return stated is not None and stated.who is Who.MEMBER and Role.ASSESSOR not in stated.roles

    def _answer(self, environ: dict[str, Any]) -> Response | None:
        """The response of the second process; None if there is none (yet)."""
        second = self._second_process()
        if second is None:
            return None
        for _ in range(2):
            try:
                return second.ask(environ)
            except (EOFError, OSError):
                # The process was killed, perhaps because of the memory that the request took. It is sent once
                # more, to a new process, and never answered in this one, which serves the assessors.
                second = self._replacement_of(second)
                if second is None:
                    break
        return self._refusal(environ)

    def _refusal(self, environ: dict[str, Any]) -> Response:
        body, status, headers = run_wsgi_app(self._local, {**environ, BUSY: True}, buffered=True)
        return status, list(headers), b"".join(body)

    def _second_process(self) -> _SecondProcess | None:
        """The second process if it runs; the first call starts it without waiting for it."""
        with self._lock:
            if self._starter is None:
                self._start()
            return self.second

    def _replacement_of(self, lost: _SecondProcess) -> _SecondProcess | None:
        """A new process instead of one that ended, once it is running; None if it cannot be started."""
        with self._lock:
            if self.second is lost:
                self.second = None
                self._start()
            starter = self._starter
        if starter is not None:
            starter.join()
        return self.second

    def _start(self) -> None:
        self._starter = threading.Thread(target=self._run_second, daemon=True)
        self._starter.start()

    def _run_second(self) -> None:
        try:
            self.second = _SecondProcess()
        except (EOFError, OSError, ValueError) as error:
            # Not retried: the first process answers everything.
            LOG.warning("long requests run in the main process: %s", error)


class _SecondProcess:
    """The second process and the channels to it; it ends when they are closed, or with this process.

    Raises EOFError, OSError or (on a system where a child process cannot inherit sockets) ValueError.
    """

    def __init__(self) -> None:
        pairs = [socket.socketpair() for _ in range(CHANNELS)]
        self._all = [Connection(ours.detach()) for ours, _ in pairs]
        theirs = [other.fileno() for _, other in pairs]
        command = [sys.executable, "-m", WORKER, *map(str, theirs)]
        # No part of the command comes from a user.
        process = subprocess.Popen(command, pass_fds=theirs, stdin=subprocess.DEVNULL)  # noqa: S603
        # Wait for its end in a thread, so that it does not remain as a zombie.
        threading.Thread(target=process.wait, daemon=True).start()
        for _, other in pairs:
            other.close()
        self.pid = process.pid
        self._free: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        for channel in self._all:
            if channel.recv_bytes() != READY:
                raise OSError("the second process did not start")
            self._free.put(channel)

    def close(self) -> None:
        """Close the channels: the process ends."""
        for channel in self._all:
            channel.close()

    def ask(self, environ: dict[str, Any]) -> Response:
        """Send a request without a body and return the response.

        Raises EOFError or OSError if the process has ended.
        """
        channel = self._free.get()
        try:
            channel.send({name: value for name, value in environ.items() if isinstance(value, str | int)})
            status, headers = channel.recv()
            return status, headers, channel.recv_bytes()
        finally:
            # Also if the process has ended: a thread that waits for a channel must notice it too.
            self._free.put(channel)


def _refuse_if_busy() -> None:
    if BUSY in request.environ:
        raise ServiceUnavailable(retry_after=BUSY_SECONDS)
