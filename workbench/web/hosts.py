"""Hosts: the names under which the site answers, where the administrator has set them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from werkzeug.sansio.utils import host_is_trusted
from werkzeug.wrappers import Response
from werkzeug.wsgi import get_host

from workbench.web.refusals import STATUS, Application
from workbench.web.security import HEADERS

MESSAGE = "This site does not answer under this name.\n"


class KnownHosts:
    """An application that answers under its own names only.

    The name stands in links and decides whether a form comes from this site, so no request may make it up.
    """

    def __init__(self, app: Application, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = tuple(hosts)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request of WSGI."""
        # The pages of refusals are asked for by the server itself.
        if STATUS in environ or host_is_trusted(get_host(environ), self._hosts):
            return self._app(environ, start_response)
        return Response(MESSAGE, 400, headers=HEADERS)(environ, start_response)
