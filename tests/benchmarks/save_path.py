"""The save path under load: judgments a second and the processor's milliseconds of each, at real servers.

Every robot does what the desk's script does: documents ahead in tens, one request for each answer, and the
next as soon as the last is acknowledged. The robots are one process without threads, so that most of the
machine is the server's.

`python -m tests.benchmarks.save_path load` tells, for 1, 8 and 32 robots, judgments a second, milliseconds of
a save (median, 99th percentile, most), processor milliseconds of the server for each judgment with its share
of the documents, the requests made (judgments and documents ahead), and whatever went wrong. `others` is the
share of all processors that other programs had meanwhile, PostgreSQL among them: where it is not near 0, only
the processor's milliseconds say something. `--processes 1 2` tells the same for so many processes, one after
the other; `--engine postgresql` uses a server of its own whose commits wait for the disk.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import selectors
import socket
import sys
import tempfile
import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from urllib.parse import quote, urlsplit

from sqlalchemy import insert, select

from tests.benchmarks.assessors import figures
from tests.benchmarks.crowd import A_REQUEST, AHEAD, SLUG, Material, Seen, Trial, differences, make_trial
from tests.databases import new_postgresql_database, opened
from tests.postgresql import DURABLE, SERVER_OPTIONS, postgresql_server
from tests.servers import running_server
from tests.tree import ROOT
from workbench.pooling.near_duplicate_documents import sketch
from workbench.records import Document, Topic
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.storage.tables import DocumentRow, DocumentSketchRow
from workbench.web.ids import read_id

TOPICS = 32
DEPTH = 300
ROBOTS = 32
WORDS = 400
WARM = 20
CLOCK = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("load",))
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--processes", type=int, nargs="+", default=[1])
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    print(
        "engine      processes robots  a second   median    99 %    most ms   processor ms  others"
        "  saves  documents  wrong"
    )
    wrong = 0
    for processes in given.processes:
        for robots in given.robots:
            found = load(given.engine, processes, robots, given.seconds)
            wrong += len(found.wrong)
            saved = figures(found.saving)
            print(
                f"{given.engine:<12}{processes:>8}{robots:>8}{len(found.saving) / found.seconds:>10.0f}"
                f"{saved.median:>9.1f}{saved.p99:>8.1f}{saved.most:>8.1f}{found.processor_ms:>14.2f}"
                f"{found.others:>8.0%}{len(found.saving):>7}{found.fetched:>11}{len(found.wrong):>7}",
                flush=True,
            )
            for each in found.wrong[:5]:
                print(f"  {each}")
    sys.exit(int(bool(wrong)))


@dataclass(slots=True)
class Load:
    """What robots saw: seconds of each save, requests for documents, seconds in all.

    Of the machine: the server's processor time for a judgment, the share of other programs.
    """

    saving: list[float] = field(default_factory=list)
    seconds: float = 0.0
    fetched: int = 0
    processor_ms: float = 0.0
    others: float = 0.0
    wrong: list[str] = field(default_factory=list)


def load(engine: str, processes: int, robots: int, seconds: float) -> Load:
    """Robots judge for some seconds at a server of so many processes; what they sent is then compared."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-save-path-")))
        url = stack.enter_context(_address(engine, folder))
        database = stack.enter_context(opened(url))
        migrate(database)
        trial = make_trial(database, _material(), assessors=ROBOTS, depth=DEPTH, each=2)
        _sketch(database)
        command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--instance", str(folder)]
        command += ["--workers", str(processes)]
        environment = {"WORKBENCH_DATABASE_URL": url}
        with running_server(
            command, log=folder / "server.log", folder=ROOT, environment=environment
        ) as address:
            crowd = _Crowd(address, trial, robots, url)
            crowd.work(seconds)
        seen = Seen(sent=crowd.sent)
        crowd.found.wrong += differences(database, seen)
        lines = (folder / "server.log").read_text().splitlines()
        crowd.found.wrong += [line for line in lines if "ERROR" in line or "Traceback" in line]
    return crowd.found


