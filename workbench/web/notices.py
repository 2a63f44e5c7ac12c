"""Notices: one sentence that is shown on the next page, once.

They travel in a cookie that only this server can have written for this session: it is signed by the token.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, g, request
from itsdangerous import BadData, URLSafeTimedSerializer
from werkzeug.wrappers import Response

from workbench.web.requests import cookie_name, secure

NAME = "workbench-notice"
LASTS_SECONDS = 120
KINDS = ("good", "fair", "poor")


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence and whether it is good, fair or poor news."""

    text: str
    kind: str = "good"


def add(text: str, kind: str = "good") -> None:
    """Have a sentence shown on the page to which this answer leads."""
    g.notices_to_come = [*g.get("notices_to_come", []), (text[:400], kind)]


def notices() -> tuple[Notice, ...]:
    """The sentences to show on this page; asking takes them out of the browser."""
    sealed = request.cookies.get(cookie_name(NAME))
    token = g.get("token")
    if not sealed or not token:
        return ()
    g.notices_were_read = True
    try:
        said = _seal(token).loads(sealed, max_age=LASTS_SECONDS)
    except BadData:
        return ()
    return tuple(Notice(str(text), kind if kind in KINDS else "fair") for text, kind in said)


def send_notices(response: Response) -> Response:
    """Put what was said into the cookie, or take out what was read."""
    coming, token = g.get("notices_to_come"), g.get("token")
    if coming and token:
        response.set_cookie(
            cookie_name(NAME),
            _sealed(token, coming),
            max_age=LASTS_SECONDS,
            path="/",
            secure=secure(),
            httponly=True,
            samesite="Lax",
        )
    elif g.get("notices_were_read"):
        response.delete_cookie(cookie_name(NAME), path="/", secure=secure(), httponly=True, samesite="Lax")
    return response


def init_app(app: Flask) -> None:
    """Let every answer of the application carry its notices."""
    app.after_request(send_notices)


def _sealed(token: str, said: list[tuple[str, str]]) -> str:
    sealed = _seal(token).dumps(said)
    return sealed.decode() if isinstance(sealed, bytes) else sealed


def _seal(token: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(token, salt="workbench notice")
