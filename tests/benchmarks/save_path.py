"""The save path under load: judgments a second and the processor's milliseconds of each, at real servers.

Every robot does what the desk's script does: documents ahead in tens, one request for each answer, and the
next as soon as the last is acknowledged. The robots are `robots`: one process.

`python -m tests.benchmarks.save_path load` tells, for 1, 8 and 32 robots, judgments a second, milliseconds of
a save (median, 99th percentile, most), processor milliseconds of the server for each judgment with its share
of the documents, the requests made (judgments and documents ahead), and whatever went wrong. `others` is the
share of all processors that other programs had meanwhile, PostgreSQL among them: where it is not near 0, only
the processor's milliseconds say something.
`--engine postgresql` uses a server of its own whose commits wait for the disk.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from urllib.parse import quote, urlsplit

from sqlalchemy import select, update

from tests.benchmarks.crowd import (
    A_REQUEST,
    AHEAD,
    SLUG,
    Material,
    Said,
    Trial,
    differences,
    figures,
    make_trial,
)
from tests.benchmarks.robots import Conversation, Robots, machine_seconds, processor_seconds, request
from tests.databases import new_postgresql_database, opened
from tests.postgresql import DURABLE, SERVER_OPTIONS, postgresql_server
from tests.servers import running_server
from tests.tree import ROOT
from workbench.pooling.near_duplicate_documents import sketch
from workbench.records import Document, Topic
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.storage.tables import DocumentRow
from workbench.web.requests import read_id

TOPICS = 32
# At 1,500 judgments a second 32 robots come to the end of a topic after ten seconds, all at once: the pages
# of the next one, which nobody opens at one moment with 31 others, would count as saves that waited.
DEPTH = 500
ROBOTS = 32
WORDS = 400
WARM = 20


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("load",))
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    print(
        "engine      robots  a second   median    99 %    most ms   processor ms  others"
        "  saves  documents  wrong"
    )
    wrong = 0
    for robots in given.robots:
        found = load(given.engine, robots, given.seconds)
        wrong += len(found.wrong)
        saved = figures(found.saving)
        print(
            f"{given.engine:<12}{robots:>6}{len(found.saving) / found.seconds:>10.0f}"
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


def load(engine: str, robots: int, seconds: float) -> Load:
    """Robots judge for some seconds at a server; what they sent is then compared."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-save-path-")))
        url = stack.enter_context(_address(engine, folder))
        database = stack.enter_context(opened(url))
        migrate(database)
        trial = make_trial(database, _material(), assessors=ROBOTS, depth=DEPTH, each=2)
        _sketch(database)
        command = [sys.executable, "-m", "workbench", "serve", "--port", "0"]
        environment = {"WORKBENCH_DATABASE_URL": url, "WORKBENCH_INSTANCE": str(folder)}
        with running_server(
            command, log=folder / "server.log", folder=ROOT, environment=environment
        ) as address:
            crowd = _Crowd(address, trial, robots, url)
            crowd.work(seconds)
        crowd.found.wrong += differences(database, crowd.sent)
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
    documents: list[Document] = []
    lines = []
    for topic in topics:
        for rank in range(1, DEPTH + 1):
            docno = f"DOC-{topic.id}-{rank:03}"
            documents.append(Document(docno, f"Title of {docno}", text_of(len(documents))))
            lines.append(f"{topic.id} Q0 {docno} {rank} {DEPTH - rank} alpha\n")
    return Material(topics, documents, [("alpha", "".join(lines).encode())])


def text_of(number: int) -> str:
    """The text of a document: five paragraphs, some 3 kB, always the same for its number."""
    lot = random.Random(number)
    return "\n\n".join(" ".join(f"word{lot.randrange(20_000)}" for _ in range(WORDS // 5)) for _ in range(5))


def _sketch(database: Database) -> None:
    """Have the sketches made of all texts, as they are once for each while people judge."""
    with database.writing() as db:
        found = db.execute(select(DocumentRow.campaign_id, DocumentRow.docno, DocumentRow.text))
        rows = [
            {"campaign_id": campaign, "docno": docno, "sketch": sketch(text)}
            for campaign, docno, text in found
        ]
        db.execute(update(DocumentRow), rows)


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
        self._used = self._own = self._seconds = 0.0
        self._all = (0.0, 0.0)
        self.found = Load()
        self.sent: dict[str, list[Said]] = {name: [] for name in self._names}

    def work(self, seconds: float) -> None:
        """Let every robot open its topic, judge a little, then for so many timed seconds."""
        self._seconds = seconds
        robots = Robots(self._where)
        robots.converse([self._judge(name) for name in self._names], self._begin_once_warm)
        self.found.wrong += robots.wrong
        self.found.seconds = time.perf_counter() - self._begin
        used = processor_seconds(self._tag) - self._used
        all_used, all_there = (now - then for now, then in zip(machine_seconds(), self._all, strict=True))
        self.found.others = (all_used - used - time.process_time() + self._own) / all_there
        self.found.processor_ms = 1000 * used / max(len(self.found.saving), 1)

    def _begin_once_warm(self) -> None:
        if self._begin == float("inf") and all(len(self.sent[name]) >= WARM for name in self._names):
            self._used, self._all = processor_seconds(self._tag), machine_seconds()
            self._own, self._begin = time.process_time(), time.perf_counter()
            self._end = self._begin + self._seconds

    def _judge(self, name: str) -> Conversation:
        head = f"Host: {self._where[0]}\r\nCookie: workbench={self._trial.tokens[name]}\r\n"
        head += "Accept: application/json\r\n"
        for number, topic in self._trial.assignments[name]:
            page = yield request("GET", f"/c/{SLUG}/judge/{number}", head)
            work = json.loads(unescape(page.body.decode().split("data-work='", 1)[1].split("'", 1)[0]))
            order = work["order"]
            for begin in range(0, AHEAD, A_REQUEST):
                yield from self._documents(number, order[begin : begin + A_REQUEST], head)
            for place, docno in enumerate(order):
                if time.perf_counter() > self._end:
                    return
                said = str(uuid.uuid4()), topic, read_id(docno), place % 4
                event = {"kind": "answer", "assignment": number, "docno": docno, "client_id": said[0]}
                event |= {"answer": "grade", "grade": said[3], "active_ms": 900}
                sent = json.dumps({"account": work["account"], "events": [event]}).encode()
                begun = time.perf_counter()
                answer = yield request("POST", "/desk/events", head, sent)
                now = time.perf_counter()
                if self._begin < begun:
                    self.found.saving.append(now - begun)
                if answer.status != 200 or b'"recorded"' not in answer.body:
                    self.found.wrong.append(f"{name}: {answer.body[:200]!r}")
                self.sent[name].append(said)
                if place % A_REQUEST == 0 and place + AHEAD < len(order):
                    self.found.fetched += self._begin < begun
                    further = order[place + AHEAD : place + AHEAD + A_REQUEST]
                    yield from self._documents(number, further, head)

    def _documents(self, number: int, docnos: Sequence[str], head: str) -> Conversation:
        query = "&".join(f"docno={quote(docno, safe='')}" for docno in docnos)
        answer = yield request("GET", f"/c/{SLUG}/judge/{number}/documents?{query}", head)
        if answer.status != 200:
            self.found.wrong.append(f"documents: {answer.status} {answer.body[:200]!r}")


if __name__ == "__main__":
    main()
