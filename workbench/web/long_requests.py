"""Slow requests in a process of their own, so that saving a judgment never waits for scoring.

Pages for organisers and viewers may compute for seconds, and Python computes in one thread at a time. So each
server process starts a second one at a lower priority and forwards to it the requests that only read.
Requests that save, and all requests of assessors, are answered in the first process. Both run the same
application on the same database. Until the second process has started, the first one answers what does not
compute; scores and other computed tables wait for it. If the system cannot start one, the first process
answers everything.
"""

from __future__ import annotations

import logging
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from flask import Flask

from workbench.web.context import context_of
from workbench.web.refusals import Refusals, WholeResponse, answer_of
from workbench.web.response_files import ResponseFiles

# How many long requests the second process answers at once.
CHANNELS = 4
# How long it may take for one; then it is killed, whether it computes or hangs.
SECONDS = 100.0
START_SECONDS = 120.0
READY = b"ready"
WORKER = "workbench.web.long_worker"
LOG = logging.getLogger(__name__)


class LongRequests:
    """Answers long requests of `app` by a second process."""

    def __init__(self, app: Flask, refusals: Refusals) -> None:
        self._local = app.wsgi_app
        self._refusals = refusals
        self._files = ResponseFiles(context_of(app).settings.instance)
        self.seconds = SECONDS
        self._lock = threading.Lock()
        self._starter: threading.Thread | None = None
        self.second: _SecondProcess | None = None
        self._closed = False

    def answer(self, environ: dict[str, Any], *, computes: bool = False) -> WholeResponse:
        """The response to a request without a body; one that `computes` waits for the second process."""
        second = self._second_process()
        if second is None and computes:
            second = self._started()
        if second is None:
            return answer_of(self._local, environ, self._files)
        for _ in range(2):
            try:
                return second.ask(environ, self.seconds)
            except TimeoutError:
                # The others that it computes are sent once more, to a new process; this one is not.
                LOG.warning("a request took longer than %.0f s: %s", self.seconds, environ["PATH_INFO"])
                second.kill()
                self._replacement_of(second, wait=False)
                break
            except (EOFError, OSError):
                # The process was killed, perhaps because of the memory that the request took. It is sent once
                # more, to a new process, and never answered in this one, which serves the assessors.
                second = self._replacement_of(second)
                if second is None:
                    break
        return self._refusals.answer(503, environ)

    def close(self) -> None:
        """Stop the second process, also one that is starting."""
        with self._lock:
            self._closed = True
            second = self.second
        if second is not None:
            second.close()

    def _second_process(self) -> _SecondProcess | None:
        """The second process if it runs; the first call starts it without waiting for it."""
        with self._lock:
            if self._starter is None:
                self._start()
            return self.second

    def _replacement_of(self, lost: _SecondProcess, *, wait: bool = True) -> _SecondProcess | None:
        """A new process instead of one that ended, once it is running; None if it cannot be started."""
        with self._lock:
            if self.second is lost:
                self.second = None
                self._start()
            starter = self._starter
        if wait and starter is not None:
            starter.join()
        return self.second

    def _started(self) -> _SecondProcess | None:
        """The second process once it has started; None if it cannot."""
        if self._starter is not None:
            self._starter.join()
        return self.second

    def _start(self) -> None:
        self._starter = threading.Thread(target=self._run_second, daemon=True)
        self._starter.start()

    def _run_second(self) -> None:
        try:
            second = _SecondProcess()
        except (EOFError, OSError, ValueError) as error:
            # Not retried: the first process answers everything.
            LOG.warning("long requests run in the main process: %s", error)
            return
        with self._lock:
            self.second = second
            closed = self._closed
        if closed:
            second.close()


def put_response(channel: Connection, response: WholeResponse) -> None:
    """Send a response through a channel: status and headers, then its body, or the path of its file."""
    body = response.body
    channel.send((response.status, list(response.headers), isinstance(body, Path)))
    channel.send_bytes(os.fsencode(body) if isinstance(body, Path) else body)


def take_response(channel: Connection) -> WholeResponse:
    """The response that the other end of a channel has put there."""
    status, headers, in_file = channel.recv()
    body = channel.recv_bytes()
    return WholeResponse(status, headers, Path(os.fsdecode(body)) if in_file else body)


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
        self._process = subprocess.Popen(command, pass_fds=theirs, stdin=subprocess.DEVNULL)  # noqa: S603
        # Wait for its end in a thread, so that it does not remain as a zombie.
        threading.Thread(target=self._process.wait, daemon=True).start()
        for _, other in pairs:
            other.close()
        self.pid = self._process.pid
        self._free: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        for channel in self._all:
            if not channel.poll(START_SECONDS) or channel.recv_bytes() != READY:
                self.kill()
                raise OSError("the second process did not start")
            self._free.put(channel)

    def close(self) -> None:
        """Close the channels: the process ends."""
        for channel in self._all:
            channel.close()

    def kill(self) -> None:
        """End the process at once, also one that was stopped."""
        self._process.kill()

    def ask(self, environ: dict[str, Any], seconds: float) -> WholeResponse:
        """Send a request without a body and return the response.

        Raises EOFError or OSError if the process has ended, and TimeoutError, which is one, if it does not
        respond in time.
        """
        channel = self._free.get()
        end = time.monotonic() + seconds
        # It may hang in the middle of a response as well: then its end is what ends the reading of it.
        killer = threading.Timer(seconds, self.kill)
        killer.daemon = True
        killer.start()
        try:
            channel.send({name: value for name, value in environ.items() if isinstance(value, str | int)})
            return take_response(channel)
        except (EOFError, OSError):
            if time.monotonic() >= end:
                raise TimeoutError from None
            raise
        finally:
            killer.cancel()
            # Also if the process has ended: a thread that waits for a channel must notice it too.
            self._free.put(channel)
