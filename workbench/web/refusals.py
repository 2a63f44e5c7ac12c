"""Prepared pages of what the server refuses by itself: they need neither a place nor the database."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from flask import Flask, request
from werkzeug.exceptions import ServiceUnavailable, abort
from werkzeug.test import EnvironBuilder

from workbench.web.context import context_of
from workbench.web.errors import RETRY_SECONDS
from workbench.web.requests import API
from workbench.web.response_files import FileBody, ResponseFiles

STATUSES = (408, 411, 413, 503)
STATUS = "workbench.status"
FAILURE = "workbench.failure"
# A page that anybody may open.
ANY_PATH = "/healthz"

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class WholeResponse:
    """A whole response: its status, such as `200 OK`, its headers and its body.

    A large body is a file of `ResponseFiles`, which whoever sends it deletes.
    """

    status: str
    headers: list[tuple[str, str]]
    body: bytes | Path

    @property
    def code(self) -> int:
        """The number of the status."""
        return int(self.status.split(" ", 1)[0])


class RefusalForm(StrEnum):
    """The forms of a refusal: for people, for a script of an open page, for a program."""

    PAGE = "page"
    FRAGMENT = "fragment"
    PROBLEM = "problem"


class Refusals:
    """The pages of refused requests, rendered once."""

    def __init__(self, app: Flask) -> None:
        self._pages = {
            (status, form): _page(app, status, form) for status in STATUSES for form in RefusalForm
        }

    def answer(self, status: int, environ: dict[str, Any]) -> WholeResponse:
        """The response to a request that is refused with a status."""
        form = RefusalForm.PAGE
        if environ["PATH_INFO"].startswith(API):
            form = RefusalForm.PROBLEM
        elif environ.get("HTTP_HX_REQUEST") == "true" and environ.get("HTTP_HX_REQUEST_TYPE") != "full":
            form = RefusalForm.FRAGMENT
        return self._pages[status, form]


def init_app(app: Flask) -> None:
    """Let the application render what was decided before: a status or an error in the environment."""
    app.before_request(_refuse)


def answer_of(app: Application, environ: dict[str, Any], files: ResponseFiles) -> WholeResponse:
    """The whole response of a WSGI application, a large body in a file; an error in its middle is the answer.

    Raises what the application raises even where it is asked to tell of that.
    """
    started: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], _error: Any = None) -> None:
        started[:] = status, headers

    parts = app(environ, start_response)
    try:
        content = parts if isinstance(parts, FileBody) else files.kept(parts)
        body = content.take() if isinstance(content, FileBody) else content
    except Exception as error:
        if FAILURE in environ:
            raise
        return answer_of(app, environ | {FAILURE: error}, files)
    finally:
        close = getattr(parts, "close", None)
        if close is not None:
            close()
    status, headers = started
    return WholeResponse(status, headers, body)


def _page(app: Flask, status: int, form: RefusalForm) -> WholeResponse:
    path = API if form is RefusalForm.PROBLEM else ANY_PATH
    environ = EnvironBuilder(path=context_of(app).settings.prefix + path).get_environ() | {STATUS: status}
    if form is RefusalForm.FRAGMENT:
        environ["HTTP_HX_REQUEST"] = "true"
    return answer_of(app.wsgi_app, environ, ResponseFiles(context_of(app).settings.instance))


def _refuse() -> None:
    failure = request.environ.get(FAILURE)
    if failure is not None:
        raise failure
    status = request.environ.get(STATUS)
    if status == ServiceUnavailable.code:
        raise ServiceUnavailable(retry_after=RETRY_SECONDS)
    if status is not None:
        abort(status)
