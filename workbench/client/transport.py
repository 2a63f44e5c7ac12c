"""The way to a server: one request at a time, sent again where no answer arrives."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

from workbench.json_forms import ProblemJson
from workbench.outside import parsed_json

API = "/api/v1"
BUSY = 503
ATTEMPTS = 4
PAUSE_SECONDS = 0.5
CHUNK = 1024**2
FILE = "application/octet-stream"


class Unreachable(Exception):
    """The server does not answer; what was sent may be sent again."""


class ApiError(Exception):
    """The server refused a request: `problem` says what happened and how to fix it."""

    def __init__(self, problem: ProblemJson) -> None:
        super().__init__(
            f"{problem['detail']} ({problem['remedy']})" if problem["remedy"] else problem["detail"]
        )
        self.problem = problem

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.problem["status"]

    @property
    def codes(self) -> tuple[str, ...]:
        """The code of each error of a rejected input."""
        return tuple(finding["code"] for finding in self.problem["findings"])


class Transport:
    """Sends requests to the API of one server with one token.

    `sleep` waits between attempts. Raises ValueError for an address that is not http or https.
    """

    def __init__(
        self,
        address: str,
        token: str,
        *,
        timeout: float = 60,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if urlsplit(address).scheme not in {"http", "https"}:
            raise ValueError(f"{address!r} is no address: it begins with https:// or http://")
        self._root = address.rstrip("/")
        self._address = self._root + API
        self._token = token
        self._timeout = timeout
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"Transport({self._address!r})"  # never with the token

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """The JSON at an address; raises ApiError and Unreachable."""
        return json.loads(self._sent("GET", path, query))

    def text(self, path: str, query: Mapping[str, Any] | None = None) -> str:
        """The text at an address; raises as `get`."""
        return self._sent("GET", path, query).decode("utf-8", "surrogateescape")

    def page(self, path: str, query: Mapping[str, Any] | None = None) -> bytes:
        """The file of a page; raises as `get`."""
        return self._sent("GET", path, query)

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """What is answered to a JSON body, None for an empty answer; raises as `get`."""
        # In UTF-8, since escapes take up to three times the room.
        content = None
        if body is not None:
            content = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        answer = self._sent(method, path, None, content)
        return json.loads(answer) if answer else None

    def delete(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """What is answered to a deletion, None for an empty answer; raises as `get`."""
        answer = self._sent("DELETE", path, query)
        return json.loads(answer) if answer else None

    def upload(self, path: str, file: Path, query: Mapping[str, Any]) -> Any:
        """What is answered to a file, which is sent as it is read; raises as `get`."""
        return json.loads(self._sent("POST", path, query, file))

    def download(self, path: str, file: Path, query: Mapping[str, Any] | None = None) -> int:
        """Write what is at an address to a file as it arrives; returns its bytes.

        Raises as `get`, and Unreachable for a transfer that ends too early: then there is no file.
        """
        size = 0
        with self._opened(self._request("GET", path, query)) as answer, file.open("wb") as target:
            stated = answer.length
            try:
                while part := _part(answer):
                    size += target.write(part)
                if stated is not None and size < stated:
                    raise Unreachable(f"the transfer ended after {size:,} of {stated:,} bytes")
            except Unreachable:
                file.unlink()
                raise
        return size

    def pages(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """The items of a list, read page by page; raises as `get`."""
        asked = dict(query or {})
        while True:
            page = self.get(path, asked)
            yield from page["items"]
            if page["next"] is None:
                return
            asked["cursor"] = page["next"]

    def _sent(
        self, method: str, path: str, query: Mapping[str, Any] | None, body: bytes | Path | None = None
    ) -> bytes:
        request = self._request(method, path, query)
        if method == "POST":
            request.add_header("Idempotency-Key", str(uuid.uuid4()))
        for attempt in range(ATTEMPTS):
            try:
                with self._with_body(request, body) as answer:
                    return bytes(answer.read())
            except Unreachable:
                if attempt + 1 == ATTEMPTS:
                    raise
                self._sleep(PAUSE_SECONDS * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _request(self, method: str, path: str, query: Mapping[str, Any] | None) -> Request:
        given = {name: _plain(value) for name, value in (query or {}).items() if value not in (None, "")}
        asked = f"?{urlencode(given, doseq=True)}" if given else ""
        headers = {"Authorization": f"Bearer {self._token}"}
        # Files of pages stand beside the addresses of the API.
        url = (self._root if path.startswith("/c/") else self._address) + path + asked
        return Request(url, method=method, headers=headers)  # noqa: S310  # the scheme was checked

    def _with_body(self, request: Request, body: bytes | Path | None) -> Any:
        if isinstance(body, Path):
            with body.open("rb") as stream:
                request.data = stream
                # Behind the body, which would clear it: without it the body would be sent in chunks.
                request.add_header("Content-Length", str(body.stat().st_size))
                request.add_header("Content-Type", FILE)
                return self._opened(request)
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = body
        return self._opened(request)

    def _opened(self, request: Request) -> HTTPResponse:
        try:
            found: HTTPResponse = urlopen(request, timeout=self._timeout)  # noqa: S310 - the scheme was checked
        except HTTPError as error:
            with error:
                if error.code == BUSY:
                    raise Unreachable(f"the server is busy: {error}") from error
                raise ApiError(_problem(error)) from None
        except (URLError, HTTPException, OSError) as error:
            raise Unreachable(f"the server does not answer: {error}") from error
        return found


def _part(answer: HTTPResponse) -> bytes:
    try:
        return answer.read(CHUNK)
    except (HTTPException, OSError) as error:
        raise Unreachable(f"the transfer was broken off: {error}") from error


def segment(identifier: str) -> str:
    """An id as one segment of a path, as the server reads it: twice encoded where it has to be."""
    return quote(identifier.replace("%", "%25").replace("/", "%2F"), safe="")


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def _problem(error: HTTPError) -> ProblemJson:
    """The problem of an answer; made up where something between answered instead of the server."""
    try:
        found = parsed_json(error.read())
        if isinstance(found, dict) and "detail" in found:
            problem: ProblemJson = {**_EMPTY, **found}
            return problem
    except ValueError:
        pass
    return {**_EMPTY, "title": str(error.reason), "status": error.code, "detail": f"HTTP {error.code}"}


_EMPTY: ProblemJson = {
    "type": "about:blank",
    "title": "",
    "status": 0,
    "detail": "",
    "remedy": "",
    "findings": [],
    "request": "",
}
