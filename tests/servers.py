"""Real servers: one as its own process, ended as Ctrl-C would, and one in the process of the tests."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

START_SECONDS = 60
STOP_SECONDS = 20
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


@contextmanager
def running_server(
    command: Sequence[str], *, log: Path, folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Run a command that prints its address, and give that address once it answers.

    Raises RuntimeError with everything it said where it does not answer in time, or does not end by itself
    within STOP_SECONDS of an interrupt.
    """
    settings = dict(os.environ) | {"PYTHONUNBUFFERED": "1"} | dict(environment or {})
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield _wait_for_address(process, log)
    finally:
        _interrupt(process, log)


class Served(Protocol):
    """A WSGI application that is told when its server has ended."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        ...

    def pause(self) -> None:
        """Answer nothing from now on."""


class WholeAnswers:
    """The application, with every answer read to its end before any of it is sent.

    The server of `served_here` forgets to close an answer where the browser goes away meanwhile, which leaves
    a file open. While it pauses, every request is refused: what the application needs is exchanged.
    """

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._pauses = False
        self._answering = 0
        self._changed = threading.Condition()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        with self._changed:
            if self._pauses:
                start_response("503 Service Unavailable", [("Content-Length", "0")])
                return []
            self._answering += 1
        try:
            answer = self._app(environ, start_response)
            try:
                return list(answer)
            finally:
                if hasattr(answer, "close"):
                    answer.close()
        finally:
            with self._changed:
                self._answering -= 1
                self._changed.notify_all()

    def pause(self) -> None:
        """Refuse requests from now on, and wait until those before are answered."""
        with self._changed:
            self._pauses = True
            self._changed.wait_for(lambda: not self._answering, STOP_SECONDS)

    def go_on(self) -> None:
        """Answer requests again."""
        with self._changed:
            self._pauses = False


class _Silent(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: Any) -> None:
        """Say nothing of each request; errors of the application are logged by itself."""


@contextmanager
def served_here(answers: Served, certificate: Path | None = None) -> Iterator[str]:
    """Serve an application from threads of this process, with a certificate by HTTPS; gives the address."""
    tls = None if certificate is None else (str(certificate), str(certificate))
    server = make_server("127.0.0.1", 0, answers, threaded=True, request_handler=_Silent, ssl_context=tls)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield (
            f"http://127.0.0.1:{server.server_port}"
            if tls is None
            else f"https://localhost:{server.server_port}"
        )
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        answers.pause()


def _wait_for_address(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        found = ADDRESS.search(_said(log))
        if found and _answers(found[0]):
            return found[0]
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start (exit code {process.poll()}):\n{_said(log)}")


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(f"{address}/healthz", timeout=5).close()
    except urllib.error.HTTPError as error:
        error.close()
        return error.code < 500
    except OSError:
        return False
    return True


def _interrupt(process: subprocess.Popen[bytes], log: Path) -> None:
    try:
        # To the whole group, as a terminal's Ctrl-C does: the server may have workers.
        os.killpg(process.pid, signal.SIGINT)
        process.wait(STOP_SECONDS)
    except ProcessLookupError:
        process.wait()
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise RuntimeError(f"the server did not end when it was interrupted:\n{_said(log)}") from None


def _said(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")
