"""Pooling again from stored runs, against building the same pool from their files.

`python -m tests.benchmarks.repooling` stores the first 71 of the generated runs of TREC-8's size (see
`generated_runs`) in SQLite and, where the tests' server can be started, in PostgreSQL, and then makes the
depth-100 pool as arrays: every pair with its best rank, and the sizes of all depths by topic. Told are the
least seconds in a process that has done so before (warm) and in a new one, after it has imported everything
and opened the database (cold); and how many times as fast that is as reading and pooling the files, which is
a process of its own too, told with and without the time that Python needs to begin.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.measuring import Program, compare
from tests.postgresql import postgresql_server
from tests.support import ROOT
from workbench.pooling.planning import growth_table
from workbench.pooling.run_tops import reached
from workbench.records import BINARY, Topic
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.workflow.campaigns.campaigns import campaign_by_slug, create_campaign
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.runs.packed_store import tops_of
from workbench.workflow.runs.store import add_runs

RUNS, DEPTH = 71, 100
SLUG = "repooling"


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9, help="how often each way is measured")
    parser.add_argument("--once", metavar="URL", help="pool once from this database and say the seconds")
    given = parser.parse_args()
    if given.once:
        print(*_pool_again(given.once, 1))
        return
    with tempfile.TemporaryDirectory(prefix="workbench-repooling-") as folder:
        files = _generated(Path(folder))
        nothing, whole = (
            compare([Program("files", (sys.executable, *command))], files, 3)[0].least
            for command in (("-c", "import tests.benchmarks.ours"), _from_files())
        )
        begun = f"{whole - nothing:.2f} s without the beginning of Python"
        print(f"from the files: {whole:.2f} s as a process, {begun}")
        for name, url in _databases(Path(folder)):
            stored = _stored(url, files)
            pairs, *warm = _pool_again(url, given.rounds)
            cold = [_in_a_new_process(url) for _ in range(given.rounds)]
            print(f"{name}: {len(files)} runs stored in {stored:.1f} s, pool of {pairs:.0f} pairs")
            for kind, seconds in (("warm", min(warm)), ("cold", min(cold))):
                print(f"  {kind} {seconds:.3f} s, {(whole - nothing) / seconds:.1f} x as fast as the files")


def _from_files() -> tuple[str, ...]:
    return "-m", "tests.benchmarks.ours", str(DEPTH), str(RUNS)


def _generated(folder: Path) -> list[str]:
    target = folder / "generated"
    target.mkdir()
    command = [sys.executable, "-m", "tests.benchmarks.generated_runs", str(target), str(RUNS)]
    subprocess.run(command, cwd=ROOT, check=True)
    return [str(path) for path in sorted(target.iterdir())]


def _databases(folder: Path) -> Iterator[tuple[str, str]]:
    yield "SQLite", f"sqlite:///{folder / 'workbench.sqlite3'}"
    with postgresql_server() as url:
        yield "PostgreSQL", url


@contextmanager
def _opened(url: str) -> Iterator[Database]:
    database = Database(url)
    try:
        yield database
    finally:
        database.close()


def _stored(url: str, files: list[str]) -> float:
    """Store the runs as a campaign; returns the seconds."""
    with _opened(url) as database:
        migrate(database)
        begun = time.perf_counter()
        with database.writing() as db:
            campaign = create_campaign(db, name=SLUG, slug=SLUG, scale=BINARY)
            topics = [Topic(str(number), "") for number in range(401, 451)]
            load_topics(db, campaign.id, topics, source="topics")
            for name in files:
                with Path(name).open("rb") as stream:
                    add_runs(db, campaign.id, [(name, stream)])
        return time.perf_counter() - begun


def _pool_again(url: str, rounds: int) -> list[float]:
    """The pool's size, then the seconds of each round; of several rounds the first is not counted."""
    seconds = []
    with _opened(url) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, SLUG).id
            tags = [f"sys{number:03}x" for number in range(1, RUNS + 1)]
        for _ in range(rounds if rounds == 1 else rounds + 1):
            begun = time.perf_counter()
            with database.reading() as db:
                pool = reached(tops_of(db, campaign_id, tags, depth=DEPTH))
            sizes = growth_table(pool, DEPTH).cumsum(axis=1)
            seconds.append(time.perf_counter() - begun)
    return [float(sizes[:, -1].sum()), *(seconds if rounds == 1 else seconds[1:])]


def _in_a_new_process(url: str) -> float:
    command = [sys.executable, "-m", "tests.benchmarks.repooling", "--once", url]
    said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return float(said.split()[1])


if __name__ == "__main__":
    main()
