"""The server: unfinished requests hold nothing up, bodies are bounded, large files are sent whole."""

from __future__ import annotations

import http.client
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.benchmarks.unfinished import FILES, FORM, request_head, unfinished
from tests.builders import pooled_campaign, send_runs
from tests.databases import opened_copy
from tests.servers import running_server
from tests.tree import ROOT
from workbench.storage.tables import AccountRow
from workbench.web.access import BYTES_FROM_STRANGERS, BYTES_OF_A_FORM
from workbench.workflow.people.accounts import account_from
from workbench.workflow.people.signing_in import open_session

SOON = 10.0
"""Seconds within which the health check answers beside anything."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where it is, and the token of an organiser."""

    address: str
    organiser: str

    def asked(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
        """The status and body of an answer."""
        parts = urlsplit(self.address)
        with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)) as connection:
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()

    @property
    def cookie(self) -> str:
        """By which the organiser is signed in."""
        return f"workbench={self.organiser}"


@pytest.fixture(scope="module")
def site(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with opened_copy(migrated_sqlite, folder) as database, database.writing() as db:
        made, _ = pooled_campaign(db)
        token = open_session(db, account_from(db.get_one(AccountRow, made.organiser))).token
        send_runs(db, made.campaign.id, long={"T1": [f"doc{rank}" for rank in range(100_000)]})
    command = [sys.executable, "-m", "workbench", "serve", "--port", "0"]
    environment = {"WORKBENCH_INSTANCE": str(folder)}
    with running_server(command, log=folder / "server.log", folder=ROOT, environment=environment) as address:
        yield Site(address, token)


def test_strangers_with_unfinished_bodies_hold_nobody_up(site: Site) -> None:
    with ExitStack() as stack:
        stack.enter_context(unfinished(site.address, request_head("/sign-in", FORM, 60_000), 96))
        upload = request_head("/c/harbour/documents", FILES, 10**8, site.organiser)
        stack.enter_context(unfinished(site.address, upload, 64, part=1024))
        time.sleep(1)
        for path in ("/healthz", "/c/harbour/"):
            begun = time.monotonic()
            assert site.asked("GET", path, Cookie=site.cookie)[0] == 200
            assert time.monotonic() - begun < SOON


def test_how_large_a_body_may_be_depends_on_the_page_and_on_who_sends_it(site: Site) -> None:
    files, form = {"Content-Type": FILES}, {"Content-Type": FORM}
    own = {"Cookie": site.cookie}
    large = b"a=" + b"b" * BYTES_FROM_STRANGERS
    assert site.asked("POST", "/sign-in", large, **form)[0] == 413
    assert site.asked("POST", "/c/harbour/documents", large, **files)[0] == 413
    assert site.asked("POST", "/c/harbour/documents", large, **files, Cookie="workbench=made-up")[0] == 413
    # Read, and then refused for what it is.
    assert site.asked("POST", "/c/harbour/documents", large, **files, **own)[0] in {303, 422}
    assert site.asked("POST", "/c/harbour/settings", large, **form, **own)[0] != 413
    assert site.asked("POST", "/account/name", b"a=" + b"b" * BYTES_OF_A_FORM, **form, **own)[0] == 413
    assert site.asked("GET", "/healthz")[0] == 200


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(site: Site) -> None:
    parts = urlsplit(site.address)
    head = request_head("/sign-in", FORM, 10**9)
    with socket.create_connection((parts.hostname or "", parts.port), timeout=10) as connection:
        connection.sendall(head.encode() + b"\r\n\r\n")
        answer = connection.makefile("rb").read()
    assert b" 413 " in answer.splitlines()[0]
    assert b"exceeds a size limit of this server. Compress files" in answer


def test_a_large_file_is_sent_whole(site: Site) -> None:
    status, text = site.asked("GET", "/c/harbour/runs/file?tag=long", Cookie=site.cookie)
    assert (status, text.count(b"\n")) == (200, 100_000)
    assert b"doc99999 " in text.splitlines()[-1]
