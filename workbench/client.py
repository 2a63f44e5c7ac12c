"""The Python client: a campaign on a server, from another program; standard library only.

    >>> from workbench.client import Client
    >>> client = Client("https://judge.example.org", token)          # doctest: +SKIP
    >>> campaign = client.create_campaign("Clinical search 2026")    # doctest: +SKIP
    >>> campaign.load_topics("topics.txt")                           # doctest: +SKIP

`call` does any operation of the API by its name, the other methods are what a script does most. What is sent
is sent again under the same idempotency key where no answer arrives, so that it is done once.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from http.client import HTTPException, HTTPResponse
from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

from workbench.frozen import frozen_dataclass
from workbench.outside import parsed_json

API = "/api/v1"
BUSY, CONFLICT = 503, 409
ATTEMPTS = 4
PAUSE_SECONDS = 0.5
CHUNK = 1024**2
FILE = "application/octet-stream"
Fields = Mapping[str, Any]


class Unreachable(Exception):
    """The server does not answer; what was sent may be sent again."""


class ApiError(Exception):
    """The server refused a request: `problem` says what happened and how to fix it."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(
            f"{problem['detail']} ({problem['remedy']})" if problem["remedy"] else problem["detail"]
        )
        self.problem = problem

    @property
    def status(self) -> int:
        """The HTTP status."""
        return int(self.problem["status"])

    @property
    def codes(self) -> tuple[str, ...]:
        """The code of each error of a rejected input."""
        return tuple(finding["code"] for finding in self.problem["findings"])


@frozen_dataclass
class _Operation:
    """An operation of the API as its document states it."""

    method: str
    path: str
    in_path: tuple[str, ...]
    query: frozenset[str]
    json_body: bool
    text: bool


def _operation(method: str, path: str, stated: Fields) -> _Operation:
    named = [(one["name"], one["in"]) for one in stated.get("parameters", ())]
    body = stated.get("requestBody", {}).get("content", {})
    answers = [one.get("content", {}) for code, one in stated["responses"].items() if code.startswith("2")]
    return _Operation(
        method,
        path,
        tuple(name for name, where in named if where == "path"),
        frozenset(name for name, where in named if where == "query"),
        json_body="application/json" in body,
        text=any(answers) and not any("application/json" in one for one in answers),
    )


class Transport:
    """Sends requests to the API of one server with one token.

    Raises ValueError for an address that is not http or https.
    """

    def __init__(self, address: str, token: str, *, timeout: float = 60) -> None:
        if urlsplit(address).scheme not in {"http", "https"}:
            raise ValueError(f"{address!r} is not an address: it must begin with https:// or http://")
        self._root = address.rstrip("/")
        self._address = self._root + API
        self._token = token
        self._timeout = timeout

    def __repr__(self) -> str:
        return f"Transport({self._address!r})"  # never with the token

    def get(self, path: str, query: Fields | None = None) -> Any:
        """The JSON at an address; raises ApiError and Unreachable."""
        return json.loads(self._sent("GET", path, query))

    def page(self, path: str, query: Fields) -> bytes:
        """The file of a page; raises as `get`."""
        return self._sent("GET", path, query)

    def call(self, operation: str, fields: Fields, file: Path | None = None) -> Any:
        """What an operation answers: JSON, its text, or an iterator over a list; raises as `get`.

        `fields` are those of its path, its query and its body, and `file` is its body where it takes one.
        Raises ValueError for an operation that there is none of, and TypeError where its path lacks a field.
        """
        found, path, rest = self._addressed(operation, fields)
        if "cursor" in found.query:
            return self._pages(path, rest)
        content = None
        if found.json_body:
            # In UTF-8, since escapes take up to three times the room.
            content = json.dumps(rest, ensure_ascii=False).encode("utf-8", "surrogatepass")
        query = None if found.json_body else rest
        answer = self._sent(found.method, path, query, content if file is None else file)
        if found.text:
            return answer.decode("utf-8", "surrogateescape")
        return json.loads(answer) if answer else None

    def download(self, operation: str, fields: Fields, file: Path) -> int:
        """Write what an operation answers to a file as it arrives; returns its bytes.

        Raises as `call`, and Unreachable for a transfer that ends too early: then there is no file.
        """
        _, path, query = self._addressed(operation, fields)
        size = 0
        with self._opened(self._request("GET", path, query)) as answer, file.open("wb") as target:
            stated = answer.length
            try:
                while part := _part(answer, CHUNK):
                    size += target.write(part)
                if stated is not None and size < stated:
                    raise Unreachable(f"the transfer ended after {size:,} of {stated:,} bytes")
            except Unreachable:
                file.unlink()
                raise
        return size

    @cached_property
    def _operations(self) -> dict[str, _Operation]:
        document = self.get("/openapi.json")
        return {
            stated["operationId"]: _operation(method.upper(), path.removeprefix(API), stated)
            for path, methods in document["paths"].items()
            for method, stated in methods.items()
        }

    def _addressed(self, operation: str, fields: Fields) -> tuple[_Operation, str, dict[str, Any]]:
        """An operation, its path, and those fields that are not in it."""
        found = self._operations.get(operation)
        if found is None:
            raise ValueError(f"there is no operation {operation!r}; {self._root}/api lists them")
        lacking = [name for name in found.in_path if name not in fields]
        if lacking:
            raise TypeError(f"{operation} needs {', '.join(lacking)}")
        path = found.path
        for name in found.in_path:
            path = path.replace(f"{{{name}}}", segment(str(fields[name])))
        return found, path, {name: value for name, value in fields.items() if name not in found.in_path}

    def _pages(self, path: str, query: Fields) -> Iterator[Any]:
        """The items of a list, read page by page; raises as `get`."""
        page = self.get(path, query)
        yield from page["items"]
        while page["next"] is not None:
            page = self.get(path, {**query, "cursor": page["next"]})
            yield from page["items"]

    def _sent(self, method: str, path: str, query: Fields | None, body: bytes | Path | None = None) -> bytes:
        request = self._request(method, path, query)
        if method == "POST":
            request.add_header("Idempotency-Key", str(uuid.uuid4()))
        attempt = 0
        while True:
            try:
                with self._with_body(request, body) as answer:
                    return _part(answer, None)
            except _StillRunning as running:
                # The server has the request: how often it is asked does not count.
                time.sleep(running.seconds)
            except Unreachable:
                attempt += 1
                if attempt == ATTEMPTS:
                    raise
                time.sleep(PAUSE_SECONDS * 2 ** (attempt - 1))

    def _request(self, method: str, path: str, query: Fields | None) -> Request:
        given = {name: _plain(value) for name, value in (query or {}).items() if value not in (None, "")}
        asked = f"?{urlencode(given, doseq=True)}" if given else ""
        # Files of pages stand beside the addresses of the API.
        url = (self._root if path.startswith("/c/") else self._address) + path + asked
        headers = {"Authorization": f"Bearer {self._token}"}
        return Request(url, method=method, headers=headers)  # noqa: S310 - the scheme was checked

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
                if error.code == CONFLICT and (seconds := error.headers.get("Retry-After", "")).isdecimal():
                    raise _StillRunning(int(seconds)) from None
                raise ApiError(_problem(error)) from None
        except (URLError, HTTPException, OSError) as error:
            raise Unreachable(f"the server does not answer: {error}") from error
        return found


