"""The cookie of a signed-in browser: a random token, nothing else."""

from __future__ import annotations

from datetime import datetime

from flask import request
from werkzeug.wrappers import Response

from workbench.web.context import app_context

NAME = "workbench"


def secure() -> bool:
    """Whether cookies are for https only: as the settings say, else as this request came."""
    wanted = app_context().settings.secure_cookies
    return request.is_secure if wanted is None else wanted


def cookie_name(name: str = NAME) -> str:
    """The name of a cookie; browsers let nobody but this very host set one with the prefix."""
    return f"__Host-{name}" if secure() else name


def read_token() -> str | None:
    """The session token that the browser sent."""
    return request.cookies.get(cookie_name()) or None


def keep_token(response: Response, token: str, expires_at: datetime) -> None:
    """Give the browser its token until the session ends by itself."""
    response.set_cookie(
        cookie_name(), token, expires=expires_at, path="/", secure=secure(), httponly=True, samesite="Lax"
    )


def drop_token(response: Response) -> None:
    """Take the token out of the browser."""
    response.delete_cookie(cookie_name(), path="/", secure=secure(), httponly=True, samesite="Lax")
