"""The desk's short way: what every judgment asks of the server, answered past the steps of a page.

A crowd sends two requests all day: a plain answer to save, and the documents that come next. Flask takes
longer to prepare a page than either takes to answer. So both are answered here where nothing about them is
unusual. Everything else goes on to the application, whose views know all cases and every refusal: whoever is
not signed in, another site, an event that is no plain answer, a document that shows files. What is answered
here the views would answer with the same status, headers and text.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import parse_qsl

from flask import Flask

from workbench.errors import Unavailable, WorkbenchError
from workbench.settings import TwoFactorDemand
from workbench.storage import Connection
from workbench.web.bodies import BYTES_FROM_STRANGERS
from workbench.web.context import context_of
from workbench.web.ids import LARGEST, read_id
from workbench.web.pages.judging.desk_api import read_events, receipt_json
from workbench.web.pages.judging.rendered import DocumentsRenderer, NeedsRequest
from workbench.web.refusals import FAILURE, Application, WholeResponse
from workbench.web.requests import HOST_PREFIX, SESSION_COOKIE
from workbench.web.security import HEADERS, OWN_SITES, STRICT_TRANSPORT, strict_transport
from workbench.web.trail import HEADER as REQUEST_ID
from workbench.web.trail import new_request_id
from workbench.workflow.campaigns.visits import Visit, visit_of
from workbench.workflow.judging.documents_ahead import documents_ahead
from workbench.workflow.judging.sync import MOST_EVENTS, EachApart, Receipt, receive_plain_answers
from workbench.workflow.judging.worklists import may_be_suspended
from workbench.workflow.people.roles import Role

LOG = logging.getLogger(__name__)
EVENTS = "/desk/events"
EVENTS_ENDPOINT = "desk.events"
# An address that says anything in another way is for the application to read.
_DOCUMENTS = re.compile(r"/c/([A-Za-z0-9-]{1,100})/judge/([1-9][0-9]{0,18})/documents")
_HEADERS = [("Content-Type", "application/json"), *HEADERS.items(), ("Cache-Control", "no-store")]


Receipts = tuple[Receipt, ...]
Recording = Callable[[Connection], Receipts | None]
GATHERED = "workbench.gathered"
"""In the environment of a request that is not answered yet: the list to which what it saves is added."""


@dataclass(frozen=True, slots=True)
class PlainSave:
    """What a request saves: `record` does so in a transaction, `answer` tells of it once it is committed.

    `record` gives None, and `EachApart` may be raised, where the application must answer the request.
    """

    record: Recording
    answer: Callable[[Receipts], WholeResponse]


class QuickDesk:
    """An application in front of Flask's that answers the desk's requests, and hands on all others."""

    def __init__(self, app: Flask, then: Application) -> None:
        self._app = app
        self._then = then

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request, or only add what it saves to the list `GATHERED` of its environment."""
        gathered: list[PlainSave] | None = environ.get(GATHERED)
        if gathered is not None:
            save = self._save_of(environ)
            gathered += [save] if save is not None else []
            return ()
        text = self._text(environ)
        if text is None:
            return self._then(environ, start_response)
        answer = self._answer(environ, text)
        start_response(answer.status, answer.headers)
        return [cast(bytes, answer.body)]

    def _answer(self, environ: dict[str, Any], text: str) -> WholeResponse:
        body = text.encode()
        of_request = [("Content-Length", str(len(body))), (REQUEST_ID, new_request_id())]
        if self._secure(environ):
            of_request.append((STRICT_TRANSPORT, strict_transport(context_of(self._app).settings)))
        return WholeResponse("200 OK", _HEADERS + of_request, body)

    def _text(self, environ: dict[str, Any]) -> str | None:
        """The JSON that answers a request; None where the application is to answer it."""
        endpoint, token = self._quick(environ)
        if token is None:
            return None
        try:
            saves = endpoint == EVENTS_ENDPOINT
            return self._saved(environ, token) if saves else self._ahead(environ, token)
        except (EachApart, NeedsRequest):
            return None
        except Unavailable as error:
            # The application tells of it; it is not to wait for the database once more.
            environ[FAILURE] = error
            return None
        except Exception:
            LOG.exception("%s could not be answered the short way", environ["PATH_INFO"])
            return None

    def _quick(self, environ: dict[str, Any]) -> tuple[str | None, str | None]:
        """The endpoint of a request and the token of its session; no token where the application answers."""
        endpoint = endpoint_of(environ)
        # A program that says nothing of its site has no cookies of a user to misuse.
        unsaid = "" if "HTTP_ORIGIN" in environ else "none"
        if endpoint is None or environ.get("HTTP_SEC_FETCH_SITE", unsaid) not in OWN_SITES:
            return endpoint, None
        # What failed before is the application's to tell of.
        return endpoint, None if FAILURE in environ else self._token(environ)

    def _token(self, environ: dict[str, Any]) -> str | None:
        """The token of a session that was valid lately."""
        cookie = HOST_PREFIX + SESSION_COOKIE if self._secure(environ) else SESSION_COOKIE
        for part in environ.get("HTTP_COOKIE", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == cookie:
                return value if value in context_of(self._app).recognised else None
        return None

    def _secure(self, environ: dict[str, Any]) -> bool:
        """As `requests.secure`, before there is a request."""
        setting = context_of(self._app).settings.secure_cookies
        return bool(environ["wsgi.url_scheme"] == "https") if setting is None else setting

    def _saved(self, environ: dict[str, Any], token: str) -> str | None:
        """The receipts of plain answers, which are recorded."""
        record = self._recording(environ, token)
        receipts = context_of(self._app).database.saving(record) if record is not None else None
        return self._receipts(receipts) if receipts is not None else None

    def _save_of(self, environ: dict[str, Any]) -> PlainSave | None:
        """What a request saves, for several to be saved together; None where it saves nothing plain."""
        endpoint, token = self._quick(environ)
        if token is None or endpoint != EVENTS_ENDPOINT:
            return None
        # Of several events a later one may be no plain answer, which would undo what others saved with it.
        record = self._recording(environ, token, most=1)
        if record is None:
            return None
        return PlainSave(record, lambda receipts: self._answer(environ, self._receipts(receipts)))

    def _receipts(self, receipts: Receipts) -> str:
        found = {"receipts": [receipt_json(one) for one in receipts]}
        return f"{self._app.json.dumps(found, separators=(',', ':'))}\n"

    def _recording(self, environ: dict[str, Any], token: str, most: int = MOST_EVENTS) -> Recording | None:
        """What records the plain answers of a request, at most so many; as `PlainSave.record`."""
        length = environ.get("CONTENT_LENGTH", "")
        if not (length.isascii() and length.isdigit() and int(length[:9]) <= BYTES_FROM_STRANGERS):
            return None
        body = environ["wsgi.input"].read(int(length))
        environ["wsgi.input"] = io.BytesIO(body)
        try:
            key, events = read_events(body)
        except WorkbenchError:
            return None
        if len(events) > most:
            return None

        def record(connection: Connection) -> Receipts | None:
            visit = self._visit(connection, token)
            if visit is None or visit.account.key != key:
                return None
            return receive_plain_answers(connection, visit.account.id, events)

        return record

    def _ahead(self, environ: dict[str, Any], token: str) -> str | None:
        """Documents that come next, as they are fetched ahead."""
        slug, number = _documents_of(environ["PATH_INFO"])
        asked = parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True)
        docnos = [read_id(value) for name, value in asked if name == "docno"]
        context = context_of(self._app)
        demanded = context.settings.two_factor_demand is not TwoFactorDemand.NOBODY
        if demanded and token not in context.admitted:
            return None
        with context.database.reading() as db:
            visit = self._visit(db.connection(), token, slug)
            campaign = visit.campaign if visit is not None else None
            if visit is None or campaign is None or Role.ASSESSOR not in campaign.roles:
                return None
            if may_be_suspended(campaign.roles):
                return None
            ahead = documents_ahead(db, campaign.id, number, visit.account.id, docnos)
            if ahead is None:
                return None
            renderer = DocumentsRenderer(self._app.jinja_env, context.rendered, in_request=False)
            return renderer.ahead(db, campaign.id, ahead)

    def _visit(self, connection: Connection, token: str, slug: str | None = None) -> Visit | None:
        """Whose session it is, unless it has ended or its account is disabled."""
        context = context_of(self._app)
        visit = visit_of(connection, token, slug, idle=context.settings.session_idle)
        if visit is None or visit.disabled:
            return None
        context.recognised.add(token)
        if visit.unnoted:
            context.uses.note(context.database, token)
        return visit


def endpoint_of(environ: dict[str, Any]) -> str | None:
    """The endpoint of a request that may be answered the short way; None for every other."""
    path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
    if path == EVENTS:
        return EVENTS_ENDPOINT if method == "POST" else None
    return "desk.documents" if method == "GET" and _documents_of(path)[0] else None


def _documents_of(path: str) -> tuple[str, int]:
    """The slug and the assignment in the address of documents; an empty slug for any other address."""
    found = _DOCUMENTS.fullmatch(path)
    number = int(found[2]) if found else 0
    return (found[1], number) if found and number <= LARGEST else ("", 0)
