"""What a request says (htmx, where to go next, the session cookie) and the redirects that answer it."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlsplit

from flask import redirect, request
from werkzeug.wrappers import Response

from workbench.web.context import app_context


def from_htmx() -> bool:
    """Whether htmx sent the request and will put the answer into the page that is open."""
    return request.headers.get("HX-Request") == "true"


def from_script() -> bool:
    """Whether a script of an open page sent the request: it reads statuses, and is led nowhere."""
    return from_htmx() or request.headers.get("Accept") == "application/json"


def wants_fragment() -> bool:
    """Whether only the piece that changed is wanted, not a whole page."""
    return from_htmx() and request.headers.get("HX-Request-Type") != "full"


def see_other(address: str) -> Response:
    """303: the form was taken, the page to look at is there."""
    return redirect(address, code=303)


def safe_next(address: str | None) -> str | None:
    """The address if it is a path on this host, else None: nobody is to be led elsewhere after signing in."""
    if not address or not address.startswith("/") or address.startswith(("//", "/\\")):
        return None
    if "\\" in address or any(ord(character) < 33 or ord(character) == 127 for character in address):
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return None if parts.scheme or parts.netloc else address


def page_asked_for() -> str:
    """The path to come back to after signing in; of a form that was sent, the page that it stood on."""
    if request.method in {"GET", "HEAD"}:
        query = request.query_string.decode("utf-8", "replace")
        address = request.root_path + request.path + (f"?{query}" if query else "")
        return safe_next(address) or "/"
    referrer = urlsplit(request.referrer or "")
    if referrer.netloc != request.host:
        return "/"
    return safe_next(referrer.path + (f"?{referrer.query}" if referrer.query else "")) or "/"


SESSION_COOKIE = "workbench"


def secure() -> bool:
    """Whether cookies are for https only: as the settings say, else as this request came."""
    wanted = app_context().settings.secure_cookies
    return request.is_secure if wanted is None else wanted


def cookie_name(name: str = SESSION_COOKIE) -> str:
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
