"""What a save costs in a long campaign, and how long it waits while a large pool is made.

`python -m tests.benchmarks.saving cost` gives one assessor 15,000 events and a topic of 2,000 pairs on
SQLite, and tells the processor's milliseconds of a save there, of one in an empty campaign, and their ratio.

`python -m tests.benchmarks.saving pool` generates 130 runs of 50 topics x 1,000 documents and serves them
from a real server. Six people save, first alone, then while the organiser makes a pool of all runs by the
form. Told are the 99th percentiles of both, their ratio, and everything that was refused or lost.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import statistics
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from sqlalchemy import insert, select

from tests.assigned import assign
from tests.benchmarks.assessors import figures
from tests.benchmarks.crowd import (
    AGAIN,
    ORGANISER,
    SLUG,
    Material,
    Seen,
    Trial,
    crowd_judges,
    differences,
    make_trial,
    renamed,
)
from tests.benchmarks.generated_runs import TOPICS, write_runs
from tests.builders import campaign_with_people, send_runs
from tests.databases import opened
from tests.servers import running_server
from tests.tree import ROOT
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Topic
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.storage.migrate import migrate
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.sync import receive
from workbench.workflow.pools.making import make_pool

PEOPLE = 6
PAUSE = 0.25
SAVES = 300
# Seconds: people save until the pool is made, and at most so long after it.
CHUNK = 15
LONG = (15_000, 2_000)
EMPTY = (0, 10)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("cost", "pool"))
    parser.add_argument("--runs", type=int, default=130)
    parser.add_argument("--depth", type=int, default=100, help="of the pool that is made")
    parser.add_argument("--alone", type=float, default=20, help="seconds in which people save alone")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workbench-saving-") as name:
        if given.what == "cost":
            _tell_cost(Path(name))
        else:
            sys.exit(_tell_pool(Path(name), given.runs, given.depth, given.alone))


def _tell_cost(folder: Path) -> None:
    long, empty = (cost(folder / f"{events}.sqlite3", events, pairs) for events, pairs in (LONG, EMPTY))
    for (events, pairs), taken in ((LONG, long), (EMPTY, empty)):
        print(f"{events:6,} own events, {pairs:5,} pairs a topic: {1000 * taken:.2f} ms of processor a save")
    print(f"ratio {long / empty:.2f}")


def cost(path: Path, events: int, pairs: int) -> float:
    """The median of the processor's seconds of a save, where an assessor has so many events and pairs."""
    with opened(f"sqlite:///{path}") as database:
        migrate(database)
        account, assignment, docnos = _topic(database, events, pairs)
        found = []
        for number in range(SAVES):
            event = {"kind": "answer", "assignment": assignment, "docno": docnos[number % pairs]}
            event |= {"answer": "grade", "grade": 1, "client_id": str(uuid.uuid4()), "active_ms": 900}
            begin = time.process_time()
            with database.writing() as db:
                (receipt,) = receive(db, account, [event])
            found.append(time.process_time() - begin)
            if receipt.outcome != "recorded":
                raise RuntimeError(receipt)
    return statistics.median(found)


def _topic(database: Database, events: int, pairs: int) -> tuple[int, int, list[str]]:
    """Ada's account, her assignment of topic T1 with so many pairs, and their docnos."""
    docnos = [f"E{number:05}" for number in range(pairs)]
    with database.writing() as db:
        made = campaign_with_people(db)
        campaign_id, ada = made.campaign.id, made.assessors["Ada"]
        send_runs(db, campaign_id, alpha={"T1": ["E00000"]})
        pool = make_pool(db, campaign_id, PoolRecipe(parameters={"depth": 1})).pool
        entry = {"pool_id": pool.id, "topic": "T1", "brought_by": [["alpha", 1]], "best_rank": 1}
        db.execute(insert(PoolEntryRow), [entry | {"docno": one, "run_count": 1} for one in docnos[1:]])
        db.get_one(PoolRow, pool.id).pairs = pairs
        assign(db, pool.id, topics=["T1"], assessor_ids=[ada])
        said = {"campaign_id": campaign_id, "assessor_id": ada, "answer": "grade", "grade": 1, "reason": ""}
        said |= {"comment": "", "source": "screen", "purpose": "judging", "recorded_at": datetime.now(UTC)}
        append_events(
            db,
            [
                said
                | {"topic": f"T{number % 40 + 2}", "docno": f"F{number}", "client_id": f"before-{number}"}
                for number in range(events)
            ],
        )
        (line,) = assignments_of(db, campaign_id)
    return made.accounts["Ada"], line.id, docnos


