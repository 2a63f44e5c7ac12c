"""Thirty assessors at once while an organiser scores and exports: how long saving an answer takes.

`python -m tests.benchmarks.assessors CF` makes a campaign of the folder's topics, documents, runs and
judgments, serves it by `workbench serve` with its defaults, and has thirty assessors judge over HTTP, each
over one connection that stays: at about one answer a second (`--pause`), far faster than anybody reads, and
then for a shorter time as fast as the server takes them. All the while an organiser asks for scores,
agreement, judgments and qrels without a pause. SQLite, then a PostgreSQL server that waits for the disk.

Told are milliseconds of saving from the request to the whole acknowledgement at the client, and the ratio of
its 99th percentile to that of a bare insert and commit in the same database: during the same seconds, and
afterwards with nobody there. At the end the events in the database must be those sent, each once and in
order, and no answer anything but 2xx; else the exit code is 1. `--json` prints the same as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.benchmarks.crowd import (
    ORGANISER_ASKS,
    BareInsert,
    Material,
    Seen,
    crowd_judges,
    differences,
    make_trial,
    timed,
)
from tests.databases import new_postgresql_database, opened
from tests.postgresql import DURABLE, SERVER_OPTIONS, postgresql_server
from tests.servers import running_server
from tests.tree import ROOT
from workbench.formats.documents import read_documents
from workbench.formats.judgments import read_judgments
from workbench.formats.topics import read_topics
from workbench.storage.migrate import migrate

KINDS = ("sqlite", "postgresql")
BARE_ALONE = 300
PERCENTS = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds: median, 95th and 99th percentile, and the most; of how many."""

    median: float
    p95: float
    p99: float
    most: float
    count: int


@dataclass(frozen=True, slots=True)
class Measured:
    """One crowd on one database; `load` is the machine's load average of a minute at its end."""

    database: str
    mode: str
    assessors: int
    pairs: int
    seconds: float
    saves_per_second: float
    saving: Figures
    fetching: Figures
    bare_meanwhile: Figures
    bare_alone: Figures
    organiser: dict[str, Figures]
    load: float
    wrong: list[str]

    @property
    def ratios(self) -> tuple[float, float]:
        """The 99th percentile of saving over that of the bare insert meanwhile, and alone."""
        return self.saving.p99 / self.bare_meanwhile.p99, self.saving.p99 / self.bare_alone.p99


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="topics.jsonl, docs.jsonl, judgments.tsv, runs_generated/")
    parser.add_argument("--assessors", type=int, default=30)
    parser.add_argument(
        "--seconds", type=float, default=60, help="of the steady crowd; the burst has a third"
    )
    parser.add_argument("--warm", type=float, default=10, help="seconds before, which do not count")
    parser.add_argument("--no-organiser", action="store_true", help="assessors only, to compare")
    parser.add_argument("--pause", type=float, default=1.0, help="mean seconds between two answers")
    parser.add_argument("--depth", type=int, default=20, help="of the pool")
    parser.add_argument("--database", choices=KINDS, action="append", help="both unless named")
    parser.add_argument("--serve", default="", help="further options of `workbench serve`")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    material = read_material(given.folder)
    found: list[Measured] = []
    for kind in given.database or KINDS:
        for mode, pause, seconds in (("steady", given.pause, given.seconds), ("burst", 0, given.seconds / 3)):
            found.append(_measured(kind, mode, pause, seconds, material, given))
            if not given.json:
                print(_told(found[-1]), flush=True)
    if given.json:
        print(json.dumps([asdict(one) | {"ratios": one.ratios} for one in found], indent=2))
    sys.exit(any(one.wrong for one in found))


def read_material(folder: Path) -> Material:
    """The campaign's parts from a folder like that of the cystic fibrosis collection."""
    with ExitStack() as files:
        opened_file = {
            name: files.enter_context((folder / name).open("rb"))
            for name in ("topics.jsonl", "docs.jsonl", "judgments.tsv")
        }
        return Material(
            topics=read_topics(opened_file["topics.jsonl"], source="topics.jsonl"),
            documents=list(read_documents(opened_file["docs.jsonl"], source="docs.jsonl")),
            judgments=tuple(read_judgments(opened_file["judgments.tsv"], source="judgments.tsv")),
            runs=[(path.name, path.read_bytes()) for path in sorted((folder / "runs_generated").iterdir())],
        )


