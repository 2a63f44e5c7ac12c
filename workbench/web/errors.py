"""Errors as pages: one that the user can fix says how; any other reveals nothing about its cause."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, render_template
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from workbench.errors import Conflict, Finding, InvalidInput, NotAllowed, NotFound, WorkbenchError
from workbench.web.requests import wants_fragment

STATUS: dict[type[WorkbenchError], int] = {NotFound: 404, NotAllowed: 403, Conflict: 409}
TITLES = {
    400: "Bad request",
    403: "You do not have access",
    404: "Page not found",
    405: "Method not allowed",
    409: "Conflict with the current state",
    413: "Upload too large",
    422: "Invalid input",
    500: "Something went wrong",
    503: "The server is busy",
}
# (message, remedy) of the errors that come from HTTP itself.
EXPLANATIONS = {
    404: ("There is no page at this address.", "Go back, or start from your campaigns."),
    405: ("This address does not accept that kind of request.", "Use the buttons on the page."),
    413: ("The files exceed the size limit of this server.", "Compress them with gzip, or upload fewer."),
    500: ("Nothing was saved.", "Try again. If it happens again, contact the administrator of this server."),
    503: ("Other slow requests are running, or this one was interrupted.", "Try again in a few seconds."),
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What an error page shows."""

    status: int
    title: str
    message: str
    remedy: str = ""
    findings: tuple[Finding, ...] = ()


def refused(error: WorkbenchError) -> tuple[str, int]:
    """The response to an error that the user can fix."""
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 422)
    findings = error.findings if isinstance(error, InvalidInput) else ()
    message, remedy = _sentence(error.message), _sentence(error.remedy)
    return _render(Failure(status, TITLES[status], message, remedy, findings))


def failed(error: HTTPException) -> Response | tuple[str, int]:
    """The response to an HTTP error; the cause of an unexpected one is only in the log."""
    if error.response is not None or error.code is None or error.code < 400:
        return error.get_response()
    title = TITLES.get(error.code, error.name)
    message, remedy = EXPLANATIONS.get(error.code, (title, ""))
    text, status = _render(Failure(error.code, title, message, remedy))
    response = Response(text, status, content_type="text/html; charset=utf-8")
    # The methods that a 405 allows and when to retry after a 503.
    for name, value in error.get_headers():
        if name.lower() in {"allow", "retry-after"}:
            response.headers[name] = value
    return response


def init_app(app: Flask) -> None:
    """Have every error answered by a page, or by a fragment if htmx sent the request."""
    app.register_error_handler(WorkbenchError, refused)
    app.register_error_handler(HTTPException, failed)


def _render(failure: Failure) -> tuple[str, int]:
    template = "_errors.html" if wants_fragment() else "error.html"
    return render_template(template, failure=failure), failure.status


def _sentence(message: str) -> str:
    if not message:
        return ""
    return message[:1].upper() + message[1:] + ("" if message.endswith((".", "!", "?", "…")) else ".")
