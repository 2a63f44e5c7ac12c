"""Errors as pages: what a person can put right says how, anything else gives nothing away."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, render_template
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from workbench.errors import Conflict, Finding, InvalidInput, NotAllowed, NotFound, WorkbenchError
from workbench.web.requests import wants_fragment

STATUS: dict[type[WorkbenchError], int] = {NotFound: 404, NotAllowed: 403, Conflict: 409}
TITLES = {
    400: "This request cannot be read",
    403: "Not for you",
    404: "Nothing here",
    405: "Not in this way",
    409: "That does not go together",
    413: "Too much at once",
    422: "This cannot be taken as it is",
    500: "Something went wrong here",
    503: "Too many at once",
}
REMEDIES = {
    404: ("There is no such page.", "Go back, or start from the list of campaigns."),
    405: ("This address does not take that kind of request.", "Use the buttons of the page."),
    413: ("The files are larger than this installation takes.", "Compress them with gzip, or send fewer."),
    500: ("Nothing of what you sent was kept.", "Try again; if it stays, tell whoever runs this server."),
    503: ("The server is busy with other pages that take long, or lost this one.", "Try again in a moment."),
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
    """The answer to an error that its reader can mend."""
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 422)
    findings = error.findings if isinstance(error, InvalidInput) else ()
    return _render(Failure(status, TITLES[status], _sentence(error.message), error.remedy, findings))


def failed(error: HTTPException) -> Response | tuple[str, int]:
    """The answer to an error of HTTP; the cause of an unexpected one is in the log only."""
    if error.response is not None or error.code is None or error.code < 400:
        return error.get_response()
    message, remedy = REMEDIES.get(error.code, (TITLES.get(error.code, error.name), ""))
    text, status = _render(Failure(error.code, TITLES.get(error.code, error.name), message, remedy))
    response = Response(text, status, content_type="text/html; charset=utf-8")
    # What a 405 allows and how long a 503 lasts stands in headers.
    for name, value in error.get_headers():
        if name.lower() in {"allow", "retry-after"}:
            response.headers[name] = value
    return response


def init_app(app: Flask) -> None:
    """Let the application answer every error by a page, or a fragment where htmx asks."""
    app.register_error_handler(WorkbenchError, refused)
    app.register_error_handler(HTTPException, failed)


def _render(failure: Failure) -> tuple[str, int]:
    template = "_errors.html" if wants_fragment() else "error.html"
    return render_template(template, failure=failure), failure.status


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:] + ("" if message.endswith((".", "!", "?", "…")) else ".")
