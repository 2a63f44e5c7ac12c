"""The audit of what is installed: it fails for what can be fixed, and never takes silence for safety."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from typing import Any

import pytest

from tests import audit
from tests.audit import KNOWN, NOT_DONE, SOUND, VULNERABLE, Accepted, Component
from tests.run import ended, verdict

TODAY = date(2026, 3, 1)
HTTP = Component("PyPI", "exemplary-http", "2.1.0")
# As OSV writes it: two branches are supported, and each has its fix.
RECORD = {
    "id": "GHSA-aaaa-bbbb-cccc",
    "aliases": ["CVE-2026-12345"],
    "summary": "Headers are\n read twice",
    "affected": [
        {"package": {"ecosystem": "PyPI", "name": "another"}, "ranges": [{"events": [{"fixed": "2.1.1"}]}]},
        {
            "package": {"ecosystem": "PyPI", "name": "Exemplary-HTTP"},
            "ranges": [
                {"type": "GIT", "events": [{"introduced": "0"}, {"fixed": "9f2c"}]},
                {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.9.4"}]},
                {"type": "ECOSYSTEM", "events": [{"introduced": "2.0"}, {"fixed": "2.10"}]},
            ],
        },
    ],
}
FIXED = (
    "exemplary-http 2.1.0: GHSA-aaaa-bbbb-cccc, CVE-2026-12345: Headers are read twice: install 2.10 or newer"
)


@dataclass
class Service:
    """A service that knows of vulnerabilities, by component; `instead` is its answer to everything."""

    address: str = ""
    known: dict[str, list[str]] = field(default_factory=lambda: {KNOWN.name: ["PYSEC-2019-217"]})
    records: dict[str, Any] = field(default_factory=dict)
    instead: tuple[int, bytes] | None = None
    asked: list[Any] = field(default_factory=list)
    pages: bool = False
    hangs: threading.Event | None = None

    def batch(self, queries: list[dict[str, Any]]) -> dict[str, Any]:
        """The answer to a batch: of two pages the first has nothing but the way to the second."""
        self.asked += queries
        results: list[dict[str, Any]] = []
        for one in queries:
            ids = [{"id": each} for each in self.known.get(one["package"]["name"], ())]
            turns = self.pages and ids and "page_token" not in one
            results.append({"next_page_token": "2"} if turns else {"vulns": ids} if ids else {})
        return {"results": results}


@pytest.fixture(scope="module")
def _running() -> Iterator[list[Service]]:
    current = [Service()]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            queries = json.loads(self.rfile.read(int(self.headers["content-length"])))["queries"]
            self._say(json.dumps(current[0].batch(queries)).encode())

        def do_GET(self) -> None:
            self._say(json.dumps(current[0].records[self.path.rpartition("/")[2]]).encode())

        def _say(self, body: bytes) -> None:
            if current[0].hangs is not None:
                current[0].hangs.wait()
            status, body = current[0].instead or (200, body)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing of each request."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    current[0].address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield current
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def service(_running: list[Service], monkeypatch: pytest.MonkeyPatch) -> Service:
    """A service that knows that one of the two installed packages is vulnerable."""
    _running[0] = Service(_running[0].address)
    _running[0].known[HTTP.name] = [RECORD["id"]]  # type: ignore[list-item]
    _running[0].records[str(RECORD["id"])] = RECORD
    monkeypatch.setattr(audit, "installed", lambda: [HTTP, Component("npm", "d3", "7.9.0")])
    return _running[0]


def test_a_vulnerability_that_a_newer_version_fixes_fails(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit.audit(service.address) == VULNERABLE
    assert (
        capsys.readouterr().out
        == f"{FIXED}\n2 components, 1 known vulnerability that a newer version fixes\n"
    )
    assert service.asked[1:] == [
        {"package": {"ecosystem": "PyPI", "name": "exemplary-http"}, "version": "2.1.0"},
        {"package": {"ecosystem": "npm", "name": "d3"}, "version": "7.9.0"},
    ]


def test_all_pages_of_an_answer_are_read(service: Service) -> None:
    service.pages = True
    assert audit.audit(service.address) == VULNERABLE


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"affected": []}, "no version fixes it yet"),
        (
            {"affected": [{"package": {"name": HTTP.name}, "ranges": [{"events": [{"fixed": "2.1.0"}]}]}]},
            "yet",
        ),
        ({"withdrawn": "2026-02-01T00:00:00Z"}, "2 components, 0 known vulnerabilities"),
    ],
    ids=["no fix", "the fix is installed and does not help", "withdrawn"],
)
def test_what_cannot_be_fixed_is_told_and_does_not_fail(
    service: Service, capsys: pytest.CaptureFixture[str], change: dict[str, Any], said: str
) -> None:
    service.records[str(RECORD["id"])] = RECORD | change
    assert audit.audit(service.address) == SOUND
    assert said in capsys.readouterr().out


def test_nothing_was_audited_by_a_service_that_does_not_know_what_everybody_knows(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    service.known.clear()
    assert audit.audit(service.address) == NOT_DONE
    said = f"not audited: {service.address} knows nothing of jinja2 2.10, which is vulnerable\n"
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(
    "instead",
    [
        (503, b"{}"),
        (200, b"<html>"),
        (200, b"[]"),
        (200, b'{"results": []}'),
        (200, b'{"results": [1, 2, 3]}'),
    ],
    ids=["status 503", "no JSON", "no object", "too few answers", "another form"],
)
def test_nothing_was_audited_where_no_answer_can_be_read(
    service: Service, capsys: pytest.CaptureFixture[str], instead: tuple[int, bytes]
) -> None:
    service.instead = instead
    assert audit.audit(service.address) == NOT_DONE
    assert capsys.readouterr().out.startswith(f"not audited: {service.address}")


def test_a_service_that_is_away_or_silent_is_given_up(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit.audit("http://127.0.0.1:1") == NOT_DONE
    service.hangs = threading.Event()
    try:
        assert audit.audit(service.address, seconds=0.05) == NOT_DONE
    finally:
        service.hangs.set()
    away, silent = capsys.readouterr().out.splitlines()
    assert away.startswith("not audited: http://127.0.0.1:1")
    assert silent == f"not audited: {service.address} did not answer within 0 seconds"


def test_an_accepted_vulnerability_fails_after_its_day(service: Service) -> None:
    (found,) = audit.known_vulnerabilities(service.address, [HTTP])
    accepted = Accepted("CVE-2026-12345", HTTP.name, "we send no such headers", TODAY)
    broken, said = audit.verdict([found], [accepted], TODAY)
    assert (broken, said) == ([], [f"accepted until 2026-03-01: {FIXED}: we send no such headers"])
    broken, said = audit.verdict([found], [accepted], date(2026, 3, 2))
    assert (broken, said) == ([found], [])
    # Of another package, or gone.
    assert audit.verdict([found], [Accepted("CVE-2026-12345", "d3", "-", TODAY)], TODAY)[0] == [found]
    assert audit.verdict([], [accepted], TODAY) == (
        [],
        ["no longer found, remove it from ACCEPTED: CVE-2026-12345"],
    )


def test_everything_that_the_program_needs_or_carries_is_asked_about_and_nothing_else() -> None:
    found = {(one.ecosystem, one.name): one.version for one in audit.installed()}
    assert found["PyPI", "typing-extensions"] == metadata.version("typing_extensions")
    # Flask needs it, SQLAlchemy's driver is an extra, and that one's binary is an extra of the driver.
    assert {("PyPI", name) for name in ("werkzeug", "psycopg", "psycopg-binary")} <= found.keys()
    # No installation of the program runs with these: the tests' tools, and what Python brings.
    assert (
        not {("PyPI", name) for name in ("ir-workbench", "pytest-xdist", "pip", "setuptools")} & found.keys()
    )
    carried = {name for ecosystem, name in found if ecosystem == "npm"}
    assert carried == {"htmx.org", "d3", "@observablehq/plot"}


def test_every_exception_has_a_reason() -> None:
    assert [one for one in audit.ACCEPTED if len(one.reason.split()) < 3] == []


def test_what_was_not_done_is_neither_broken_nor_passed_over() -> None:
    assert [ended(code) for code in (SOUND, VULNERABLE, NOT_DONE, -9)] == [True, False, None, False]
    assert verdict({"pytest": True, "mypy": True}) == "everything holds"
    assert verdict({"pytest": True, "audit": None}) == "everything holds; not done: audit"
    assert verdict({"pytest": False, "audit": None, "mypy": True}) == "does not hold: pytest; not done: audit"