def figures(seconds: Sequence[float]) -> Figures:
    """What is told of many durations."""
    ordered = sorted(1000 * one for one in seconds) or [0.0]
    places = (min(len(ordered) - 1, percent * len(ordered) // 100) for percent in PERCENTS)
    median, p95, p99 = (round(ordered[place], 2) for place in places)
    return Figures(median, p95, p99, round(ordered[-1], 2), len(seconds))


def _measured(
    kind: str, mode: str, pause: float, seconds: float, material: Material, given: argparse.Namespace
) -> Measured:
    with (
        tempfile.TemporaryDirectory(prefix="workbench-assessors-") as name,
        _address(kind, Path(name)) as url,
    ):
        folder = Path(name)
        command = [sys.executable, "-m", "workbench", "serve", "--port", "0"]
        with opened(url) as database:
            migrate(database)
            trial = make_trial(database, material, assessors=given.assessors, depth=given.depth)
            bare = BareInsert(database)
            serving = running_server(
                [*command, *given.serve.split()],
                log=folder / "server.log",
                folder=ROOT,
                environment={"WORKBENCH_DATABASE_URL": url, "WORKBENCH_INSTANCE": name},
            )
            with serving as address:
                seen = crowd_judges(
                    address,
                    trial,
                    seconds=seconds,
                    pause=pause,
                    warm=given.warm,
                    asks=() if given.no_organiser else ORGANISER_ASKS,
                    bare=bare.act,
                )
                load = os.getloadavg()[0]
            alone = timed(bare.act, BARE_ALONE)
            bare.close()
            wrong = seen.wrong + differences(database, seen)
        return _summary(seen, alone, kind, mode, given.assessors, trial.pairs, load, wrong)


def _summary(
    seen: Seen,
    alone: Sequence[float],
    kind: str,
    mode: str,
    assessors: int,
    pairs: int,
    load: float,
    wrong: list[str],
) -> Measured:
    return Measured(
        database=kind,
        mode=mode,
        assessors=assessors,
        pairs=pairs,
        seconds=round(seen.seconds, 1),
        saves_per_second=round(len(seen.saving) / seen.seconds, 1),
        saving=figures(seen.saving),
        fetching=figures(seen.fetching),
        bare_meanwhile=figures(seen.bare),
        bare_alone=figures(alone),
        organiser={path.split("?")[0]: figures(taken) for path, taken in seen.organising.items()},
        load=round(load, 1),
        wrong=wrong,
    )


@contextmanager
def _address(kind: str, folder: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'workbench.sqlite3'}"
        return
    with postgresql_server(SERVER_OPTIONS | DURABLE) as server, new_postgresql_database(server) as url:
        yield url


def _told(one: Measured) -> str:
    meanwhile, alone = one.ratios
    lines = [
        f"{one.database}, {one.mode}: {one.assessors} assessors, {one.pairs} pairs, {one.seconds} s, "
        f"{one.saves_per_second} saves/s, load {one.load}; milliseconds as median / 95 % / 99 % / most",
        *(
            f"  {name:<28} {_four(value)}"
            for name, value in (
                ("saving", one.saving),
                ("document ahead", one.fetching),
                ("bare insert meanwhile", one.bare_meanwhile),
                ("bare insert alone", one.bare_alone),
                *((f"organiser {path}", value) for path, value in one.organiser.items()),
            )
        ),
        f"  99 % of saving : bare insert   {meanwhile:.1f} meanwhile, {alone:.1f} alone",
        f"  events equal those sent, each once, in order; only 2xx: {'NO' if one.wrong else 'yes'}",
        *(f"    {each}" for each in one.wrong[:10]),
    ]
    return "\n".join(lines)


def _four(value: Figures) -> str:
    return f"{value.median:8.2f} / {value.p95:8.2f} / {value.p99:8.2f} / {value.most:8.2f}  ({value.count})"


if __name__ == "__main__":
    main()
