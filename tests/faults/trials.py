"""A large campaign in trouble, while people save and read: what they notice of it, and that nothing is lost.

`python -m tests.faults.trials WHERE` serves a campaign that `python -m tests.benchmarks.scale build --size L`
made, by `workbench serve`. WHERE is its file of SQLite, or the folder of `python -m
tests.postgresql`, which must not run; give a copy, since people judge in it. Sixteen people judge, somebody
reads an assessor's and two of an organiser's pages, somebody asks for the health, and meanwhile:

- nobody else is there;
- 40 sign-ins, 16 batches of answers and 64 uploads never end;
- 114 MiB of JSON are sent as answers and as a sign-in, eight times at once;
- the worker is killed, with whatever it does;
- the first process of the server is killed, and the server started again;
- an organiser loads 114 MiB of documents;
- another program holds the lock for writing, for 5 and for 20 seconds;
- PostgreSQL is frozen, for 8 and for 40 seconds, and killed, and started again after 8.

For each it tells the longest and the median wait for a save, from its first sending to its acknowledgement,
and how often it was sent again and why; the longest wait of each reader and the statuses seen; the most
memory of one process of the server and of all together; and what became of the acknowledged answers, each of
which must be there once and in order. What must not be is told at the end, and the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import randbits

from tests.databases import opened
from tests.faults.judges import Losses, PersistentJudge, losses
from tests.faults.large_site import LargeSite, Read, judging, large_site, newest_event, reading
from tests.faults.trees import MostMemory, watched_memory
from tests.faults.troubles import TROUBLES, Trouble

PEOPLE = 16
PAUSE = 0.5
FIRST_SECONDS = 3
"""For which everybody judges before anything happens."""
NO_ANSWER_SECONDS = 120
FINE = frozenset({"200", "503"})


@dataclass(frozen=True, slots=True)
class Tried:
    """What people noticed of a trouble."""

    name: str
    remark: str
    judges: Sequence[PersistentJudge]
    read: dict[str, Read]
    memory: MostMemory
    losses: Losses
    wrong: Sequence[str]

    def __str__(self) -> str:
        """Some lines for people."""
        waits = [wait for judge in self.judges for wait in judge.waits]
        again = sum((judge.failures for judge in self.judges), Counter[str]())
        lost = self.losses
        lines = [
            f"{self.name}: {self.remark}",
            f"  saves     longest {max(waits, default=0):7.2f} s, median {_median(waits):6.3f} s of"
            f" {len(waits)}; sent again after: {_counts(again)}",
        ]
        for name, one in self.read.items():
            lines.append(
                f"  {name:<9} longest {max(one.waits, default=0):7.2f} s, median {_median(one.waits):6.3f} s;"
                f" {_counts(one.statuses)}"
            )
        lines.append(f"  memory    one process {self.memory.one:.0f} MiB, all {self.memory.together:.0f} MiB")
        lines.append(
            f"  answers   {lost.acknowledged} acknowledged: {lost.lost} lost, {lost.doubled} doubled,"
            f" {lost.misplaced} out of order"
        )
        return "\n".join([*lines, *(f"  WRONG     {one}" for one in self.wrong)])


def main() -> None:
    """Try what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("where", type=Path)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--pause", type=float, default=PAUSE, help="mean seconds between two answers")
    parser.add_argument("--seconds", type=float, default=15, help="of troubles that could last for ever")
    parser.add_argument("--only", nargs="*", metavar="NAME", choices=tuple(TROUBLES), default=tuple(TROUBLES))
    given = parser.parse_args()
    wrong = False
    with (
        tempfile.TemporaryDirectory(prefix="workbench-trials-") as folder,
        large_site(given.where, Path(folder), given.people) as site,
    ):
        for name in given.only:
            trouble = TROUBLES[name]
            if trouble.postgresql and site.postgresql is None:
                continue
            found = try_trouble(site, name, trouble, seconds=given.seconds, pause=given.pause)
            wrong = wrong or bool(found.wrong)
            print(found, flush=True)
    sys.exit(wrong)


def try_trouble(site: LargeSite, name: str, trouble: Trouble, *, seconds: float, pause: float) -> Tried:
    """Let it happen while people judge and read, then compare."""
    with opened(site.url) as database:
        before = newest_event(database)
    with (
        watched_memory(lambda: site.supervisor) as memory,
        reading(site) as read,
        judging(site, seed=randbits(32), pause=pause) as judges,
    ):
        time.sleep(FIRST_SECONDS)
        remark = trouble.happen(site, seconds)
        recovered = _goes_on(judges)
        for judge in judges if not recovered else ():
            judge.given_up.set()
    with opened(site.url) as database:
        found = losses(database, judges, after=before)
    wrong = list(wrong_of(trouble, judges, read))
    if not found.none:
        wrong.append("answers that were acknowledged are not there once and in order")
    if not recovered:
        wrong.append(f"somebody could not save within {NO_ANSWER_SECONDS} s afterwards")
    return Tried(name, remark, judges, read, memory, found, wrong)


def _goes_on(judges: Sequence[PersistentJudge]) -> bool:
    """Wait until everybody has had two more answers acknowledged: the first may have been on its way."""
    before = [len(judge.acknowledged) for judge in judges]
    end = time.monotonic() + NO_ANSWER_SECONDS
    while time.monotonic() < end:
        if all(len(judge.acknowledged) > count + 1 for judge, count in zip(judges, before, strict=True)):
            return True
        time.sleep(0.05)
    return False


def wrong_of(trouble: Trouble, judges: Sequence[PersistentJudge], read: dict[str, Read]) -> list[str]:
    allowed = FINE | trouble.errors
    found = [f"an answer was refused: {reason}" for judge in judges for reason in judge.refused]
    seen = {"saves": sum((judge.failures for judge in judges), Counter[str]())}
    seen |= {name: one.statuses for name, one in read.items()}
    for name, statuses in seen.items():
        found += [
            f"{name}: {status}, {count} times" for status, count in statuses.items() if status not in allowed
        ]
    return found


def _median(waits: Sequence[float]) -> float:
    return statistics.median(waits) if waits else 0


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items())) or "nothing"


if __name__ == "__main__":
    main()