def _tell_pool(folder: Path, runs: int, depth: int, alone_seconds: float) -> int:
    files = folder / "runs"
    files.mkdir()
    write_runs(files, runs)
    material = Material(
        topics=[Topic(topic, f"topic {topic}") for topic in TOPICS],
        documents=[],
        runs=[(path.name, path.read_bytes()) for path in sorted(files.iterdir())],
    )
    url = f"sqlite:///{folder / 'workbench.sqlite3'}"
    command = [sys.executable, "-m", "workbench", "serve", "--port", "0"]
    with opened(url) as database:
        migrate(database)
        trial = make_trial(database, material, assessors=PEOPLE, depth=5)
        environment = {"WORKBENCH_DATABASE_URL": url, "WORKBENCH_INSTANCE": str(folder)}
        with running_server(
            command, log=folder / "server.log", folder=ROOT, environment=environment
        ) as address:
            alone = crowd_judges(address, trial, seconds=alone_seconds, pause=PAUSE, warm=5, asks=())
            made: list[tuple[int, float]] = []
            organiser = threading.Thread(target=lambda: made.append(_make_pool(address, trial, runs, depth)))
            organiser.start()
            beside = Seen()
            for number in itertools.takewhile(lambda _: organiser.is_alive(), itertools.count()):
                # Under another name the ids of their answers are others.
                part = crowd_judges(address, renamed(trial, number), seconds=CHUNK, pause=PAUSE, asks=())
                beside.saving += part.saving
                beside.wrong += part.wrong
                for name, sent in part.sent.items():
                    beside.sent[name.partition(AGAIN)[0]] += sent
            organiser.join()
        everything = Seen(sent=alone.sent)
        for name, sent in beside.sent.items():
            everything.sent[name] += sent
        wrong = alone.wrong + beside.wrong + differences(database, everything)
        with database.reading() as db:
            pools = db.execute(select(PoolRow.name, PoolRow.pairs, PoolRow.opened_at)).all()
    return _say_pool(alone.saving, beside.saving, made, [tuple(one) for one in pools], wrong)


def _make_pool(address: str, trial: Trial, runs: int, depth: int) -> tuple[int, float]:
    """The status that the organiser's form is answered with, and after how many seconds."""
    parts = urlsplit(address)
    form = [("strategy", "depth"), ("depth", str(depth)), ("ties", "trec_eval"), ("name", "large")]
    form += [("run", f"sys{number + 1:03}x") for number in range(runs)]
    headers = {"Cookie": f"workbench={trial.tokens[ORGANISER]}"}
    headers |= {"Content-Type": "application/x-www-form-urlencoded"}
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=600)
    begin = time.perf_counter()
    connection.request("POST", f"/c/{SLUG}/pools", urlencode(form), headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, time.perf_counter() - begin


def _say_pool(
    alone: Sequence[float],
    beside: Sequence[float],
    made: Sequence[tuple[int, float]],
    pools: Sequence[tuple[object, ...]],
    wrong: Sequence[str],
) -> int:
    (status, seconds), quiet, busy = made[0], figures(alone), figures(beside)
    print(f"the form was answered with {status} after {seconds:.1f} s; pools: {pools}")
    for name, one in (("alone", quiet), ("while the pool is made", busy)):
        print(
            f"saving {name:<24} median {one.median:7.1f}  99 % {one.p99:7.1f}  most {one.most:7.1f} ms"
            f"  ({one.count})"
        )
    print(f"ratio of the 99 %: {busy.p99 / quiet.p99:.1f}; wrong: {len(wrong)}")
    for each in wrong[:10]:
        print(f"  {each}")
    return int(bool(wrong) or status != 303)


if __name__ == "__main__":
    main()
