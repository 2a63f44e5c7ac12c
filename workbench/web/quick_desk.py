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
from typing import Any
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
from workbench.web.refusals import FAILURE, Application
from workbench.web.requests import HOST_PREFIX, SESSION_COOKIE
from workbench.web.security import HEADERS, OWN_SITES, STRICT_TRANSPORT, strict_transport
from workbench.web.trail import HEADER as REQUEST_ID
from workbench.web.trail import new_request_id
from workbench.workflow.campaigns.visits import Visit, visit_of
from workbench.workflow.judging.documents_ahead import documents_ahead
from workbench.workflow.judging.sync import EachApart, Receipt, receive_plain_answers
from workbench.workflow.judging.worklists import may_be_suspended
from workbench.workflow.people.roles import Role

LOG = logging.getLogger(__name__)
EVENTS = "/desk/events"
# An address that says anything in another way is for the application to read.
_DOCUMENTS = re.compile(r"/c/([A-Za-z0-9-]{1,100})/judge/([1-9][0-9]{0,18})/documents")
_HEADERS = [("Content-Type", "application/json"), *HEADERS.items(), ("Cache-Control", "no-store")]


class QuickDesk:
    """An application in front of Flask's that answers the desk's requests, and hands on all others."""

    def __init__(self, app: Flask, then: Application) -> None:
        self._app = app
        self._then = then

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        text = self._text(environ)
        if text is None:
            return self._then(environ, start_response)
        body = text.encode()
        of_request = [("Content-Length", str(len(body))), (REQUEST_ID, new_request_id())]
        if self._secure(environ):
            of_request.append((STRICT_TRANSPORT, strict_transport(context_of(self._app).settings)))
        start_response("200 OK", _HEADERS + of_request)
        return [body]

    def _text(self, environ: dict[str, Any]) -> str | None:
        """The JSON that answers a request; None where the application is to answer it."""
        endpoint = endpoint_of(environ)
        # A program that says nothing of its site has no cookies of a user to misuse.
        unsaid = "" if "HTTP_ORIGIN" in environ else "none"
        if endpoint is None or environ.get("HTTP_SEC_FETCH_SITE", unsaid) not in OWN_SITES:
            return None
        token = self._token(environ)
        if token is None:
            return None
        try:
            return self._saved(environ, token) if endpoint == "desk.events" else self._ahead(environ, token)
        except (EachApart, NeedsRequest):
            return None
        except Unavailable as error:
            # The application tells of it; it is not to wait for the database once more.
            environ[FAILURE] = error
            return None
        except Exception:
            LOG.exception("%s could not be answered the short way", environ["PATH_INFO"])
            return None

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
        length = environ.get("CONTENT_LENGTH", "")
        if not (length.isascii() and length.isdigit() and int(length[:9]) <= BYTES_FROM_STRANGERS):
            return None
        body = environ["wsgi.input"].read(int(length))
        environ["wsgi.input"] = io.BytesIO(body)
        try:
            key, events = read_events(body)
        except WorkbenchError:
            return None

        def record(connection: Connection) -> tuple[Receipt, ...] | None:
            visit = self._visit(connection, token)
            if visit is None or visit.account.key != key:
                return None
            return receive_plain_answers(connection, visit.account.id, events)

        receipts = context_of(self._app).database.saving(record)
        if receipts is None:
            return None
        found = {"receipts": [receipt_json(one) for one in receipts]}
        return f"{self._app.json.dumps(found, separators=(',', ':'))}\n"

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
        return "desk.events" if method == "POST" else None
    return "desk.documents" if method == "GET" and _documents_of(path)[0] else None


def _documents_of(path: str) -> tuple[str, int]:
    """The slug and the assignment in the address of documents; an empty slug for any other address."""
    found = _DOCUMENTS.fullmatch(path)
    number = int(found[2]) if found else 0
    return (found[1], number) if found and number <= LARGEST else ("", 0)
