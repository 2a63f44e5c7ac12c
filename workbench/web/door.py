"""The door of a server process: each request is read whole in the event loop, then answered in a place.

A request holds a thread only while it is computed: its body is complete before (`bodies`), and its response
is sent by the event loop. What is refused (`refusals`) and the health check need no thread. A server without
this door can run the same application by WSGI; it must bound sizes, times and threads itself.
"""

from __future__ import annotations

import io
import logging
import time
from dataclasses import dataclass
from typing import IO, Any

from flask import Flask
from granian.rsgi import ProtocolClosed, Scope  # type: ignore[attr-defined]  # both are imported there
from werkzeug.exceptions import HTTPException

from workbench.errors import Unavailable
from workbench.web import api
from workbench.web.access import body_limit, is_valid
from workbench.web.bodies import BYTES_FROM_STRANGERS, Incomplete, read_body
from workbench.web.context import context_of
from workbench.web.deadlines import Deadline, within
from workbench.web.environ import Exchange, environ_of, send
from workbench.web.health import PATH as HEALTH
from workbench.web.health import Health, health_response
from workbench.web.long_requests import LongRequests
from workbench.web.observed import AnsweredRequest
from workbench.web.pages import COMPUTING
from workbench.web.places import READS, Full, Places, RequestKind, kind_of
from workbench.web.proxies import enter_prefix
from workbench.web.refusals import Refusals, WholeResponse, answer_of
from workbench.web.requests import API, SESSION_COOKIES, bearer_of
from workbench.web.response_files import ResponseFiles
from workbench.web.security import HEADERS
from workbench.web.trail import HEADER as REQUEST_ID

LOG = logging.getLogger(__name__)
# How many bodies of strangers may be unfinished at once, in all and of one network.
MOST_STRANGERS, MOST_OF_NETWORK = 500, 50
# How many of them may be larger than a form, such as a run to be scored.
MOST_LARGE_OF_STRANGERS = 8
# By when a stranger's form is there, and anything larger that does not stop (`bodies`).
FORM_SECONDS, LARGE_SECONDS = 5, 600

METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


@dataclass(slots=True)
class _Asked:
    """A request on its way: when it began, its endpoint and kind once they are known."""

    exchange: Exchange
    environ: dict[str, Any]
    began: float
    endpoint: str | None = None
    kind: str = "refused"


