"""Security headers, the refusal of forms from other sites, and what is settled before a request is looked at.

That is whose word is taken for its address (proxies), and the names and the path of the site.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.sansio.utils import host_is_trusted
from werkzeug.wrappers import Response
from werkzeug.wsgi import get_host

from workbench.errors import NotAllowed
from workbench.settings import Network, Settings
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


Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
LOG = logging.getLogger(__name__)
FORWARDED = ("FOR", "PROTO", "HOST", "PREFIX", "PORT")


class TrustedProxies:
    """An application that believes forwarded headers, if they come from one of the networks of the proxies.

    Whoever reaches the server past its proxy is seen as they are.
    """

    def __init__(self, app: Application, settings: Settings) -> None:
        count = settings.behind_proxy
        self._direct = app
        self._forwarded = ProxyFix(app, x_for=count, x_proto=count, x_host=count, x_prefix=0)
        self._networks = settings.proxy_networks

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request of WSGI."""
        if is_in(environ.get("REMOTE_ADDR", ""), self._networks):
            return self._forwarded(environ, start_response)
        for name in FORWARDED:
            environ.pop(f"HTTP_X_FORWARDED_{name}", None)
        return self._direct(environ, start_response)


NOT_OURS = "This site does not answer under this name. The setting WORKBENCH_HOSTS has its names.\n"


class KnownHosts:
    """An application that answers under its own names only.

    The name stands in links and decides whether a form comes from this site, so no request may make it up.
    """

    def __init__(self, app: Application, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = tuple(hosts)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request of WSGI."""
        host = get_host(environ)
        if host_is_trusted(host, self._hosts):
            return self._app(environ, start_response)
        LOG.warning("request to %.200r refused: WORKBENCH_HOSTS is %s", host, ",".join(self._hosts))
        return Response(NOT_OURS, 400, headers=HEADERS)(environ, start_response)


LOCAL = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


def is_in(address: str, networks: Iterable[Network]) -> bool:
    """Whether an address is in one of the networks; no address is that of a socket on the same machine."""
    if not address:
        return True
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None) or parsed
    return any(mapped in network for network in networks)


class UnderPrefix:
    """An application under a path, such as `/workbench`: every address that it makes begins with it.

    The path is a setting and never a header, so that no request may make it up.
    """

    def __init__(self, app: Application, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request of WSGI."""
        path = environ["PATH_INFO"]
        if (path + "/").startswith(self._prefix + "/"):
            entered = {"SCRIPT_NAME": self._prefix, "PATH_INFO": path[len(self._prefix) :] or "/"}
            return self._app(environ | entered, start_response)
        return Response(f"There is nothing here. Workbench is at {self._prefix}/\n", 404, headers=HEADERS)(
            environ, start_response
        )