@contextmanager
def _address(engine: str, folder: Path) -> Iterator[str]:
    if engine == "sqlite":
        yield f"sqlite:///{folder / 'workbench.sqlite3'}"
        return
    with postgresql_server(SERVER_OPTIONS | DURABLE) as server, new_postgresql_database(server) as url:
        yield url


def _material() -> Material:
    """Topics of as many documents as are judged, each some 3 kB of words drawn by a fixed seed."""
    topics = [Topic(str(number), f"topic {number}") for number in range(1, TOPICS + 1)]
    lot, words = random.Random(16), [f"word{number}" for number in range(20_000)]
    documents, lines = [], []
    for topic in topics:
        for rank in range(1, DEPTH + 1):
            docno = f"DOC-{topic.id}-{rank:03}"
            text = "\n\n".join(" ".join(lot.choices(words, k=WORDS // 5)) for _ in range(5))
            documents.append(Document(docno, f"Title of {docno}", text))
            lines.append(f"{topic.id} Q0 {docno} {rank} {DEPTH - rank} alpha\n")
    return Material(topics, documents, [("alpha", "".join(lines).encode())])


def _sketch(database: Database) -> None:
    """Have the sketches made of all texts, as they are once for each while people judge."""
    with database.writing() as db:
        found = db.execute(
            select(DocumentRow.campaign_id, DocumentRow.docno, DocumentRow.text, DocumentRow.sha256)
        )
        rows = [
            {"campaign_id": campaign, "docno": docno, "sha256": sha256, "sketch": sketch(text)}
            for campaign, docno, text, sha256 in found
        ]
        db.execute(insert(DocumentSketchRow), rows)


Conversation = Generator[bytes, bytes, None]
"""Yields requests, and is sent the body of each answer."""


class _Crowd:
    """Robots that share one thread: each has a connection, and waits for its answer."""

    def __init__(self, address: str, trial: Trial, robots: int, tag: str) -> None:
        parts = urlsplit(address)
        self._where = (parts.hostname or "", parts.port or 80)
        self._trial = trial
        self._names = sorted(trial.assignments)[:robots]
        self._tag = tag
        self._end = float("inf")
        self._begin = float("inf")
        self.found = Load()
        self.sent: dict[str, list[tuple[str, str, str, int | None]]] = {name: [] for name in self._names}

    def work(self, seconds: float) -> None:
        """Let every robot open its topic, judge a little, then for so many timed seconds."""
        selector = selectors.DefaultSelector()
        for name in self._names:
            line = socket.create_connection(self._where)
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            robot = _Robot(line, self._judge(name))
            selector.register(line, selectors.EVENT_READ, robot)
            robot.ask(next(robot.conversation))
        used, all_used, all_there = 0.0, 0.0, 0.0
        while selector.get_map():
            if self._begin == float("inf") and all(len(self.sent[name]) >= WARM for name in self._names):
                used, self._begin = _processor_seconds(self._tag), time.perf_counter()
                all_used, all_there = _machine_seconds()
                all_used -= used + time.process_time()
                self._end = self._begin + seconds
            for key, _ in selector.select(timeout=30) or self._silent(selector):
                robot = key.data
                try:
                    robot.read()
                    body = robot.answer()
                    if body is not None:
                        robot.ask(robot.conversation.send(body))
                except (StopIteration, OSError, ValueError) as error:
                    if not isinstance(error, StopIteration):
                        self.found.wrong.append(f"{type(error).__name__}: {error}")
                    selector.unregister(robot.line)
                    robot.line.close()
        self.found.seconds = time.perf_counter() - self._begin
        now_used, (now_all_used, now_all_there) = _processor_seconds(self._tag), _machine_seconds()
        self.found.others = (now_all_used - now_used - time.process_time() - all_used) / (
            now_all_there - all_there
        )
        used = now_used - used
        self.found.processor_ms = 1000 * used / max(len(self.found.saving), 1)

    def _silent(self, selector: selectors.BaseSelector) -> Sequence[tuple[selectors.SelectorKey, int]]:
        raise RuntimeError(f"no answer for 30 s to {len(selector.get_map())} robots: {self.found.wrong[:5]}")

    def _judge(self, name: str) -> Conversation:
        head = f"Host: {self._where[0]}\r\nCookie: workbench={self._trial.tokens[name]}\r\n"
        head += "Accept: application/json\r\n"
        for number, topic in self._trial.assignments[name]:
            page = yield _request("GET", f"/c/{SLUG}/judge/{number}", head)
            work = json.loads(unescape(page.decode().split("data-work='", 1)[1].split("'", 1)[0]))
            order = work["order"]
            for begin in range(0, AHEAD, A_REQUEST):
                yield self._documents(number, order[begin : begin + A_REQUEST], head)
            for place, docno in enumerate(order):
                if time.perf_counter() > self._end:
                    return
                said = str(uuid.uuid4()), topic, read_id(docno), place % 4
                event = {"kind": "answer", "assignment": number, "docno": docno, "client_id": said[0]}
                event |= {"answer": "grade", "grade": said[3], "active_ms": 900}
                sent = json.dumps({"account": work["account"], "events": [event]}).encode()
                begun = time.perf_counter()
                answer = yield _request("POST", "/desk/events", head, sent)
                now = time.perf_counter()
                if self._begin < begun:
                    self.found.saving.append(now - begun)
                if json.loads(answer)["receipts"][0]["outcome"] != "recorded":
                    self.found.wrong.append(f"{name}: {answer[:200]!r}")
                self.sent[name].append(said)
                if place % A_REQUEST == 0 and place + AHEAD < len(order):
                    self.found.fetched += self._begin < begun
                    yield self._documents(number, order[place + AHEAD : place + AHEAD + A_REQUEST], head)

    @staticmethod
    def _documents(number: int, docnos: Sequence[str], head: str) -> bytes:
        query = "&".join(f"docno={quote(docno, safe='')}" for docno in docnos)
        return _request("GET", f"/c/{SLUG}/judge/{number}/documents?{query}", head)


class _Robot:
    """One connection, and what was received of the answer so far."""

    def __init__(self, line: socket.socket, conversation: Conversation) -> None:
        self.line = line
        self.conversation = conversation
        self._received = bytearray()

    def ask(self, request: bytes) -> None:
        """Send a request, which is small."""
        self.line.sendall(request)

    def read(self) -> None:
        """Take what has arrived; raises OSError where the server hung up."""
        more = self.line.recv(1 << 18)
        if not more:
            raise ConnectionError("the server hung up")
        self._received += more

    def answer(self) -> bytes | None:
        """The body of a whole answer, or None; raises ValueError where it is no 2xx."""
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = self._received[:end].lower()
        length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
        if len(self._received) < end + 4 + length:
            return None
        body = bytes(self._received[end + 4 : end + 4 + length])
        self._received.clear()
        if not head.startswith(b"http/1.1 2"):
            raise ValueError(f"{head[:40]!r} {body[:200]!r}")
        return body


def _request(method: str, path: str, head: str, body: bytes = b"") -> bytes:
    more = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
    return f"{method} {path} HTTP/1.1\r\n{head}{more}\r\n".encode() + body


def _processor_seconds(tag: str) -> float:
    """What the processes have used so far whose environment has the database's address, this one left out."""
    used = 0.0
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            if tag.encode() not in (process / "environ").read_bytes():
                continue
            times = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        used += (int(times[11]) + int(times[12])) / CLOCK
    return used


def _machine_seconds() -> tuple[float, float]:
    """Seconds that all processors have been busy since the start of the machine, and that there have been."""
    ticks = [int(one) for one in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / CLOCK, sum(ticks) / CLOCK


if __name__ == "__main__":
    main()
