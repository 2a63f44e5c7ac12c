"""The processes of `workbench serve`: none outlives it, and a database that hangs is told in time."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.databases import new_postgresql_database
from tests.postgresql import postgresql_server
from tests.servers import running_server
from tests.tree import ROOT


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def status(address: str) -> int:
    with urllib.request.urlopen(address, timeout=30) as answer:
        return int(answer.status)


def children(parent: int) -> set[int]:
    """The processes that a process started, and which have not ended."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True
    ).stdout
    rows = (line.split() for line in listed.splitlines())
    return {int(pid) for pid, above, state in rows if int(above) == parent and not state.startswith("Z")}


def runs(pid: int) -> bool:
    """Whether a process has not ended; one that nobody has waited for yet has."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def free(where: tuple[str, int]) -> bool:
    """Whether another server could listen there."""
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            again.bind(where)
        except OSError:
            return False
    return True


def refusal(address: str) -> int:
    with pytest.raises(urllib.error.HTTPError) as error:
        status(address)
    error.value.close()
    return error.value.code


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced_and_no_process_outlives_the_server(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--instance", str(tmp_path)]
    with running_server(command, log=tmp_path / "server.log", folder=ROOT) as address:
        where = (urlsplit(address).hostname or "", urlsplit(address).port or 0)
        mine = (pid for pid in children(os.getpid()) if children(pid))
        # Other tests of this process may have left a server of theirs.
        (master,) = (pid for pid in mine if str(tmp_path) in Path(f"/proc/{pid}/cmdline").read_text())
        until(lambda: len(children(master)) == 1)
        (killed,) = children(master)
        os.kill(killed, signal.SIGKILL)
        until(lambda: len(children(master) - {killed}) == 1)
        started = children(master)
        os.kill(master, signal.SIGKILL)
        until(lambda: not any(map(runs, started)))
        until(lambda: free(where))


@pytest.mark.slow
def test_a_database_that_hangs_is_told_in_time_and_needs_no_restart(tmp_path: Path) -> None:
    """A database server of its own, since it is stopped: it takes connections and says nothing."""
    command = [
        sys.executable,
        "-m",
        "workbench",
        "serve",
        "--port",
        "0",
    ]
    log = tmp_path / "server.log"
    with postgresql_server() as postgresql, new_postgresql_database(postgresql) as url:
        known = {"WORKBENCH_DATABASE_URL": url, "WORKBENCH_INSTANCE": str(tmp_path)}
        with running_server(command, log=log, folder=ROOT, environment=known) as address:
            postmaster = int(Path(postgresql.partition("host=")[2], "postmaster.pid").read_text().split()[0])
            stopped = {postmaster} | children(postmaster)
            for number in (signal.SIGSTOP, signal.SIGCONT):
                for pid in stopped:
                    os.kill(pid, number)
                if number == signal.SIGSTOP:
                    assert [refusal(f"{address}{path}") for path in ("/healthz", "/welcome")] == [503, 503]
            until(lambda: status(f"{address}/welcome") == 200)
            assert status(f"{address}/healthz") == 200
    assert log.read_text(encoding="utf-8").count("ERROR workbench.web.errors") == 1
