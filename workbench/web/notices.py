"""Notices: sentences that are shown once, on the next page.

They are stored in a cookie that is signed with the token of the session.
"""

from __future__ import annotations

from flask import Flask, g, request
from itsdangerous import BadData, URLSafeTimedSerializer
from werkzeug.wrappers import Response

from workbench.frozen import frozen_dataclass
from workbench.web.requests import cookie_name, drop_cookie, set_cookie

NAME = "workbench-notice"
LASTS_SECONDS = 120
KINDS = ("good", "fair", "poor")


@frozen_dataclass
class Notice:
    """A sentence to show; its kind (good, fair or poor) is its colour, `then` what to do next and where."""

    text: str
    kind: str = "good"
    then: tuple[str, str] | None = None


def add(text: str, kind: str = "good", then: tuple[str, str] | None = None) -> None:
    """Show a sentence on the next page, and after it a link: its label and its address on this site."""
    g.notices_to_come = [*g.get("notices_to_come", []), (text[:400], kind, then)]


def notices() -> tuple[Notice, ...]:
    """The notices to show on this page; reading them deletes the cookie."""
    sealed = request.cookies.get(cookie_name(NAME))
    token = g.get("token")
    if not sealed or not token:
        return ()
    g.notices_were_read = True
    try:
        stored = _seal(token).loads(sealed, max_age=LASTS_SECONDS)
    except BadData:
        return ()
    return tuple(
        Notice(str(text), kind if kind in KINDS else "fair", tuple(then[0]) if then and then[0] else None)
        for text, kind, *then in stored
    )


def send_notices(response: Response) -> Response:
    """Store new notices in the cookie, or delete those that were read."""
    coming, token = g.get("notices_to_come"), g.get("token")
    if coming and token:
        sealed = _seal(token).dumps(coming)
        text = sealed.decode() if isinstance(sealed, bytes) else sealed
        set_cookie(response, NAME, text, max_age=LASTS_SECONDS)
    elif g.get("notices_were_read"):
        drop_cookie(response, NAME)
    return response


def init_app(app: Flask) -> None:
    """Add notices to every response of the application."""
    app.after_request(send_notices)


def _seal(token: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(token, salt="workbench notice")
