"""Security headers of every response, and the check that refuses forms sent from other sites."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Flask, request
from werkzeug.wrappers import Response

from workbench.errors import NotAllowed
from workbench.settings import Settings
from workbench.web.context import app_context
from workbench.web.requests import secure

# What a document is made of, shown inside a page of ours: it gets an origin of its own, runs nothing, opens
# nothing and loads nothing, whatever is in it.
FILE_HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
    "Content-Disposition": "inline",
}
STRICT_TRANSPORT = "Strict-Transport-Security"
# What browsers say in Sec-Fetch-Site of requests that no other site has sent.
OWN_SITES = frozenset({"same-origin", "none"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "frame-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def strict_transport(settings: Settings) -> str:
    """For how long browsers use HTTPS only: a year, and for subdomains if somebody who knows them says so."""
    return f"max-age={365 * 24 * 3600}{'; includeSubDomains' if settings.strict_subdomains else ''}"


def refuse_cross_site() -> None:
    """Raise NotAllowed for a form that was submitted from another site.

    Browsers tell by Sec-Fetch-Site, older ones by Origin; a program that sends neither has no cookies of a
    user to misuse.
    """
    if request.method in SAFE_METHODS:
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        foreign = site not in OWN_SITES
    else:
        foreign = origin is not None and _host(origin) != request.host
    if foreign:
        raise NotAllowed(
            "this form was submitted from another site", remedy="open the page here and submit it again"
        )


def add_headers(response: Response) -> Response:
    """Add the headers to a response; pages are never cached."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if secure():
        response.headers.setdefault(STRICT_TRANSPORT, strict_transport(app_context().settings))
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def init_app(app: Flask) -> None:
    """Register the check and the headers with the application."""
    app.before_request(refuse_cross_site)
    app.after_request(add_headers)


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None
