"""What each of an organiser's pages costs in a campaign of TREC's size, and in one of ten times that.

`python -m tests.benchmarks.scale build FILE --size L` generates a campaign of this size: S (130 runs, 50
topics, 95,804 pairs, 99,038 judgments), L (1,000 runs, 500 topics, 1,007,261 pairs, 3,000,000 judgment
events, 2,000,000 documents) or M, a tenth of L. In the place of FILE there may be the address of an empty
PostgreSQL database, as `python -m tests.postgresql FOLDER` gives one that stays; `--postgresql` builds in a
server that is gone afterwards, and measures there.

`python -m tests.benchmarks.scale measure FILE` asks for each page in a process of its own: first, again, and
after a judgment was saved, with the seconds, the processor's seconds and the most memory of the process. Of
a page that fills in, the first request is told apart from those until it is whole. The processor's seconds of
PostgreSQL count too where it runs on this machine.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import resource
import sqlite3
import tempfile
import time
import uuid
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

# As the program does: threads for such small matrices only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from flask.testing import FlaskClient
from sqlalchemy import event, select

from tests.benchmarks.large_campaign import ORGANISER, SIZES, SLUG, build
from tests.databases import opened
from tests.postgresql import postgresql_server, processor_seconds
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.storage.migrate import migrate
from workbench.storage.tables import JudgmentEventRow, PoolRow, RunRow
from workbench.web.app import create_app
from workbench.workflow.people.accounts import account_by_login
from workbench.workflow.people.signing_in import open_session

PAGES = {
    "overview": "",
    "topics": "topics",
    "one topic": "topics/topic?topic=410",
    "assignments": "assignments",
    "judgments": "judgments",
    "judgments.tsv": "judgments/all.tsv",
    "judgments.jsonl": "judgments/all.jsonl",
    "judgment groups": "qrels/groups",
    "documents": "documents",
    "runs": "runs",
    "pools": "pools",
    "pool": "pools/{pool}",
    "pool's topic": "pools/{pool}/topic?topic=410",
    "pool's pairs.tsv": "pools/{pool}/pairs.tsv",
    "agreement": "agreement",
    "agreement by topic": "agreement/topics",
    "assessors": "agreement/assessors",
    "adjudication": "adjudication",
    "qrels": "qrels",
    "qrels file": "qrels/file",
    "rules": "qrels/rules",
    "scores": "scores",
    "leaderboard": "scores?measures=AP+nDCG%4010+P%4010+RR",
    "scores of a run": "scores/run?tag={run}",
    "scores of two runs": "scores/two?first={run}&second={other}",
    "scores by topic": "scores/topics",
    "analysis": "analysis",
    "trust": "trust",
    "releases": "releases",
    "people": "people",
    "settings": "settings",
}
AGAIN = 3
MOST_MEMORY = 14 * 2**30


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its status, seconds to the first byte and to the last, and the processor's seconds."""

    status: int
    first_byte: float
    seconds: float
    processor: float
    size: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What a page costs, first, again and after a save, and the process's most memory in MiB."""

    first: Asked
    again: Asked
    saved: Asked
    mebibytes: float


