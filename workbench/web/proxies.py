"""Proxies: whose word is taken for the address, scheme and host of a request, and the path of the site."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address, ip_network
from typing import Any

from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.wrappers import Response

from workbench.settings import Network, Settings
from workbench.web.refusals import Application
from workbench.web.security import HEADERS

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

    The path is a setting and never a header, so that no request may make it up, and the prepared pages of
    refusals know it.
    """

    def __init__(self, app: Application, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request of WSGI."""
        enter_prefix(environ, self._prefix)
        if environ.get("SCRIPT_NAME") == self._prefix:
            return self._app(environ, start_response)
        message = f"There is nothing here. Workbench is at {self._prefix}/\n"
        return Response(message, 404, headers=HEADERS)(environ, start_response)


def enter_prefix(environ: dict[str, Any], prefix: str) -> None:
    """Take the path of the site from the path of a request, unless it was taken before or is not there."""
    path = environ["PATH_INFO"]
    if prefix and not environ.get("SCRIPT_NAME") and (path + "/").startswith(prefix + "/"):
        environ["SCRIPT_NAME"] = prefix
        environ["PATH_INFO"] = path[len(prefix) :] or "/"
