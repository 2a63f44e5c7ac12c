"""Errors as pages, and for programs as problems in the form of RFC 9457.

One that the user can fix says how; any other reveals nothing about its cause.
"""

from __future__ import annotations

import json
import logging
from http import HTTPStatus

from flask import Flask, g, render_template, request
from werkzeug.exceptions import HTTPException, ServiceUnavailable
from werkzeug.wrappers import Response

from workbench.errors import (
    ChangedAtOnce,
    Conflict,
    DiskFull,
    InvalidInput,
    NoRoom,
    NotAllowed,
    NotFound,
    NotYet,
    Unavailable,
    WorkbenchError,
    finding_to_json,
)
from workbench.frozen import frozen_dataclass
from workbench.storage.engine import ROWS_GONE
from workbench.web.forms import Findings
from workbench.web.logs import Repeats
from workbench.web.requests import of_api, page_before, wants_fragment

CONTENT_TYPE = "application/problem+json"


@frozen_dataclass
class Failure:
    """What an error says, as a page or as a problem."""

    status: int
    title: str
    message: str
    remedy: str = ""
    findings: Findings = ()


def problem_response(failure: Failure) -> Response:
    """A failure as a problem; `findings` name each error of a rejected input by its code."""
    problem = {
        "type": "about:blank",
        "title": HTTPStatus(failure.status).phrase,
        "status": failure.status,
        "detail": failure.message,
        "remedy": failure.remedy,
        "findings": [finding_to_json(finding) for finding in failure.findings],
        "request": g.get("request_id", ""),
    }
    return Response(json.dumps(problem), failure.status, content_type=CONTENT_TYPE)


STATUS: dict[type[WorkbenchError], int] = {NotFound: 404, NotAllowed: 403, Conflict: 409, NoRoom: 507}
TITLES = {
    400: "Bad request",
    401: "No valid token",
    403: "You do not have access",
    404: "Page not found",
    405: "Method not allowed",
    408: "The request was too slow",
    409: "Conflict with the current state",
    411: "The request does not state its length",
    413: "Upload too large",
    415: "Content type not supported",
    422: "Invalid input",
    500: "Something went wrong",
    503: "The server is busy",
    507: "The server has no room",
}
# (message, remedy) of the errors that come from HTTP itself.
EXPLANATIONS = {
    401: ("There is no valid access token in the request.", "Send `Authorization: Bearer TOKEN`."),
    404: ("There is no page at this address.", "Go back, or start from your campaigns."),
    405: ("This address does not accept that kind of request.", "Use the buttons on the page."),
    408: ("It did not arrive in time.", "Check your connection and try again."),
    411: ("Its length is unknown.", "Send it from the pages of this site."),
    415: ("This address does not accept that content type.", "Its documentation says which it accepts."),
    413: ("The request exceeds a size limit of this server.", "Compress files with gzip, or send fewer."),
    500: (
        "The request was not completed.",
        "If you sent a form, check first whether it was saved. If it happens again, contact the administrator"
        " of this server.",
    ),
    503: (
        "Too many requests are running, this one took too long, or the database is busy.",
        "Try again in a few seconds. If you sent a form, check first whether it was saved.",
    ),
}
# Of these, a program is told something else.
FOR_PROGRAMS = {
    404: ("There is nothing at this address.", "The API reference, at /api, has every address."),
    405: ("This address does not take that method.", "The header `Allow` lists those that it takes."),
    411: ("The request does not state its length.", "Send `Content-Length`."),
}
DISK_FULL = (
    "The disk of the server is full",
    "Nothing is saved until space is freed.",
    "Tell the administrator of this server. Answers at the judging desk wait in your browser.",
)
RETRY_SECONDS = 5
LOG = logging.getLogger(__name__)


def refused(error: WorkbenchError) -> Response:
    """The response to an error that the user can fix."""
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 422)
    findings = error.findings if isinstance(error, InvalidInput) else ()
    message, remedy = error.message, error.remedy
    if not of_api():
        message, remedy = _sentence(message), _sentence(remedy)
    # A form has its page: what is not there is something that it names.
    title = "Not found" if status == STATUS[NotFound] and request.method == "POST" else TITLES[status]
    response = _render(Failure(status, title, message, remedy, findings))
    if isinstance(error, NotYet):
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def failed(error: HTTPException) -> Response:
    """The response to an HTTP error; the cause of an unexpected one is only in the log."""
    if error.response is not None or error.code is None or error.code < 400:
        return error.get_response()
    title = TITLES.get(error.code, error.name)
    explained = EXPLANATIONS | FOR_PROGRAMS if of_api() else EXPLANATIONS
    message, remedy = explained.get(error.code, (title, ""))
    response = _render(Failure(error.code, title, message, remedy))
    # The methods that a 405 allows, when to retry after a 503, and how a program signs in.
    for name, value in error.get_headers():
        if name.lower() in {"allow", "retry-after", "www-authenticate"}:
            response.headers[name] = value
    return response


def init_app(app: Flask) -> None:
    """Have every error answered by a page, or by a fragment if htmx sent the request."""
    repeats = Repeats()

    def overtaken(error: Exception) -> Response:
        LOG.warning("a change was overtaken by another", exc_info=error)
        return refused(ChangedAtOnce())

    def unavailable(error: Unavailable) -> Response:
        # A lost database fails every request: one line of the log in a minute tells of all.
        times = repeats.times(Unavailable)
        if times:
            more = f" ({times - 1} more requests failed before)" if times > 1 else ""
            LOG.error("the database does not respond: %s%s", error, more)
        # The page must not ask the database who is reading it.
        for name in ("viewer", "campaign"):
            g.pop(name, None)
        if isinstance(error, DiskFull):
            response = _render(Failure(ServiceUnavailable.code, *DISK_FULL))
            response.headers["Retry-After"] = str(RETRY_SECONDS)
            return response
        return failed(ServiceUnavailable(retry_after=RETRY_SECONDS))

    app.register_error_handler(Unavailable, unavailable)
    for gone in ROWS_GONE:
        app.register_error_handler(gone, overtaken)
    app.register_error_handler(WorkbenchError, refused)
    app.register_error_handler(HTTPException, failed)


def _render(failure: Failure) -> Response:
    if of_api():
        return problem_response(failure)
    return Response(
        render_template(
            "_errors.html" if wants_fragment() else "error.html",
            failure=failure,
            back=page_before() if request.method == "POST" else None,
        ),
        failure.status,
        content_type="text/html; charset=utf-8",
    )


def _sentence(message: str) -> str:
    if not message:
        return ""
    return message[:1].upper() + message[1:] + ("" if message.endswith((".", "!", "?", "…")) else ".")
