"""The provider: its published metadata and keys, the way to it, and a code exchanged for an identity.

Requests to it are encrypted, without redirects, bounded in time and size. It is asked by few at once, so that
one that hangs keeps nobody from signing in with a password: when it did not answer, the next ten seconds fail
at once.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cache
from http.client import HTTPException
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.outside import parsed_json
from workbench.settings import OpenIdSettings, is_protected
from workbench.workflow.clock import utc_now
from workbench.workflow.openid.browser_trips import BrowserTrip
from workbench.workflow.openid.identities import ProviderIdentity
from workbench.workflow.openid.refusals import NotSignedIn, SignInObstacle

SECONDS = 5.0
MOST_BYTES = 256 * 1024
PART = 16 * 1024


class NoAnswer(Exception):
    """The provider gave no usable answer; the text says why, for the log and the administrator."""


class ProviderFails(NoAnswer):
    """The provider says that it cannot answer now (status 500 or more)."""


class ProviderUnreachable(NoAnswer):
    """The provider does not answer within the time, or not at all."""


@frozen_dataclass
class JsonAnswer:
    """An answer of the provider; `sent_at` is its clock in seconds since 1970, None if it tells no time."""

    status: int
    data: Mapping[str, Any] = field(repr=False)
    sent_at: float | None = None


def ask_json(
    address: str,
    *,
    body: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JsonAnswer:
    """The JSON object at an address, also of a status from 400 to 499; a body is posted as a form.

    Raises ProviderUnreachable where nothing comes within 5 seconds, ProviderFails for a status from 500 on,
    and NoAnswer for a redirect and for what is too large or no JSON object.
    """
    if not is_protected(address):
        raise NoAnswer(f"{_place(address)} has no https")
    sent = {"Accept": "application/json", "Accept-Encoding": "identity", **(headers or {})}
    if body is not None:
        sent["Content-Type"] = "application/x-www-form-urlencoded"
    content = body.encode() if body is not None else None
    request = Request(address, data=content, headers=sent)  # noqa: S310 - the scheme was checked
    end = time.monotonic() + SECONDS
    try:
        with _opened(request) as answer:
            return _read(answer, end)
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise ProviderUnreachable(f"{_place(address)}: {reason}") from None
    except NoAnswer as error:
        raise type(error)(f"{_place(address)} {error}") from None


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect: a secret goes to the address that the provider published, and to no other."""

    def redirect_request(self, *_: Any) -> None:
        """Leave the redirect as it is, which is then an error of its status."""


@cache
def _opener() -> OpenerDirector:
    # Kept, since reading the certificates of the authorities takes longer than a request.
    return build_opener(_NoRedirects)


def _opened(request: Request) -> Any:
    try:
        return _opener().open(request, timeout=SECONDS)
    except HTTPError as error:
        return error  # an answer as well


def _read(answer: Any, end: float) -> JsonAnswer:
    status = int(answer.status)
    if status >= 500:
        raise ProviderFails(f"has status {status}")
    if 300 <= status < 400:
        raise NoAnswer(f"redirects to another address (status {status})")
    content = _bounded(answer, end)
    try:
        data = parsed_json(content)
    except ValueError:
        raise NoAnswer(f"answers with no JSON (status {status})") from None
    if not isinstance(data, dict):
        raise NoAnswer(f"answers with no JSON object (status {status})")
    return JsonAnswer(status, data, _sent_at(answer.headers.get("Date")))


def _bounded(answer: IO[bytes], end: float) -> bytes:
    """The body; each read has a time limit of its own, so all of them together get one here."""
    found = b""
    while part := answer.read1(PART):  # type: ignore[attr-defined]  # of HTTPResponse and HTTPError
        found += part
        if len(found) > MOST_BYTES:
            raise NoAnswer(f"answers with more than {MOST_BYTES:,} bytes")
        if time.monotonic() > end:
            raise ProviderUnreachable(f"took more than {SECONDS:.0f} seconds")
    return found


def _sent_at(date: str | None) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp() if date else None
    except ValueError:
        return None


def _place(address: str) -> str:
    """An address in a message; without its query, which may hold more than a place."""
    return address.split("?")[0][:200]


CALLBACK = "/openid/callback"
SCOPE = "openid profile email"
INSTALL = "pip install 'ir-workbench[openid]'"
AT_ONCE = 2
WAIT_SECONDS = 3.0
KEPT_SECONDS = 3600.0
SILENT_SECONDS = 10.0
# Names of errors in RFC 6749; whatever else a provider writes into an answer is not logged.
_ERROR_NAME = re.compile(r"[a-z_]{1,60}")
_CANCELLED = frozenset({"access_denied", "consent_required", "interaction_required", "login_required"})


@frozen_dataclass
class ProviderMetadata:
    """What the discovery document states, as far as it is used; `clock_ahead` are seconds."""

    authorization: str
    token: str
    keys: str
    user_info: str
    end_session: str
    algorithms: tuple[str, ...]
    client_authentication: str
    clock_ahead: float | None


