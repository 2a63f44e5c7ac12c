"""Requests to the provider: encrypted, without redirects, bounded in time and size."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cache
from http.client import HTTPException
from typing import IO, Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from workbench.outside import parsed_json
from workbench.settings import is_protected

SECONDS = 5.0
MOST_BYTES = 256 * 1024
PART = 16 * 1024
LEEWAY_SECONDS = 60
"""By which the provider's clock may differ from this one."""


class NoAnswer(Exception):
    """The provider gave no usable answer; the text says why, for the log and the administrator."""


class ProviderFails(NoAnswer):
    """The provider says that it cannot answer now (status 500 or more)."""


class ProviderUnreachable(NoAnswer):
    """The provider does not answer within the time, or not at all."""


@dataclass(frozen=True, slots=True)
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
