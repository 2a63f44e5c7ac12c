"""PostgreSQL is frozen, comes back, and is gone: every request ends in time, and the log stays short."""

from __future__ import annotations

import http.client
import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.builders import pooled_campaign
from tests.databases import opened
from tests.postgresql import postgresql_server
from tests.servers import running_server
from tests.tree import ROOT
from workbench.storage.migrate import migrate
from workbench.storage.tables import AccountRow
from workbench.workflow.people.accounts import account_from
from workbench.workflow.people.signing_in import open_session

PAGES = ("/healthz", "/", "/account", "/c/harbour/", "/c/harbour/scores", "/c/harbour/people")
# Of the longest time limit of these pages, with time to answer on a busy machine.
LONGEST = 110


@dataclass(frozen=True, slots=True)
class Served:
    """A server of its own over a PostgreSQL of its own, which can be stopped by signals."""

    address: str
    token: str
    data: Path
    log: Path

    def statuses(self) -> set[tuple[int, bool, bool]]:
        """What the pages are answered with at once: status, whether it says when to retry, has a body."""
        found: list[tuple[int, bool, bool]] = []
        threads = [threading.Thread(target=lambda page=page: found.append(self._ask(page))) for page in PAGES]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == len(PAGES)
        return set(found)

    def _ask(self, page: str) -> tuple[int, bool, bool]:
        parts = urlsplit(self.address)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=LONGEST)
        try:
            connection.request("GET", page, headers={"Cookie": f"workbench={self.token}"})
            answer = connection.getresponse()
            return answer.status, answer.getheader("Retry-After") is not None, bool(answer.read())
        finally:
            connection.close()

    def signal(self, number: int) -> None:
        """Send a signal to PostgreSQL and all its processes."""
        server = int((self.data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        for process in (server, *map(int, children)):
            os.kill(process, number)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with postgresql_server() as url:
        with opened(url) as database:
            migrate(database)
            with database.writing() as db:
                made, _ = pooled_campaign(db)
                token = open_session(db, account_from(db.get_one(AccountRow, made.organiser))).token
        command = [sys.executable, "-m", "workbench", "serve", "--port", "0"]
        log = tmp_path / "server.log"
        environment = {"WORKBENCH_DATABASE_URL": url, "WORKBENCH_INSTANCE": str(tmp_path)}
        with running_server(command, log=log, folder=ROOT, environment=environment) as address:
            yield Served(address, token, Path(url.partition("host=")[2]), log)


@pytest.mark.slow
def test_a_database_that_is_away_ends_every_request_and_returns_without_a_restart(served: Served) -> None:
    assert served.statuses() == {(200, False, True)}
    served.signal(signal.SIGSTOP)
    assert served.statuses() == {(503, True, True)}
    assert served.statuses() == {(503, True, True)}
    served.signal(signal.SIGCONT)
    assert served.statuses() == {(200, False, True)}
    before = len(served.log.read_text().splitlines())
    served.signal(signal.SIGKILL)
    for _ in range(20):
        assert served.statuses() == {(503, True, True)}
    said = served.log.read_text().splitlines()[before:]
    # One line of each of the two processes, at most one more when a minute has passed.
    assert len(said) <= 4, said