class Door:
    """The RSGI application of a server process."""

    def __init__(self, app: Flask, *, places: Places | None = None) -> None:
        self._app = app
        self._context = context_of(app)
        self._refusals = Refusals(app)
        self._files = ResponseFiles(self._context.settings.instance)
        self._files.remove_stale()
        self._long = LongRequests(app, self._refusals)
        self._places = places or Places()
        self._health = Health(self._context.database)
        self._observed = self._context.observed
        self._observed.busy = self._places.busy
        logging.getLogger().addHandler(self._observed.errors)
        # Of the oldest first: its network, and whether it is large.
        self._strangers: dict[Deadline, tuple[str, bool]] = {}

    async def __rsgi__(self, scope: Scope, exchange: Exchange) -> None:
        """Answer a request."""
        environ = environ_of(scope)
        enter_prefix(environ, self._context.settings.prefix)
        if environ["PATH_INFO"] == HEALTH and environ["REQUEST_METHOD"] in READS:
            text, status, headers = health_response(await self._health.problem())
            found = [*headers.items(), *HEADERS.items(), ("Cache-Control", "no-store")]
            send(exchange, WholeResponse(str(status), found, text.encode()))
            return
        asked = _Asked(exchange, environ, time.perf_counter())
        refused = await self._refusal(asked)
        if refused is not None:
            self._send(asked, self._refusals.answer(refused, environ))

    def __rsgi_del__(self, _loop: Any) -> None:
        """Stop the second process, after the last request."""
        logging.getLogger().removeHandler(self._observed.errors)
        self._long.close()

    def _send(self, asked: _Asked, answer: WholeResponse) -> None:
        """Send an answer, and count it once it is sent: nobody waits for that."""
        send(asked.exchange, answer)
        method = asked.environ["REQUEST_METHOD"]
        one = AnsweredRequest(
            method=method if method in METHODS else "other",
            endpoint=asked.endpoint,
            kind=asked.kind,
            status=answer.code,
            seconds=time.perf_counter() - asked.began,
            request_id=next((value for name, value in answer.headers if name == REQUEST_ID), ""),
        )
        self._observed.add(one)

    async def _refusal(self, asked: _Asked) -> int | None:
        """Have a request answered; the status by which it is refused, or None."""
        environ, exchange = asked.environ, asked.exchange
        try:
            endpoint = asked.endpoint = self._endpoint(environ)
            signed_in = await self._signed_in(environ)
            length = _length(environ)
            if length is None:
                return 411
            kind_of_body = environ.get("CONTENT_TYPE", "")
            if length > body_limit(self._app, endpoint, kind_of_body, signed_in=signed_in):
                return 413
            try:
                body = await self._body(exchange, length, None if signed_in else self._network(environ))
            except TimeoutError:
                return 408
            kind = kind_of(self._app, environ["REQUEST_METHOD"], endpoint, signed_in=signed_in)
            asked.kind = str(kind)
            environ["wsgi.input"] = body
            await self._places.run(kind, lambda: self._respond(asked, kind), finally_=body.close)
        except (Full, TimeoutError, Unavailable):
            return 503
        except (Incomplete, ProtocolClosed):
            # Nobody is there to be answered.
            return None
        except OSError as error:
            LOG.error("the body of a request cannot be stored: %s", error)
            return 503
        return None

    def _respond(self, asked: _Asked, kind: RequestKind) -> None:
        self._send(asked, self._answer(asked, kind))

    def _answer(self, asked: _Asked, kind: RequestKind) -> WholeResponse:
        endpoint, environ = asked.endpoint, asked.environ
        if kind is not RequestKind.LONG:
            return answer_of(self._app.wsgi_app, environ, self._files)
        computes = endpoint is not None and endpoint.rpartition(".")[0] in COMPUTING | api.COMPUTING
        return self._long.answer(environ, computes=computes)

    def _endpoint(self, environ: dict[str, Any]) -> str | None:
        try:
            endpoint, _ = self._app.url_map.bind_to_environ(environ).match()
        except HTTPException:
            return None
        return str(endpoint)

    async def _signed_in(self, environ: dict[str, Any]) -> bool:
        """Whether the request has a valid token; asks the database for tokens seen first."""
        token = None if environ["PATH_INFO"].startswith(API) else _token(environ)
        of_api = token is None
        token = token or bearer_of(environ)
        if token is None:
            return False
        if token in self._context.recognised:
            return True
        return bool(
            await self._places.run(
                RequestKind.RECOGNISING, lambda: is_valid(self._context, token, of_api=of_api)
            )
        )

    async def _body(self, exchange: Exchange, length: int, network: str | None) -> IO[bytes]:
        """The body of a request; of a stranger the network, of which the oldest one makes room."""
        if not length:
            return io.BytesIO()
        if network is None:
            return await read_body(exchange, length)
        large = length > BYTES_FROM_STRANGERS
        self._make_room(network, large=large)
        due = within(LARGE_SECONDS if large else FORM_SECONDS)
        self._strangers[due] = network, large
        try:
            with due:
                return await read_body(exchange, length)
        finally:
            self._strangers.pop(due, None)

    def _make_room(self, network: str, *, large: bool) -> None:
        """Give up the oldest unfinished body where there are too many; raises Full for others' large ones."""
        own = [due for due, (whose, _) in self._strangers.items() if whose == network]
        if large and sum(one for _, one in self._strangers.values()) >= MOST_LARGE_OF_STRANGERS:
            oldest = next((due for due in own if self._strangers[due][1]), None)
            if oldest is None:
                raise Full
        elif len(own) >= MOST_OF_NETWORK:
            oldest = own[0]
        elif len(self._strangers) >= MOST_STRANGERS:
            oldest = next(iter(self._strangers))
        else:
            return
        del self._strangers[oldest]
        oldest.cancel()

    def _network(self, environ: dict[str, Any]) -> str:
        """The network of an address, a house or an office; behind a proxy all have the proxy's."""
        address = environ["REMOTE_ADDR"]
        if self._context.settings.behind_proxy:
            return f"{address} {id(environ)}"
        return address.rpartition(".")[0] if "." in address else ":".join(address.split(":")[:4])


def _token(environ: dict[str, Any]) -> str | None:
    """The session token in the cookies, under the name for http or that for https."""
    for part in environ.get("HTTP_COOKIE", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name in SESSION_COOKIES and value:
            return str(value)
    return None


def _length(environ: dict[str, Any]) -> int | None:
    """The length of the body in bytes; None if the request does not say it."""
    text = environ.get("CONTENT_LENGTH", "0")
    if "HTTP_TRANSFER_ENCODING" in environ or not (text.isascii() and text.isdigit()):
        return None
    return int(text[:20])
