"""What a request says (htmx, where to go next, cookies, ids in its path) and the redirects that answer it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from flask import Request, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import ImmutableMultiDict, MultiDict
from werkzeug.exceptions import NotFound
from werkzeug.routing import BaseConverter, IntegerConverter, UnicodeConverter
from werkzeug.wrappers import Response

from workbench.formats.identifiers import storable
from workbench.web.context import app_context
from workbench.workflow.people.signing_in import Browser, Refused, SignedIn
from workbench.workflow.people.two_factor import CODE_STEP_LASTS, CodeNeeded

Values = dict[str, Any]
"""Values by name: of a form, of a template, of an object in JSON."""
Reply = ResponseReturnValue
"""What views return: a page or a response, either with its status."""


class StorableFields(ImmutableMultiDict[str, Any]):
    """The fields of an address or a form, without the characters that no database stores."""

    def __init__(self, sent: Iterable[tuple[str, Any]] | None = None) -> None:
        super().__init__([(storable(name), _storable(value)) for name, value in _items(sent)])


class StorableRequest(Request):
    """A request whose fields every database can store."""

    parameter_storage_class = StorableFields


def _items(sent: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(sent, MultiDict):
        return sent.items(multi=True)
    return sent.items() if isinstance(sent, Mapping) else sent or ()


def _storable(value: Any) -> Any:
    return storable(value) if isinstance(value, str) else value  # others are files


def from_htmx() -> bool:
    """Whether htmx sent the request and will swap the response into the open page."""
    return request.headers.get("HX-Request") == "true"


def from_script() -> bool:
    """Whether a script of an open page sent the request: it reads the status and follows no redirect."""
    return from_htmx() or request.headers.get("Accept") == "application/json"


def wants_fragment() -> bool:
    """Whether a fragment is wanted instead of a whole page."""
    return from_htmx() and request.headers.get("HX-Request-Type") != "full"


def see_other(address: str) -> Response:
    """A 303 redirect to the page to show after a form was accepted."""
    return redirect(address, code=303)


def go_to(endpoint: str, **values: Any) -> Response:
    """The same to the page of an endpoint."""
    return see_other(url_for(endpoint, **values))


def pushed(page: str, address: str) -> Response:
    """A piece of the page for htmx, which gives the page this address and a place in the history."""
    return Response(page, headers={"HX-Push-Url": address}, content_type="text/html; charset=utf-8")


def loaded_anew(address: str) -> Response:
    """What has htmx load a whole page, as where it shows a notice."""
    return Response(status=204, headers={"HX-Redirect": address})


def safe_next(address: str | None) -> str | None:
    """The address if it is a path of this site, else None: signing in never redirects to another site."""
    if not address or not address.startswith(f"{request.root_path}/") or address.startswith(("//", "/\\")):
        return None
    if "\\" in address or any(ord(character) < 33 or ord(character) == 127 for character in address):
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return None if parts.scheme or parts.netloc else address


def page_asked_for() -> str:
    """The path to go to after signing in; after a form was submitted, the page with the form."""
    if request.method in {"GET", "HEAD"}:
        query = request.query_string.decode("utf-8", "replace")
        address = request.root_path + request.path + (f"?{query}" if query else "")
        return safe_next(address) or url_for("campaigns.index")
    return page_before() or url_for("campaigns.index")


def page_before() -> str | None:
    """The path and query of the page from which a request came, if it is on this host."""
    try:
        referrer = urlsplit(request.referrer or "")
    except ValueError:
        return None
    if referrer.netloc != request.host:
        return None
    return safe_next(referrer.path + (f"?{referrer.query}" if referrer.query else ""))


def retry_after(refused: Refused) -> dict[str, str]:
    """The header that tells a program how long to wait, where a sign-in has to."""
    return {"Retry-After": str(refused.seconds)} if refused.wait else {}


# Not "storage": there a browser keeps answers that it has not sent yet.
CLEAR_SITE_DATA = '"cache"'
SESSION_COOKIE = "workbench"
# Browsers accept a cookie with this prefix from this host only, over https.
HOST_PREFIX = "__Host-"
SESSION_COOKIES = (SESSION_COOKIE, HOST_PREFIX + SESSION_COOKIE)
# The step between password and code; it opens nothing but the form for the code.
CODE_STEP_COOKIE = "workbench-code"


def secure() -> bool:
    """Whether cookies are for https only: by the settings, else by the scheme of this request."""
    setting = app_context().settings.secure_cookies
    return request.is_secure if setting is None else setting


def cookie_name(name: str = SESSION_COOKIE) -> str:
    """The name of a cookie; with the prefix, browsers accept it from this host only."""
    return HOST_PREFIX + name if secure() else name


API = "/api/"
"""How the addresses begin that programs use; who calls them has a token and no cookie."""
_BEARER = "bearer "


def of_api() -> bool:
    """Whether a program asks, at an address of its own or with nothing but a token: its errors are JSON."""
    return request.path.startswith(API) or (bearer_of(request.environ) is not None and read_token() is None)


def bearer_of(environ: Mapping[str, Any]) -> str | None:
    """The access token in the `Authorization` field of a request, or None."""
    sent = str(environ.get("HTTP_AUTHORIZATION", ""))
    if sent[: len(_BEARER)].lower() != _BEARER:
        return None
    return sent[len(_BEARER) :].strip() or None


def read_token() -> str | None:
    """The session token of this request, or None."""
    return request.cookies.get(cookie_name()) or None


def browser() -> Browser:
    """What this request says of the browser it comes from."""
    return Browser(request.remote_addr, storable(request.user_agent.string))


def refused_form(page: str, refused: Refused) -> Reply:
    """The page of a form whose password or code is wrong, or that has to wait, with its status."""
    return page, 429 if refused.wait else 422, retry_after(refused)


def keep_session(response: Response, session: SignedIn) -> None:
    """Set the session cookie until the session expires."""
    set_cookie(response, SESSION_COOKIE, session.token, expires=session.expires_at)


def code_step_token() -> str | None:
    """The token of a sign-in that waits for a code, or None."""
    return request.cookies.get(cookie_name(CODE_STEP_COOKIE)) or None


def keep_code_step(response: Response, step: CodeNeeded) -> None:
    """Set the cookie of a sign-in that waits for a code."""
    set_cookie(response, CODE_STEP_COOKIE, step.token, max_age=CODE_STEP_LASTS)


def drop_code_step(response: Response) -> None:
    """Delete the cookie of a sign-in that no longer waits for a code."""
    drop_cookie(response, CODE_STEP_COOKIE)


def set_cookie(response: Response, name: str, value: str, **lasts: Any) -> None:
    """Set a cookie of this site, which no script reads; other sites send it by links only."""
    response.set_cookie(
        cookie_name(name), value, path="/", secure=secure(), httponly=True, samesite="Lax", **lasts
    )


def drop_cookie(response: Response, name: str) -> None:
    """Delete a cookie of this site."""
    response.delete_cookie(cookie_name(name), path="/", secure=secure(), httponly=True, samesite="Lax")


def drop_session(response: Response) -> None:
    """Delete the session cookie, and what the browser keeps of the pages."""
    response.headers["Clear-Site-Data"] = CLEAR_SITE_DATA
    drop_cookie(response, SESSION_COOKIE)


# Characters that a form, a path or an encoder would change: controls, bytes outside UTF-8.
_UNSAFE = re.compile(r"[\x00-\x20\x7f%\\\u0080-\u00a0\u2028\u2029\ud800-\udfff]")


def write_id(identifier: str) -> str:
    """The id as plain text without control characters; `read_id` restores it to the byte."""
    if identifier in {".", ".."}:
        return identifier.replace(".", "%2E")
    return _UNSAFE.sub(_escaped, identifier)


def read_id(text: str) -> str:
    """The id that `write_id` wrote; any other text becomes an id that does not exist."""
    return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")


LARGEST = 2**63 - 1
"""What a database keeps of a number: there is nothing at an address with a larger one."""


# Of a segment that a converter finds invalid, Werkzeug may say that its address does not take that method, as
# another rule of the same address does not. So those that name nothing are not found, by whatever method.


class NumberConverter(IntegerConverter):
    """A number of a row as one segment of a path."""

    def to_python(self, value: str) -> int:
        """The number of a segment."""
        # Python refuses to convert more digits than a limit of its own.
        if len(value) > len(str(LARGEST)) or int(value) > LARGEST:
            raise NotFound
        return int(value)


class TextConverter(UnicodeConverter):
    """One segment of a path; what no database stores is at no address."""

    def to_python(self, value: str) -> str:
        """The text of a segment."""
        return _stored(value)


class IdConverter(BaseConverter):
    """An id as one segment of a path: `/c/<slug>/topics/<id:topic>`."""

    def to_python(self, value: str) -> str:
        """The id of a segment."""
        return _stored(read_id(value))

    def to_url(self, value: str) -> str:
        """The segment of an id."""
        return super().to_url(write_id(value).replace("/", "%2F"))


def _stored(text: str) -> str:
    if storable(text) != text:
        raise NotFound
    return text


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogateescape"))
