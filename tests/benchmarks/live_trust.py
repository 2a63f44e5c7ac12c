"""Saves while the live page of *Trust* is refreshed, beside saves without it, turn by turn in one run.

`python -m tests.benchmarks.live_trust CF` makes a campaign of the folder's topics, documents, runs and
judgments, serves it by `workbench serve` with its defaults, and has some assessors judge over HTTP at a
steady pace. In every second turn an organiser asks whether judgments have changed and fetches the whole page
anew, one request after the other without a pause: the page itself waits at least half a minute between two.

Told are milliseconds of a save from the request to its whole acknowledgement, with and without the page, all
turns together, and the ratios. The exit code is 1 where an event is not in the database as it was sent, or an
answer is no 2xx.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.assessors import Figures, figures, read_material
from tests.benchmarks.crowd import (
    AGAIN,
    SLUG,
    Material,
    Seen,
    Trial,
    crowd_judges,
    differences,
    make_trial,
    renamed,
)
from tests.databases import opened
from tests.servers import running_server
from tests.tree import ROOT
from workbench.storage.migrate import migrate

LIVE = (f"/c/{SLUG}/trust/live?seen=before&measure=AP", f"/c/{SLUG}/trust?measure=AP&whole=1")
"""What the page asks for while people judge: has anything changed; then the report and all questions."""


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="topics.jsonl, docs.jsonl, judgments.tsv, runs_generated/")
    parser.add_argument("--assessors", type=int, default=8)
    parser.add_argument("--pause", type=float, default=0.5, help="mean seconds between two answers of one")
    parser.add_argument("--seconds", type=float, default=20, help="of a turn")
    parser.add_argument("--turns", type=int, default=2, help="with the page, and as many without")
    given = parser.parse_args()
    alone, beside, wrong = _measured(read_material(given.folder), given)
    load = os.getloadavg()[0]
    print(f"milliseconds of a save as median / 95 % / 99 % / most (saves); load {load:.1f} at the end")
    for name, found in (("without the page", alone), ("beside the page", beside)):
        print(
            f"  {name:<18}{found.median:8.2f} / {found.p95:8.2f} / {found.p99:8.2f} / {found.most:8.2f}"
            f"  ({found.count})"
        )
    median, most = beside.median / alone.median, beside.p99 / alone.p99
    print(f"  beside : without   {median:.2f} of the median, {most:.2f} of the 99 %")
    for each in wrong[:10]:
        print(f"    {each}")
    sys.exit(bool(wrong))


def _measured(material: Material, given: argparse.Namespace) -> tuple[Figures, Figures, list[str]]:
    with tempfile.TemporaryDirectory(prefix="workbench-live-trust-") as name:
        url = f"sqlite:///{Path(name) / 'workbench.sqlite3'}"
        command = [sys.executable, "-m", "workbench", "serve", "--port", "0"]
        with opened(url) as database:
            migrate(database)
            trial = make_trial(database, material, assessors=given.assessors, depth=20)
            serving = running_server(
                command,
                log=Path(name) / "server.log",
                folder=ROOT,
                environment={"WORKBENCH_DATABASE_URL": url, "WORKBENCH_INSTANCE": name},
            )
            with serving as address:
                alone, beside, everything = _turns(address, trial, given)
            wrong = [*alone.wrong, *beside.wrong, *differences(database, everything)]
    for path, taken in beside.organising.items():
        print(f"  {path}: fetched {len(taken)} times, median {figures(taken).median:.0f} ms")
    return figures(alone.saving), figures(beside.saving), wrong


def _turns(address: str, trial: Trial, given: argparse.Namespace) -> tuple[Seen, Seen, Seen]:
    """What was seen without the page and beside it, all turns together, and what was sent in all."""
    without, beside, everything = Seen(), Seen(), Seen()
    for turn in range(2 * given.turns):
        seen = crowd_judges(
            address,
            renamed(trial, turn),
            seconds=given.seconds,
            pause=given.pause,
            # The first of each kind finds a server that has everything to compile and to read.
            warm=5 if turn < 2 else 1,
            asks=LIVE if turn % 2 else (),
        )
        kept = beside if turn % 2 else without
        kept.saving += seen.saving
        kept.wrong += seen.wrong
        for path, taken in seen.organising.items():
            kept.organising[path] += taken
        for name, said in seen.sent.items():
            everything.sent[name.partition(AGAIN)[0]] += said
    return without, beside, everything


if __name__ == "__main__":
    main()
