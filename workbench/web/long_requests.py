"""Long requests in a process of their own, so that saving an answer never waits behind scoring.

What organisers and readers ask for may reckon for seconds, and Python reckons in one thread at a time. So a
server keeps a second process at a lower priority and hands it those requests that only read; whatever saves,
and whatever an assessor asks for, stays where it came in. Both are the same application over the same
database. Until the second process is up, and where there can be none, everything stays.
"""

from __future__ import annotations

import logging
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Any

from flask import Flask
from werkzeug.exceptions import HTTPException

from workbench.web.access import Statement, Who, statement_of
from workbench.workflow.people.roles import Role

# How many long requests are worked on at once; others wait for one of them.
CHANNELS = 4
# How many short requests are worked on at once; some wait for the disk, as a rule.
AT_ONCE = 4
READY = b"ready"
WORKER = "workbench.web.long_worker"
LOG = logging.getLogger(__name__)


class LongRequests:
    """A WSGI application before that of `app`, which hands long requests to a second process."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._here = app.wsgi_app
        # More at once only take Python's lock from one another: each is quicker when it is let finish.
        self._at_once = threading.BoundedSemaphore(AT_ONCE)
        self._lock = threading.Lock()
        self._starting = False
        self._second: _SecondProcess | None = None

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer here, or let the second process answer."""
        stated = self._statement(environ)
        if stated is None or stated.who is not Who.MEMBER or Role.ASSESSOR in stated.roles:
            with self._at_once:
                return self._here(environ, start_response)
        second = self._other() if environ["REQUEST_METHOD"] in {"GET", "HEAD"} else None
        if second is None:
            return self._here(environ, start_response)
        try:
            channel, status, headers = second.ask(environ)
        except (EOFError, OSError):
            # It was killed, perhaps for its memory. What only reads can be asked again; the next long request
            # has another started.
            with self._lock:
                if self._second is second:
                    self._second = None
            return self._here(environ, start_response)
        start_response(status, headers)
        return second.body(channel)

    def _statement(self, environ: dict[str, Any]) -> Statement | None:
        try:
            endpoint, _ = self._app.url_map.bind_to_environ(environ).match()
        except HTTPException:
            return None
        return statement_of(self._app, endpoint)

    def _other(self) -> _SecondProcess | None:
        # The first long request has it started, and need not wait for it.
        with self._lock:
            if self._second is None and not self._starting:
                self._starting = True
                threading.Thread(target=self._start, daemon=True).start()
            return self._second

    def _start(self) -> None:
        try:
            second = _SecondProcess()
        except (EOFError, OSError, ValueError) as error:
            # Not tried again: everything works as it is.
            LOG.warning("long requests have no process of their own: %s", error)
            return
        with self._lock:
            self._second, self._starting = second, False


class _SecondProcess:
    """The process, and the channels to it that are free; it ends when they are closed, as our end does.

    Raises EOFError, OSError or (where a system cannot hand channels on) ValueError.
    """

    def __init__(self) -> None:
        pairs = [socket.socketpair() for _ in range(CHANNELS)]
        ours = [Connection(one.detach()) for one, _ in pairs]
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
        for channel in ours:
            if channel.recv_bytes() != READY:
                raise OSError("it does not answer")
            self._free.put(channel)
        self._all = ours

    def close(self) -> None:
        """Close the channels: the process ends."""
        for channel in self._all:
            channel.close()

    def ask(self, environ: dict[str, Any]) -> tuple[Connection, str, list[tuple[str, str]]]:
        """Send a request without a body and give the beginning of its answer, with the channel of the rest.

        Raises EOFError or OSError where the process has ended.
        """
        channel = self._free.get()
        try:
            channel.send({name: value for name, value in environ.items() if isinstance(value, str | int)})
            status, headers = channel.recv()
        except (EOFError, OSError):
            # For whoever waits for a channel: they are to see it as well.
            self._free.put(channel)
            raise
        return channel, status, headers

    def body(self, channel: Connection) -> Iterator[bytes]:
        """The rest of an answer; the channel is free when it is whole, also if nobody wants it any more."""
        rest = iter(channel.recv_bytes, b"")
        try:
            yield from rest
        finally:
            try:
                for _ in rest:
                    pass
            except (EOFError, OSError):
                LOG.warning("the process of long requests ended within an answer")
            self._free.put(channel)
