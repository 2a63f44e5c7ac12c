"""What a request says of itself: whether htmx sent it, and where to go next."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import redirect, request
from werkzeug.wrappers import Response


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
