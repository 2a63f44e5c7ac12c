"""The processes of `workbench serve`: unfinished requests stop nobody, and no process outlives it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.databases import new_postgresql_database
from tests.postgresql import postgresql_server
from tests.servers import running_server
from tests.tree import ROOT

UNFINISHED = b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\nlogin=a"


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


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """The address of a server with two workers, and the number of the process that started them."""
    command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--workers", "2"]
    log = tmp_path / "server.log"
    with running_server([*command, "--instance", str(tmp_path)], log=log, folder=ROOT) as address:
        (master,) = (pid for pid in children(os.getpid()) if len(children(pid)) == 2)
        yield address, master


@pytest.mark.slow
def test_unfinished_requests_and_killed_processes_stop_nobody(server: tuple[str, int]) -> None:
    address, master = server
    where = (urlsplit(address).hostname or "", urlsplit(address).port or 0)
    with ExitStack() as connections:
        for _ in range(40):
            connection = connections.enter_context(socket.create_connection(where))
            connection.sendall(UNFINISHED)
        assert [status(f"{address}{path}") for path in ("/welcome", "/healthz") * 4] == [200] * 8

    before = children(master)
    os.kill(min(before), signal.SIGKILL)
    until(lambda: len(children(master) - before) == 1)
    assert status(f"{address}/welcome") == 200

    workers = children(master)
    os.kill(master, signal.SIGKILL)
    until(lambda: not any(map(runs, workers)))
    # The last thread of a process closes its sockets, which may be after its first one has ended.
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
    assert log.read_text(encoding="utf-8").count("the database does not respond") == 1