def main() -> None:
    """Build or measure, as the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("build", "measure"))
    parser.add_argument("file", nargs="?", metavar="FILE", help="or a PostgreSQL address")
    parser.add_argument("--size", choices=tuple(SIZES), default="S")
    parser.add_argument("--postgresql", action="store_true", help="build and measure in a server of its own")
    parser.add_argument("--seconds", type=float, default=120, help="the most that a page may take in all")
    parser.add_argument("--only", nargs="*", metavar="PAGE", choices=tuple(PAGES), default=tuple(PAGES))
    given = parser.parse_args()
    if given.postgresql:
        with postgresql_server() as url:
            _build(url, given.size)
            _measure(url, given.only, given.seconds)
    elif given.file is None:
        parser.error("name the file")
    elif given.what == "build":
        _build(address(given.file), given.size)
    else:
        _measure(address(given.file), given.only, given.seconds)


def address(given: str) -> str:
    """The address of a database that is given as a file of SQLite, or as an address."""
    return given if given.startswith("postgresql:") else f"sqlite:///{given}"


def _build(url: str, size: str) -> None:
    begin = time.monotonic()
    with opened(url) as database:
        if database.embedded:
            event.listen(database.engine, "connect", _without_waiting)
        migrate(database)
        build(database, SIZES[size])
    print(f"size {size} built in {time.monotonic() - begin:.0f} s")


def _without_waiting(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA synchronous = OFF")


def _measure(url: str, names: tuple[str, ...], seconds: float) -> None:
    with opened(url) as database, database.writing() as db:
        pool = db.scalar(select(PoolRow.id))
        run, other = db.scalars(select(RunRow.tag).order_by(RunRow.id).limit(2))
        token = open_session(db, account_by_login(db, ORGANISER)).token
    print(
        f"{'page':22} {'first':>16} {'again':>16} {'after a save':>16} {'MiB':>7} {'status':>6} {'bytes':>11}"
    )
    for name in names:
        path = f"/c/{SLUG}/" + PAGES[name].format(pool=pool, run=run, other=other)
        found = _alone(url, token, path, seconds)
        if isinstance(found, str):
            print(f"{name:22} {found}", flush=True)
            continue
        parts = " ".join(
            f"{one.seconds:8.3f}{one.processor:8.3f}" for one in (found.first, found.again, found.saved)
        )
        early = f"  first byte {found.saved.first_byte:.3f}" if found.saved.size > 2**20 else ""
        print(
            f"{name:22} {parts} {found.mebibytes:7.0f} {found.saved.status:6} {found.saved.size:11,}{early}",
            flush=True,
        )


def _alone(url: str, token: str, path: str, seconds: float) -> Cost | str:
    """What a page costs in a process of its own, or what became of that."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_ask, args=(theirs, url, token, path))
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            return f"> {seconds:.0f} s"
        found = ours.recv()
    except EOFError:
        return "the process has ended: no memory left, or an error"
    finally:
        process.kill()
        process.join()
    return found if isinstance(found, Cost) else str(found)


def _ask(channel: Connection, url: str, token: str, path: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    database = Database(url)
    folder_of_data = Path(str(database.engine.url.query.get("host", "")))
    data = folder_of_data if (folder_of_data / "postmaster.pid").exists() else None
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(read_settings({}, instance=Path(folder)), database)
        client = app.test_client()
        client.set_cookie("workbench", token)
        gc.collect()
        gc.freeze()  # as a server does when it starts
        first = _get(client, path, data)
        again = _middle([_get(client, path, data) for _ in range(AGAIN)])
        saved = []
        for number in range(AGAIN):
            # The newest event is the one before: twice as far back is another pair.
            save_another(database, 2 * number)
            saved.append(_get(client, path, data))
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        channel.send(Cost(first, again, _middle(saved), most))


def _middle(several: list[Asked]) -> Asked:
    return sorted(several, key=lambda one: one.seconds)[len(several) // 2]


def _get(client: FlaskClient, path: str, data: Path | None) -> Asked:
    begin, processor = time.perf_counter(), _processor(data)
    answer = client.get(path, buffered=False)
    parts = answer.iter_encoded()
    size = len(next(iter(parts), b""))
    first = time.perf_counter() - begin
    size += sum(map(len, parts))
    answer.close()
    taken = time.perf_counter() - begin
    return Asked(answer.status_code, first, taken, _processor(data) - processor, size)


def _processor(data: Path | None) -> float:
    return time.process_time() + (processor_seconds(data) if data else 0)


def save_another(database: Database, back: int = 0) -> None:
    """One more grade of the pair that an event was about, as a save adds it, whatever was answered then.

    It is the newest event, or one so many before it: a pair for each save, as assessors go on.
    """
    with database.writing() as db:
        newest = select(JudgmentEventRow).order_by(JudgmentEventRow.id.desc())
        row = db.scalars(newest.offset(back).limit(1)).one()
        columns = [column.name for column in JudgmentEventRow.__table__.columns]
        values = {name: getattr(row, name) for name in columns if name != "id"}
        values |= {"client_id": str(uuid.uuid4()), "answer": "grade", "grade": int(not row.grade)}
        append_events(db, [values])


if __name__ == "__main__":
    main()