class _StillRunning(Exception):
    """The same request, sent before, is being carried out; asked again in so many seconds, it may be done."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def _part(answer: HTTPResponse, size: int | None) -> bytes:
    """So many bytes of an answer, or all of them; raises Unreachable where the transfer is interrupted."""
    try:
        return answer.read(size)
    except (HTTPException, OSError) as error:
        raise Unreachable(f"the transfer was interrupted: {error}") from error


def segment(identifier: str) -> str:
    """An id as one segment of a path, as the server reads it: twice encoded where it has to be."""
    return quote(identifier.replace("%", "%25").replace("/", "%2F"), safe="")


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def _problem(error: HTTPError) -> dict[str, Any]:
    """The problem of an answer; made up where something between answered instead of the server."""
    try:
        found = parsed_json(error.read())
        if isinstance(found, dict) and "detail" in found:
            return {**_EMPTY, **found}
    except ValueError:
        pass
    return {**_EMPTY, "title": str(error.reason), "status": error.code, "detail": f"HTTP {error.code}"}


_EMPTY: dict[str, Any] = {
    "type": "about:blank",
    "title": "",
    "status": 0,
    "detail": "",
    "remedy": "",
    "findings": [],
    "request": "",
}


File = str | PathLike[str]


class CampaignClient:
    """A campaign on a server by its slug; see `Client` for what methods raise."""

    def __init__(self, transport: Transport, slug: str) -> None:
        self._transport = transport
        self.slug = slug

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.slug!r})"

    def call(self, operation: str, **fields: Any) -> Any:
        """Do an operation by its name in the API's document, such as `pools.rename`; returns its answer.

        The fields are those of its path, its query and its body. A list is read page by page as it is needed.
        """
        return self._transport.call(operation, {"slug": self.slug, **fields})

    def upload(self, operation: str, file: File, **query: Any) -> Any:
        """Do an operation whose body is a file."""
        chosen = Path(file)
        return self._transport.call(operation, {"slug": self.slug, "name": chosen.name, **query}, chosen)

    def download(self, operation: str, file: File, **fields: Any) -> int:
        """Write what an operation answers to a file; returns its bytes."""
        return self._transport.download(operation, {"slug": self.slug, **fields}, Path(file))

    def load_topics(self, file: File, *, format: str = "") -> Any:
        """Load topics from a file; all of them, or none."""
        return self.upload("topics.load", file, format=format)

    def load_documents(self, file: File, *, format: str = "", pooled: bool = False) -> Any:
        """Load documents from a file, only those in a pool if `pooled`; all of them, or none."""
        return self.upload("documents.load", file, format=format, pooled=pooled)

    def load_judgments(self, file: File, *, machines: Sequence[str] = (), discussed: bool = False) -> Any:
        """Import judgments made elsewhere, for organisers; all of them, or none."""
        return self.upload("judgments.load", file, machine=list(machines), discussed=discussed)

    def check_run(self, file: File) -> Any:
        """Check a file as a run, without storing it."""
        return self.upload("runs.check", file)

    def add_run(self, file: File, *, replace: bool = False, **metadata: str) -> Any:
        """Submit a run; `group`, `kind`, `description`, `priority`, `seconds_per_query`, `index_bytes`.

        Raises ApiError with every error of the file in `problem["findings"]`.
        """
        return self.upload("runs.add", file, replace=replace, **metadata)

    def make_pool(self, strategy: str = "depth", **recipe: Any) -> Any:
        """Make a pool: `parameters`, `name`, `ties`, `runs`, `priority`, `supplementary`, `draft`."""
        return self.call("pools.make", strategy=strategy, **recipe)

    def judge(self, assignment: int, docno: str, grade: int | None = None, **more: Any) -> Any:
        """Give a document a grade, or `answer="unsure"`; `comment`, `reason`, `client_id` and more.

        The receipt says whether it was recorded.
        """
        event: dict[str, Any] = {"client_id": str(uuid.uuid4()), "assignment": assignment, "docno": docno}
        if grade is not None:
            event |= {"answer": "grade", "grade": grade}
        return self.call("judging.record", events=[event | more])["receipts"][0]

    def decide(self, topic: str, docno: str, grade: int | None = None, **more: Any) -> Any:
        """Decide a disputed pair, or send it back with `decision="back"`; `reason`."""
        sent: dict[str, Any] = {"client_id": str(uuid.uuid4()), "decision": "grade"}
        if grade is not None:
            sent["grade"] = grade
        return self.call("disputes.decide_pair", topic=topic, docno=docno, **sent | more)

    def agreement(self, **options: Any) -> Any:
        """How far the assessors agree; options as in the reference, such as `graded=True`."""
        return self.call("agreement.agreement", **options)

    def qrels(self, rule: str = "majority", **parameters: Any) -> str:
        """The qrels that a rule makes, as scorers read them."""
        return str(self.call("qrels.qrels", rule=rule, **parameters))

    def scores(self, measures: str = "", *, rule: str = "majority", **parameters: Any) -> Any:
        """The runs by measures on the qrels of a rule, best first."""
        return self.call("scores.scores", measures=measures, rule=rule, **parameters)

    def table(self, page: str, **options: Any) -> Any:
        """A table of a page as JSON, such as `scores/table` or `agreement/topics/table`, by its options."""
        return json.loads(self._transport.page(f"/c/{segment(self.slug)}/{page}.json", options))

    def file(self, page: str, file: File, **options: Any) -> int:
        """Write a file of a page, such as `scores/pairs/table.csv`; returns its bytes."""
        return Path(file).write_bytes(self._transport.page(f"/c/{segment(self.slug)}/{page}", options))

    def download_release(self, version: str, file: File) -> int:
        """Write the zip of a release to a file; returns its bytes."""
        return self.download("releases.download", file, version=version)


class Client:
    """A server of Workbench, for whoever the token belongs to.

    Methods raise ApiError for what the server refuses, and Unreachable where it does not answer after four
    attempts. `timeout` is in seconds, for each attempt.
    """

    def __init__(self, address: str, token: str, *, timeout: float = 60) -> None:
        self._transport = Transport(address, token, timeout=timeout)

    def __repr__(self) -> str:
        return f"Client({self._transport!r})"

    def call(self, operation: str, **fields: Any) -> Any:
        """Do an operation by its name in the API's document, as `CampaignClient.call`."""
        return self._transport.call(operation, fields)

    def campaigns(self) -> Iterator[Any]:
        """Your campaigns, archived ones too, by slug."""
        found: Iterator[Any] = self.call("campaigns.index")
        return found

    def campaign(self, slug: str) -> CampaignClient:
        """A campaign by its slug; nothing is asked of the server yet."""
        return CampaignClient(self._transport, slug)

    def create_campaign(
        self,
        name: str,
        *,
        scale: str | dict[str, Any] = "binary",
        guidelines: str = "",
        slug: str | None = None,
    ) -> CampaignClient:
        """Make a campaign, for administrators; the scale is a predefined one by name, or its grades."""
        made = self.call("campaigns.create", name=name, scale=scale, guidelines=guidelines, slug=slug)
        return self.campaign(made["slug"])


LIBRARIES = ("polars", "pandas")


def to_frame(rows: Iterable[Mapping[str, Any]], library: str | None = None) -> Any:
    """The rows as a data frame, a column for each field: of polars if it is installed, else of pandas.

    `library` names one of the two. Raises ImportError where it is not installed.
    """
    chosen = library or next((name for name in LIBRARIES if find_spec(name)), None)
    if chosen not in LIBRARIES or find_spec(chosen) is None:
        raise ImportError(f"data frames need {' or '.join(LIBRARIES)}: pip install pandas")
    return import_module(chosen).DataFrame([dict(row) for row in rows])


__all__ = ["ApiError", "CampaignClient", "Client", "Unreachable", "to_frame"]
