"""The server: waitress reads each request whole before a thread answers it, and sends answers by itself.

So a slow or unfinished request holds a connection and nothing else. What is added here is how large the body
of a request may be, by its page and by whether whoever sends it is signed in.
"""

from __future__ import annotations

import gc
import logging
import resource
import signal
import sys
import threading
from collections.abc import Iterable
from typing import Any

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import create_server
from waitress.utilities import RequestEntityTooLarge
from werkzeug.exceptions import HTTPException

from workbench.errors import Unavailable
from workbench.settings import read_settings
from workbench.storage.limits import time_limit
from workbench.web.access import BYTES_FROM_STRANGERS, body_limit, is_valid
from workbench.web.app import from_environment
from workbench.web.context import context_of
from workbench.web.errors import EXPLANATIONS
from workbench.web.logs import start_logging
from workbench.web.requests import API, SESSION_COOKIES
from workbench.web.security import Application
from workbench.workflow.large_campaigns import know_large
from workbench.workflow.overview.progress import overview

THREADS = 16
"""With four, saves wait behind documents that others fetch ahead: p99 1.4 s at 32 robots, .6 s with these."""
MOST_CONNECTIONS = 2000
IDLE_SECONDS = 120
"""After so long without a byte a connection is closed."""
SWITCH_SECONDS = 0.0003
"""How long a thread that computes keeps Python's lock from one that saves; 5 ms by default.

Measured with fifty saves a second beside an organiser who opens one page after the other of 100,000
judgments: the 99th percentile of a save is mostly 67 to 183 ms, and 140 to 309 with 1 ms. Of 32 assessors who
never pause a tenth fewer saves are taken in a second.
"""
REQUEST_SECONDS = 900.0
"""How long a request may ask the database; each statement is given up much sooner (`storage.limits`)."""
TOKEN_SECONDS = 2.0
"""How long the database has to say whether a token is valid."""
# A request line and headers of a browser are far smaller.
MOST_HEADER_BYTES = 64 * 1024


def serve_site(*, host: str, port: int) -> None:
    """Serve the site that environment variables describe, until Ctrl-C or SIGTERM."""
    start_logging(read_settings())
    app = from_environment()
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    server = create_server(
        _within_limits(app),
        listen=address,
        threads=THREADS,
        connection_limit=_most_connections(),
        channel_timeout=IDLE_SECONDS,
        max_request_body_size=BYTES_FROM_STRANGERS,
        max_request_header_size=MOST_HEADER_BYTES,
        # `web.security` does that, by the networks of the settings.
        clear_untrusted_proxy_headers=False,
        asyncore_use_poll=True,
        ident=None,
    )
    server.channel_class = _channel_of(app)
    sys.setswitchinterval(SWITCH_SECONDS)
    threading.Thread(target=know_large, args=(context_of(app).database, overview), daemon=True).start()
    # Also where whoever started it in the background had SIGINT ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _signal, _frame: sys.exit(0))
    # What is there now stays, so the collector need not go through it: that would stop all requests for a
    # tenth of a second every few hundred.
    gc.collect()
    gc.freeze()
    server.run()


def _within_limits(app: Flask) -> Application:
    """The application, which a database that never answers holds for no longer than a statement may take."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        with time_limit(REQUEST_SECONDS):
            return app.wsgi_app(environ, start_response)

    return answer


def _most_connections() -> int:
    """How many connections may be open, with as many file descriptors left for files and the database."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * MOST_CONNECTIONS
    if resource.RLIM_INFINITY not in {soft, hard} and soft < needed:
        soft = min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, soft // 2)


def _channel_of(app: Flask) -> type[HTTPChannel]:
    class Parser(HTTPRequestParser):  # type: ignore[misc]  # the library has no types
        """Reads a request whose body may be as large as its page takes of whoever sends it."""

        def parse_header(self, header_plus: bytes) -> None:
            super().parse_header(header_plus)
            if self.chunked or self.content_length > BYTES_FROM_STRANGERS:
                self.adj: Any = _Limited(self.adj, _limit_of(app, self))

        def received(self, data: bytes) -> int:
            consumed: int = super().received(data)
            if isinstance(self.error, RequestEntityTooLarge):
                self.error: Any = RequestEntityTooLarge(" ".join(EXPLANATIONS[RequestEntityTooLarge.code]))
            return consumed

    class Channel(HTTPChannel):  # type: ignore[misc]
        parser_class = Parser

    return Channel


class _Limited:
    """The adjustments of the server with another limit for the body of one request."""

    def __init__(self, given: Adjustments, most: int) -> None:
        self._given = given
        # The library refuses what is as large as its limit.
        self.max_request_body_size = most + 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._given, name)


def _limit_of(app: Flask, parser: HTTPRequestParser) -> int:
    path = _path(app, parser)
    try:
        endpoint, _ = app.url_map.bind("localhost").match(path, method=parser.command)
    except HTTPException:
        return BYTES_FROM_STRANGERS
    kind = parser.headers.get("CONTENT_TYPE", "")
    return body_limit(app, str(endpoint), kind, signed_in=_signed_in(app, parser))


def _path(app: Flask, parser: HTTPRequestParser) -> str:
    """The path of a request below that of the site."""
    return str(parser.path.removeprefix(context_of(app).settings.prefix)) or "/"


def _signed_in(app: Flask, parser: HTTPRequestParser) -> bool:
    """Whether a large request has a valid token; asks the database, which takes less than a millisecond."""
    scheme, _, bearer = parser.headers.get("AUTHORIZATION", "").partition(" ")
    found = [(bearer.strip(), True)] if scheme.casefold() == "bearer" else []
    if not found and not _path(app, parser).startswith(API):
        cookies = (part.strip().partition("=") for part in parser.headers.get("COOKIE", "").split(";"))
        found = [(value, False) for name, _, value in cookies if name in SESSION_COOKIES and value]
    try:
        with time_limit(TOKEN_SECONDS):
            return any(is_valid(context_of(app), token, of_api=of_api) for token, of_api in found)
    except Unavailable:
        return False
