"""An OpenID provider that tests run, and the settings by which people sign in with it."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from unittest.mock import patch
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

# Imported before warnings are ignored below: it asks for its own to be shown as it is imported.
import authlib.deprecate  # noqa: F401 - for its effect
from authlib.oidc.core.grants import code
from werkzeug.serving import WSGIRequestHandler, make_server

from workbench.settings import OpenIdSettings

with warnings.catch_warnings():
    # The provider uses a module of Authlib whose end is announced.
    warnings.simplefilter("ignore")
    from oidc_provider_mock import app as provider_app

CLIENT, SECRET, NAME = "workbench", "the secret of the client", "Example University"
SITE = "http://localhost:8765"
ISSUER = "https://login.example.org"
"""Of tokens that tests sign themselves."""
NOW = int(time.time())


@dataclass(slots=True)
class RunningProvider:
    """A provider: what it was asked for at its token endpoint, and what it answers instead of its own words.

    `instead` maps a path to a status and a body.
    """

    issuer: str
    exchanges: list[dict[str, str]] = field(default_factory=list)
    instead: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def settings(self, **changes: Any) -> OpenIdSettings:
        """The settings of a site whose people sign in with it."""
        given: dict[str, Any] = {
            "issuer": self.issuer,
            "client_id": CLIENT,
            "client_secret": SECRET,
            "name": NAME,
            "site": SITE,
        }
        return OpenIdSettings(**given | changes)

    def add_person(self, subject: str, **claims: Any) -> None:
        """Somebody with these claims."""
        body = json.dumps(claims).encode()
        request = Request(f"{self.issuer}/users/{subject}", body, method="PUT")
        request.add_header("Content-Type", "application/json")
        OPENER.open(request, timeout=5).close()

    def signs_in(self, departure: str, subject: str, *, denies: bool = False) -> dict[str, str]:
        """The fields with which the browser of a person comes back, who agreed or not."""
        answer = {"sub": subject} | ({"action": "deny"} if denies else {})
        request = Request(departure, urlencode(answer).encode())
        try:
            OPENER.open(request, timeout=5)
        except HTTPError as error:
            with error:
                back = urlsplit(error.headers["Location"])
        assert f"{back.scheme}://{back.netloc}{back.path}" == f"{SITE}/openid/callback"
        return {name: values[0] for name, values in parse_qs(back.query).items()}


class StaysHere(HTTPRedirectHandler):
    """Follows no redirect: where the browser is led, the test wants to see."""

    def redirect_request(self, *_: Any) -> None:
        """Leave it as it is, which is then an error of its status."""


OPENER = build_opener(StaysHere)


class _Silent(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: Any) -> None:
        """Say nothing of each request."""


class _Watched:
    """The provider, with its exchanges noted, and PKCE checked, which it passes over itself."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self._app = app
        self._challenges: list[str] = []
        self.running = RunningProvider("")

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        self.running.asked.append(path)
        if path in self.running.instead:
            status, body = self.running.instead[path]
            start_response(f"{status} of the test", [("Content-Type", "application/json")])
            return [body]
        if path == "/oauth2/authorize":
            asked = parse_qs(environ["QUERY_STRING"])
            assert asked["code_challenge_method"] == ["S256"]
            self._challenges += asked["code_challenge"]
        if path == "/oauth2/token":
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
            environ["wsgi.input"] = BytesIO(body)
            form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
            self.running.exchanges.append(form)
            if s256(form.get("code_verifier", "")) not in self._challenges:
                start_response("400 Bad Request", [("Content-Type", "application/json")])
                return [b'{"error": "invalid_grant"}']
        return self._app(environ, start_response)


def s256(verifier: str) -> str:
    """The PKCE challenge of a verifier, by RFC 7636, 4.2."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _read_once(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Reads the first key that it is given, which is the only one of a provider."""
    kept: list[Any] = []

    def once(key: Any) -> Any:
        if not kept:
            kept.append(read(key))
        return kept[0]

    return once


@contextmanager
def running_provider() -> Iterator[RunningProvider]:
    """Run a provider in a thread of this process; it knows a person by any subject."""
    app = _Watched(provider_app(require_nonce=True))
    server = make_server("localhost", 0, app, threaded=True, request_handler=_Silent)
    app.running.issuer = f"http://localhost:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        # Otherwise its key is read and checked for each token, which takes longer than all the rest.
        with patch.object(code, "import_any_key", _read_once(code.import_any_key)):
            yield app.running
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def id_token(key: Any, claims: Mapping[str, Any], **header: Any) -> str:
    """An ID token that a test signs itself; a claim that is None is left out."""
    from joserfc import jwt

    usual = {"iss": ISSUER, "aud": CLIENT, "sub": "248289", "iat": NOW, "exp": NOW + 300}
    said = {name: value for name, value in (usual | dict(claims)).items() if value is not None}
    whole = {"alg": "ES256", "kid": key.kid, **header}
    return jwt.encode(whole, said, key, algorithms=[whole["alg"]])
