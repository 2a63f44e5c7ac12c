"""The process that answers long requests: `python -m workbench.web.long_worker CHANNEL...`, for the server.

Each channel is the file descriptor of an inherited socket: a request arrives as its WSGI environment, and
the response goes back.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection

from flask import Flask

from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.storage.limits import time_limit
from workbench.web.app import create_app
from workbench.web.context import context_of
from workbench.web.logs import start_logging
from workbench.web.long_requests import READY, SECONDS, put_response
from workbench.web.refusals import Application, answer_of
from workbench.web.response_files import ResponseFiles

# A lower priority than the process that saves judgments.
NICENESS = 5


def main(descriptors: list[str]) -> None:
    """Answer requests on all channels until one is closed: then the server has stopped."""
    # Ctrl-C reaches every process of the terminal; this one ends when the server closes its channels.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    settings = read_settings()
    start_logging(settings)
    database = Database(settings.database_url)
    app = create_app(settings, database)
    for descriptor in descriptors:
        channel = Connection(int(descriptor))
        threading.Thread(target=_serve, args=(app, channel)).start()


def answer(app: Application, channel: Connection, files: ResponseFiles) -> None:
    """Answer the next request of a channel; raises EOFError or OSError if it is closed."""
    environ = channel.recv() | {"wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr}
    with time_limit(SECONDS):
        found = answer_of(app, environ, files)
    put_response(channel, found)


def _serve(app: Flask, channel: Connection) -> None:
    files = ResponseFiles(context_of(app).settings.instance)
    try:
        channel.send_bytes(READY)
        while True:
            answer(app.wsgi_app, channel, files)
    finally:
        # Exit at once: nobody waits for what the other threads still compute.
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
