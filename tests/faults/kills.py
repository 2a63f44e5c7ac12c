"""The promise, tried: nothing that was acknowledged is lost, doubled or out of order, whatever is killed.

`python -m tests.faults.kills --kills 200` has four people judge on each database while the site, and on
PostgreSQL the database too, is killed at random moments and started again. `--site served` kills the whole of
`workbench serve` instead of a process that takes no time to start. At the end every acknowledged answer must
be there once, in the order of acknowledging, and `verify` must find nothing; else the exit code is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.databases import new_postgresql_database, opened
from tests.faults.judges import Losses, PersistentJudge, losses, make_seats
from tests.faults.servers import ForkedSite, KillablePostgresql, ServedSite, killable_postgresql
from workbench.storage.migrate import migrate
from workbench.workflow.upkeep.checks import verify

PEOPLE = 4
ENGINES = ("sqlite", "postgresql")
LONGEST_PAUSE = 0.5
"""Seconds between the first answer that is acknowledged again and the next kill, at most."""
NO_ANSWER_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Trialled:
    """What a database went through: kills of the site and of the database, and what became of the answers."""

    engine: str
    site_kills: int
    database_kills: int
    losses: Losses
    findings: int
    failures: Counter[str]
    refused: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Whether the promise was kept."""
        return self.losses.none and not self.findings and not self.refused


def main() -> None:
    """Kill as often as the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200, help="over all databases")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="only this one")
    parser.add_argument("--site", choices=("forked", "served"), default="forked")
    parser.add_argument("--seconds", type=float, default=1800, help="end sooner than all kills after so many")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    engines = given.engine or list(ENGINES)
    found = []
    for engine in engines:
        found.append(
            try_engine(
                engine,
                given.kills // len(engines),
                served=given.site == "served",
                seconds=given.seconds / len(engines),
                seed=given.seed,
            )
        )
        print(_line(found[-1]), flush=True)
    sys.exit(0 if all(one.kept for one in found) else 1)


def try_engine(engine: str, kills: int, *, served: bool, seconds: float, seed: int) -> Trialled:
    """Kill so many times while people judge on one database, then compare."""
    with tempfile.TemporaryDirectory(prefix="workbench-kills-") as name:
        folder = Path(name)
        if engine == "sqlite":
            return _try(
                f"sqlite:///{folder / 'workbench.sqlite3'}", None, kills, served, seconds, seed, folder
            )
        with killable_postgresql() as server, new_postgresql_database(server.url) as url:
            return _try(url, server, kills, served, seconds, seed, folder)


def _try(
    url: str,
    server: KillablePostgresql | None,
    kills: int,
    served: bool,
    seconds: float,
    seed: int,
    folder: Path,
) -> Trialled:
    choice = random.Random(seed)
    with opened(url) as database:
        migrate(database)
        seats = make_seats(database, PEOPLE)
    site = ServedSite(url, folder) if served else ForkedSite(url)
    site.start()
    judges = [PersistentJudge(site.port, seat, seed=seed) for seat in seats]
    done: Counter[str] = Counter()
    with _judging(judges):
        end = time.monotonic() + seconds
        for number in range(kills):
            if not _goes_on(judges) or time.monotonic() > end:
                break
            time.sleep(choice.uniform(0, LONGEST_PAUSE))
            if server is not None and number % 2:
                server.kill()
                server.start()
                done["database"] += 1
            else:
                site.kill()
                site.start()
                done["site"] += 1
        _goes_on(judges)
    site.close()
    with opened(url) as database:
        found, checked = losses(database, judges), verify(database)
    failures = sum((judge.failures for judge in judges), Counter[str]())
    refused = tuple(reason for judge in judges for reason in judge.refused)
    engine = "sqlite" if server is None else "postgresql"
    return Trialled(engine, done["site"], done["database"], found, len(checked.findings), failures, refused)


@contextmanager
def _judging(judges: Sequence[PersistentJudge]) -> Iterator[None]:
    for judge in judges:
        judge.start()
    try:
        yield
    finally:
        for judge in judges:
            judge.ended.set()
        for judge in judges:
            judge.join()


def _goes_on(judges: Sequence[PersistentJudge]) -> bool:
    """Wait until everybody has had an answer acknowledged since; False where somebody is refused."""
    before = [len(judge.acknowledged) for judge in judges]
    end = time.monotonic() + NO_ANSWER_SECONDS
    while time.monotonic() < end and all(judge.is_alive() for judge in judges):
        if all(len(judge.acknowledged) > count for judge, count in zip(judges, before, strict=True)):
            return True
        time.sleep(0.005)
    return False


def _line(one: Trialled) -> str:
    found = one.losses
    failed = ", ".join(f"{name} {count}" for name, count in sorted(one.failures.items())) or "none"
    return (
        f"{one.engine:<10} {one.site_kills} kills of the site, {one.database_kills} of the database;"
        f" {found.acknowledged:,} answers acknowledged: {found.lost} lost, {found.doubled} doubled,"
        f" {found.misplaced} out of order; {one.findings} findings of verify;"
        f" sent again after: {failed}" + "".join(f"\n  refused: {reason}" for reason in one.refused)
    )


if __name__ == "__main__":
    main()