@dataclass(slots=True)
class _Published:
    """What is remembered of the provider, and until when."""

    metadata: ProviderMetadata | None = None
    keys: Mapping[str, Any] = field(default_factory=dict)
    until: float = 0.0
    silent_until: float = 0.0


class OpenIdProvider:
    """The provider of the settings, shared by the threads of a process.

    Its methods raise NotSignedIn. Making one raises WorkbenchError where its libraries are not installed.
    """

    def __init__(self, settings: OpenIdSettings) -> None:
        try:
            import authlib  # noqa: F401 - found out now, and not when the first person signs in
            import joserfc  # noqa: F401
        except ImportError:
            message = "WORKBENCH_OPENID_ISSUER is set, and sign-in with OpenID Connect is not installed"
            raise WorkbenchError(message, remedy=INSTALL) from None
        self.settings = settings
        self.redirect_uri = settings.site + CALLBACK
        self._places = threading.BoundedSemaphore(AT_ONCE)
        self._published = _Published()

    def departure(self, trip: BrowserTrip) -> str:
        """The address at the provider to which a browser goes for a trip."""
        from authlib.oauth2.client import OAuth2Client

        with self._place():
            metadata = self._metadata()
        client = OAuth2Client(
            None,
            self.settings.client_id,
            scope=SCOPE,
            redirect_uri=self.redirect_uri,
            code_challenge_method="S256",
        )
        address, _ = client.create_authorization_url(
            metadata.authorization, state=trip.state, nonce=trip.nonce, code_verifier=trip.verifier
        )
        return str(address)

    def identity(self, returned: Mapping[str, str], trip: BrowserTrip) -> ProviderIdentity:
        """Who signed in at the provider, by the fields with which it sent the browser back."""
        # RFC 9207: of a provider that says who it is, the answer of another is not taken.
        if returned.get("iss", self.settings.issuer) != self.settings.issuer:
            raise self._failed(SignInObstacle.TOKEN, "the answer came from another issuer")
        if "error" in returned or not returned.get("code"):
            error = _error_name(returned)
            if error in _CANCELLED:
                raise self._failed(SignInObstacle.DENIED)
            raise self._failed(SignInObstacle.REJECTED, f"authorization: {error}")
        with self._place():
            granted = self._granted(returned["code"], trip)
            claims = self._claims(granted, trip)
            if "email" not in claims or "name" not in claims:
                claims = {**self._user_info(granted, str(claims["sub"])), **claims}
        return _identity(self.settings.issuer, claims)

    def sign_out_address(self) -> str:
        """The page of the provider for signing out there, by OpenID Connect RP-Initiated Logout."""
        with self._place():
            page = self._metadata().end_session
        if not page:
            raise self._failed(SignInObstacle.NO_SIGN_OUT)
        return f"{page}{'&' if '?' in page else '?'}{urlencode({'client_id': self.settings.client_id})}"

    def checked(self) -> tuple[ProviderMetadata, int]:
        """What the provider publishes now, and how many keys for signatures."""
        with self._place():
            self._published = _Published()
            metadata = self._metadata()
            keys = self._keys(metadata).get("keys")
        return metadata, len(keys) if isinstance(keys, list) else 0

    @contextmanager
    def _place(self) -> Iterator[None]:
        if time.monotonic() < self._published.silent_until:
            raise self._failed(SignInObstacle.AWAY, "it did not answer a few seconds ago")
        if not self._places.acquire(timeout=WAIT_SECONDS):
            raise self._failed(SignInObstacle.BUSY)
        try:
            yield
        except ProviderUnreachable as error:
            self._published.silent_until = time.monotonic() + SILENT_SECONDS
            raise self._failed(SignInObstacle.AWAY, str(error)) from None
        except ProviderFails as error:
            # A strange code may be the reason: nobody else is to wait for that.
            raise self._failed(SignInObstacle.AWAY, str(error)) from None
        except NoAnswer as error:
            raise self._failed(SignInObstacle.SET_UP, str(error)) from None
        finally:
            self._places.release()

    def _metadata(self) -> ProviderMetadata:
        if self._published.metadata is None or time.monotonic() >= self._published.until:
            address = self.settings.issuer.rstrip("/") + "/.well-known/openid-configuration"
            metadata = self._read_metadata(ask_json(address))
            self._published = _Published(metadata, until=time.monotonic() + KEPT_SECONDS)
        found = self._published.metadata
        assert found is not None  # noqa: S101 - just read
        return found

    def _read_metadata(self, answer: JsonAnswer) -> ProviderMetadata:
        data = answer.data
        if answer.status != 200:
            raise self._failed(SignInObstacle.SET_UP, f"the discovery document has status {answer.status}")
        issuer = data.get("issuer")
        if issuer != self.settings.issuer:
            cause = f"set WORKBENCH_OPENID_ISSUER to {str(issuer)[:200]!r}, as the provider calls itself"
            raise self._failed(SignInObstacle.SET_UP, cause)
        needed = ("authorization_endpoint", "token_endpoint", "jwks_uri")
        addresses = {
            name: str(data.get(name) or "") for name in (*needed, "userinfo_endpoint", "end_session_endpoint")
        }
        for name, address in addresses.items():
            plain = address.isascii() and address.isprintable() and " " not in address
            if (name in needed or address) and not (plain and is_protected(address)):
                raise self._failed(SignInObstacle.SET_UP, f"{name} is not an address with https")
        algorithms = _listed(data, "id_token_signing_alg_values_supported", "RS256")
        methods = _listed(data, "token_endpoint_auth_methods_supported", "client_secret_basic")
        usable = [one for one in ("client_secret_basic", "client_secret_post") if one in methods]
        if not usable:
            raise self._failed(SignInObstacle.SET_UP, "the provider takes no client secret")
        if "S256" not in _listed(data, "code_challenge_methods_supported", "S256"):
            raise self._failed(SignInObstacle.SET_UP, "the provider does not support PKCE with S256")
        ahead = None if answer.sent_at is None else answer.sent_at - time.time()
        return ProviderMetadata(
            authorization=addresses["authorization_endpoint"],
            token=addresses["token_endpoint"],
            keys=addresses["jwks_uri"],
            user_info=addresses["userinfo_endpoint"],
            end_session=addresses["end_session_endpoint"],
            algorithms=algorithms,
            client_authentication=usable[0],
            clock_ahead=ahead,
        )

    def _keys(self, metadata: ProviderMetadata, *, fresh: bool = False) -> Mapping[str, Any]:
        if fresh or not self._published.keys:
            answer = ask_json(metadata.keys)
            if answer.status != 200:
                raise self._failed(SignInObstacle.SET_UP, f"the keys have status {answer.status}")
            self._published.keys = answer.data
        return self._published.keys

    def _granted(self, code: str, trip: BrowserTrip) -> Mapping[str, Any]:
        """What the token endpoint gives for a code."""
        from authlib.oauth2.auth import ClientAuth
        from authlib.oauth2.rfc6749.parameters import prepare_token_request

        metadata = self._metadata()
        body = prepare_token_request(
            "authorization_code", code=code, redirect_uri=self.redirect_uri, code_verifier=trip.verifier
        )
        client = ClientAuth(
            self.settings.client_id, self.settings.client_secret, metadata.client_authentication
        )
        address, headers, body = client.prepare("POST", metadata.token, {}, body)
        answer = ask_json(address, body=body, headers=headers)
        if answer.status != 200 or not isinstance(answer.data.get("id_token"), str):
            error = _error_name(answer.data)
            wrong_client = error in {"invalid_client", "unauthorized_client"}
            obstacle = SignInObstacle.SET_UP if wrong_client else SignInObstacle.REJECTED
            raise self._failed(obstacle, f"token endpoint, status {answer.status}: {error}")
        return answer.data

    def _claims(self, granted: Mapping[str, Any], trip: BrowserTrip) -> Mapping[str, Any]:
        from workbench.workflow.openid.id_tokens import InvalidIdToken, TokenExpectation, verified_claims

        metadata = self._metadata()
        expected = TokenExpectation(
            self.settings.issuer, self.settings.client_id, trip.nonce, str(granted.get("access_token") or "")
        )
        for fresh in (False, True):
            try:
                return verified_claims(
                    granted["id_token"],
                    self._keys(metadata, fresh=fresh),
                    expected,
                    algorithms=metadata.algorithms,
                    now=int(utc_now().timestamp()),
                )
            except InvalidIdToken as error:
                # Providers change their keys: those of now are asked for once.
                if error.obstacle is not SignInObstacle.KEY or fresh:
                    raise self._failed(error.obstacle, str(error)) from None
        raise AssertionError("the second attempt returns or raises")

    def _user_info(self, granted: Mapping[str, Any], subject: str) -> Mapping[str, Any]:
        """Further claims, of providers that keep ID tokens short; nothing where they cannot be had."""
        address, token = self._metadata().user_info, granted.get("access_token")
        if not address or not isinstance(token, str):
            return {}
        try:
            answer = ask_json(address, headers={"Authorization": f"Bearer {token}"})
        except NoAnswer:
            return {}
        # OpenID Connect Core 5.3.2: of somebody else nothing is used.
        return answer.data if answer.status == 200 and answer.data.get("sub") == subject else {}

    def _failed(self, obstacle: SignInObstacle, cause: str = "") -> NotSignedIn:
        return NotSignedIn(obstacle, self.settings.name, cause)


def _identity(issuer: str, claims: Mapping[str, Any]) -> ProviderIdentity:
    name, login, address = (
        value if isinstance(value := claims.get(claim), str) else ""
        for claim in ("name", "preferred_username", "email")
    )
    verified = claims.get("email_verified") is True
    return ProviderIdentity(issuer, str(claims["sub"]), name, login, address, verified)


def _listed(data: Mapping[str, Any], name: str, usual: str) -> tuple[str, ...]:
    found = data.get(name)
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else (usual,)


def _error_name(data: Mapping[str, Any]) -> str:
    error = str(data.get("error", ""))
    return error if _ERROR_NAME.fullmatch(error) else "no error named"
