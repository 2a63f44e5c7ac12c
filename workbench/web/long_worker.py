"""The process of long requests: `python -m workbench.web.long_worker CHANNEL...`, started by the server.

Each channel is the number of an open socket that was handed on: a request comes as its WSGI environment and
goes back as its status and headers, then its body.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from typing import Any

from werkzeug.test import run_wsgi_app

from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.app import create_app
from workbench.web.long_requests import READY

# Of the same kind as ours, but below whatever saves.
NICER = 5

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def main(numbers: list[str]) -> None:
    """Answer on all channels until one of them ends: then the server has ended."""
    # Ctrl-C reaches every process of the terminal; this one ends after the server, by its channels.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICER)
    settings = read_settings()
    app = create_app(settings, Database(settings.database_url))
    for number in numbers:
        threading.Thread(target=_until_the_end, args=(app.wsgi_app, Connection(int(number)))).start()


def answer(app: Application, channel: Connection) -> None:
    """Answer the next request of a channel; raises EOFError or OSError where it has ended."""
    environ = channel.recv() | {"wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr}
    body, status, headers = run_wsgi_app(app, environ, buffered=True)
    channel.send((status, list(headers)))
    channel.send_bytes(b"".join(body))


def _until_the_end(app: Application, channel: Connection) -> None:
    try:
        channel.send_bytes(READY)
        while True:
            answer(app, channel)
    finally:
        # Nothing here is worth ending in order: what is reckoned has nobody any more who asked for it.
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
