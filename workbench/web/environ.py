"""The WSGI environment of a request that came by RSGI, and its response."""

from __future__ import annotations

import sys
import threading
from collections.abc import Awaitable
from typing import Any, Protocol

from granian.rsgi import Scope

from workbench.web.bodies import BodySource
from workbench.web.refusals import WholeResponse

SECONDS_TO_OPEN = 30.0


class PartSender(Protocol):
    """The body of a response that is sent in parts."""

    def send_bytes(self, data: bytes) -> Awaitable[None]:
        """Send a part, once the other side has taken those before; raises ProtocolClosed if it is gone."""


class Exchange(BodySource, Protocol):
    """A request in RSGI: it sends its body, and takes the response."""

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        """Send a response; any thread may, and a second one is ignored."""

    def response_stream(self, status: int, headers: list[tuple[str, str]]) -> PartSender:
        """Begin a response whose body is sent in parts, and ends with what this returns."""

    def response_file(self, status: int, headers: list[tuple[str, str]], file: str) -> None:
        """Send a response whose body is that of a file; as `response_bytes`."""


def environ_of(scope: Scope) -> dict[str, Any]:
    """The environment of a request, without its body."""
    server, _, port = scope.server.rpartition(":")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        # WSGI has bytes as Latin-1.
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.errors": sys.stderr,
        "wsgi.input_terminated": True,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in scope.headers.items():
        if "_" in name:
            # It would be taken for the header with hyphens, such as one that only a proxy may set.
            continue
        key = name.upper().replace("-", "_")
        if key not in {"CONTENT_TYPE", "CONTENT_LENGTH"}:
            key = f"HTTP_{key}"
        before = environ.get(key)
        if before is not None:
            value = f"{before}{';' if name == 'cookie' else ','}{value}"
        environ[key] = value
    if "HTTP_HOST" not in environ and scope.authority:
        environ["HTTP_HOST"] = scope.authority
    return environ


def send(exchange: Exchange, answer: WholeResponse) -> None:
    """Send a response; the server sends a file part by part, as the other side takes them."""
    if isinstance(answer.body, bytes):
        exchange.response_bytes(answer.code, answer.headers, answer.body)
        return
    # The server opens it at once, without telling; an open file is there until it is closed.
    timer = threading.Timer(SECONDS_TO_OPEN, answer.body.unlink, kwargs={"missing_ok": True})
    timer.daemon = True
    timer.start()
    exchange.response_file(answer.code, answer.headers, str(answer.body))
