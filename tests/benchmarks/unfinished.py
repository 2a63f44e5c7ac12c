"""Assessors who save beside requests that never end: `python -m tests.benchmarks.unfinished CF`.

Serves the campaign of `tests.benchmarks.assessors` by `workbench serve` on SQLite. Thirty assessors judge, at
about one answer a second each, for some seconds in each of four situations: nobody else is there; 40 sign-ins
of a stranger whose bodies stop after 7 of 60,000 bytes; 16 batches of answers of an assessor that do so; 64
uploads of an organiser of which a kilobyte a second arrives. A connection that the server closes is opened
again.

Told are milliseconds of saving and of fetching documents ahead, the ratio of their 99th percentiles to those
of the first situation, and what was refused or is missing in the database; if anything, the exit code is 1.
"""

from __future__ import annotations

import argparse
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from tests.benchmarks.assessors import figures, read_material
from tests.benchmarks.crowd import (
    ORGANISER,
    SLUG,
    Material,
    Seen,
    Trial,
    crowd_judges,
    differences,
    make_trial,
)
from tests.databases import opened
from tests.servers import running_server
from tests.tree import ROOT
from workbench.storage.migrate import migrate

FORM = "application/x-www-form-urlencoded"
FILES = "multipart/form-data; boundary=b"

Beside = Callable[[str, Trial], AbstractContextManager[None]]


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="as of tests.benchmarks.assessors")
    parser.add_argument("--assessors", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=20, help="of each situation")
    parser.add_argument("--pause", type=float, default=1.0, help="mean seconds between two answers")
    given = parser.parse_args()
    material = replace(read_material(given.folder), judgments=())
    first, is_wrong = None, False
    for name, beside in SITUATIONS.items():
        seen, wrong = _measured(given, material, beside)
        first = first or seen
        is_wrong = is_wrong or bool(wrong)
        print(_told(name, seen, first, wrong), flush=True)
    sys.exit(is_wrong)


def _measured(given: argparse.Namespace, material: Material, beside: Beside) -> tuple[Seen, list[str]]:
    with tempfile.TemporaryDirectory(prefix="workbench-unfinished-") as folder:
        url = f"sqlite:///{Path(folder) / 'workbench.sqlite3'}"
        command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--instance", folder]
        with opened(url) as database:
            migrate(database)
            trial = make_trial(database, material, assessors=given.assessors, depth=20, each=1)
            log = Path(folder) / "server.log"
            with running_server(command, log=log, folder=ROOT) as address, beside(address, trial):
                seen = crowd_judges(address, trial, seconds=given.seconds, pause=given.pause, warm=5, asks=())
            return seen, seen.wrong + differences(database, seen)


def _told(name: str, seen: Seen, first: Seen, wrong: list[str]) -> str:
    lines = [f"{name}: {len(seen.saving)} saves; milliseconds as median / 99 % / most"]
    for what, taken, alone in (
        ("saving", seen.saving, first.saving),
        ("documents ahead", seen.fetching, first.fetching),
    ):
        value, ratio = figures(taken), figures(taken).p99 / (figures(alone).p99 or 1)
        shown = f"{value.median:8.1f} / {value.p99:8.1f} / {value.most:8.1f}"
        lines.append(f"  {what:<16} {shown}   99 %: {ratio:.2f} times that of nobody else")
    return "\n".join([*lines, f"  refused or missing: {len(wrong)}", *(f"    {one}" for one in wrong[:3])])


class _Slow:
    """A connection that begins a request and sends a part of its body at a time, or nothing more."""

    def __init__(self, address: str, head: str, *, part: int) -> None:
        parts = urlsplit(address)
        self._where = (parts.hostname or "", parts.port or 0)
        self._head, self._part = head.encode(), part
        self._open()

    def _open(self) -> None:
        self._connection = socket.create_connection(self._where)
        self._connection.sendall(self._head + b"\r\n\r\nlogin=a")
        self._connection.setblocking(False)

    def go_on(self) -> None:
        """Send the next part; open the connection again if the server has answered or closed it."""
        try:
            if self._part:
                self._connection.send(bytes(self._part))
            self._connection.recv(1)
        except BlockingIOError:
            return
        except OSError:
            pass
        self.close()
        self._open()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def request_head(path: str, kind: str, length: int, token: str = "") -> str:
    """The head of a request that announces a body of so many bytes."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Type: {kind}", f"Content-Length: {length}"]
    return "\r\n".join([*lines, f"Cookie: workbench={token}"] if token else lines)


@contextmanager
def unfinished(address: str, head: str, count: int, *, part: int = 0) -> Iterator[None]:
    """So many connections whose requests never end; each sends a part of so many bytes a second."""
    connections = [_Slow(address, head, part=part) for _ in range(count)]
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(1):
            for one in connections:
                one.go_on()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        for one in connections:
            one.close()


@contextmanager
def _nobody(address: str, trial: Trial) -> Iterator[None]:
    yield


@contextmanager
def _strangers(address: str, trial: Trial) -> Iterator[None]:
    with unfinished(address, request_head("/sign-in", FORM, 60_000), 40):
        yield


@contextmanager
def _answers(address: str, trial: Trial) -> Iterator[None]:
    name = min(trial.assignments)
    with unfinished(
        address, request_head("/desk/events", "application/json", 60_000, trial.tokens[name]), 16
    ):
        yield


@contextmanager
def _uploads(address: str, trial: Trial) -> Iterator[None]:
    head = request_head(f"/c/{SLUG}/documents", FILES, 100_000_000, trial.tokens[ORGANISER])
    with unfinished(address, head, 64, part=1024):
        yield


SITUATIONS: dict[str, Beside] = {
    "nobody else": _nobody,
    "40 unfinished sign-ins": _strangers,
    "16 unfinished batches of answers": _answers,
    "64 slow uploads": _uploads,
}


if __name__ == "__main__":
    main()
