"""What a server may have to bear, each as a function that lets it happen and says what became of it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import psycopg

from tests.benchmarks.large_campaign import SLUG
from tests.benchmarks.unfinished import FILES, FORM, request_head, unfinished
from tests.faults.large_site import LargeSite
from tests.faults.trees import tree_of

JSON = "application/json"
LARGE = 114 * 2**20
LARGE_AT_ONCE = 8
DOCUMENT_BYTES = 3_000
HELD = (5, 20)
FROZEN = (8, 40)
AWAY = 8
END_SECONDS = 20
UPLOAD_SECONDS = 900
KILLED = frozenset(
    {
        "ConnectionResetError",
        "ConnectionRefusedError",
        "RemoteDisconnected",
        "BrokenPipeError",
        "IncompleteRead",
    }
)
"""How a connection ends whose other end was killed."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What happens for about so many seconds, and by which errors it may be noticed beside a refusal."""

    happen: Callable[[LargeSite, float], str]
    errors: frozenset[str] = frozenset()
    postgresql: bool = False


def _nobody_else(_: LargeSite, seconds: float) -> str:
    time.sleep(seconds)
    return f"{seconds:.0f} s"


def _unfinished(site: LargeSite, seconds: float) -> str:
    length = 60_000
    token = site.seats[0].token
    answers = request_head("/desk/events", JSON, length, token)
    upload = request_head(f"/c/{SLUG}/documents", FILES, 10**8, site.organiser)
    with ExitStack() as stack:
        stack.enter_context(unfinished(site.address, request_head("/sign-in", FORM, length), 40))
        stack.enter_context(unfinished(site.address, answers, 16))
        stack.enter_context(unfinished(site.address, upload, 64, part=1024))
        time.sleep(seconds)
    return "40 sign-ins, 16 batches of answers, 64 uploads"


def _much_json(site: LargeSite, seconds: float) -> str:
    answers = request_head("/desk/events", JSON, LARGE, site.seats[0].token)
    sign_in = request_head("/sign-in", JSON, LARGE)
    end = time.monotonic() + seconds
    said: Counter[str] = Counter()
    with ThreadPoolExecutor(LARGE_AT_ONCE) as threads:
        while time.monotonic() < end:
            heads = [answers, sign_in] * (LARGE_AT_ONCE // 2)
            said.update(threads.map(lambda head: _send_much(site.served.port, head), heads))
    return f"answered by {', '.join(f'{status} {count} times' for status, count in sorted(said.items()))}"


def _send_much(port: int, head: str) -> str:
    """Send a large body as far as it is taken; the status of the answer."""
    part = b"[" * 2**16
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        # The server answers at the head and closes, which ends the sending.
        with suppress(OSError):
            connection.sendall(head.encode() + b"\r\n\r\n")
            for _ in range(LARGE // len(part)):
                connection.sendall(part)
        with suppress(OSError):
            words = connection.recv(64).split()
            return words[1].decode() if len(words) > 1 else "closed"
    return "closed"


def _killed_worker(site: LargeSite, _: float) -> str:
    found = tree_of(site.supervisor)[1:]
    for process in found:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return f"{len(found)} processes killed"


def _killed_server(site: LargeSite, seconds: float) -> str:
    before = tree_of(site.supervisor)
    os.kill(site.supervisor, signal.SIGKILL)
    begun = time.monotonic()
    if site.served.process is not None:
        site.served.process.wait()
    while any(_runs(one) for one in before) and time.monotonic() < begun + END_SECONDS:
        time.sleep(0.1)
    ended = time.monotonic() - begun
    left = sum(map(_runs, before))
    # Raises OSError where a process that was left still has the port.
    socket.create_server(("127.0.0.1", site.served.port)).close()
    begun = time.monotonic()
    site.served.start()
    started = time.monotonic() - begun
    time.sleep(seconds / 2)
    return f"its processes ended after {ended:.1f} s ({left} left), it was there again after {started:.1f} s"


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _upload(site: LargeSite, _: float) -> str:
    mark, text = token_hex(3), "the harbour at high water " * (DOCUMENT_BYTES // 26)
    lines = (
        json.dumps({"id": f"new-{mark}-{number:06}", "title": "", "text": text}).encode()
        for number in range(LARGE // (DOCUMENT_BYTES + 40))
    )
    head = b'--b\r\nContent-Disposition: form-data; name="files"; filename="new.jsonl"\r\n\r\n'
    body = head + b"\n".join(lines) + b"\n\r\n--b--\r\n"
    headers = {"Cookie": f"workbench={site.organiser}", "Content-Type": FILES}
    begun = time.monotonic()
    with closing(
        http.client.HTTPConnection("127.0.0.1", site.served.port, timeout=UPLOAD_SECONDS)
    ) as connection:
        connection.request("POST", f"/c/{SLUG}/documents", body, headers)
        status = connection.getresponse().status
    return f"{len(body) / 2**20:.0f} MiB answered by {status} after {time.monotonic() - begun:.1f} s"


def _locked(site: LargeSite, _: float) -> str:
    for seconds in HELD:
        with _write_lock(site.url):
            time.sleep(seconds)
        time.sleep(1)
    return f"for {' and '.join(map(str, HELD))} s"


@contextmanager
def _write_lock(url: str) -> Iterator[None]:
    if url.startswith("sqlite"):
        with closing(
            sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=60)
        ) as held:
            held.execute("begin immediate")
            yield
            held.execute("rollback")
        return
    with psycopg.connect(url) as connection:
        connection.execute("lock table judgment_event in exclusive mode")
        yield
        connection.rollback()


def _frozen(site: LargeSite, _: float) -> str:
    server = site.postgresql
    if server is None:
        raise RuntimeError("only PostgreSQL can be frozen")
    for seconds in FROZEN:
        server.signal(signal.SIGSTOP)
        time.sleep(seconds)
        server.signal(signal.SIGCONT)
        time.sleep(2)
    return f"for {' and '.join(map(str, FROZEN))} s"


def _database_killed(site: LargeSite, _: float) -> str:
    server = site.postgresql
    if server is None:
        raise RuntimeError("only PostgreSQL can be killed")
    server.kill()
    time.sleep(AWAY)
    begun = time.monotonic()
    server.start()
    return f"started again after {AWAY} s, ready {time.monotonic() - begun:.1f} s later"


TROUBLES = {
    "nobody else": Trouble(_nobody_else),
    "unfinished bodies": Trouble(_unfinished),
    "much JSON": Trouble(_much_json),
    "killed worker": Trouble(_killed_worker),
    "killed server": Trouble(_killed_server, KILLED),
    "large upload": Trouble(_upload),
    "lock held": Trouble(_locked),
    "database frozen": Trouble(_frozen, postgresql=True),
    "database killed": Trouble(_database_killed, postgresql=True),
}
