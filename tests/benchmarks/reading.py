"""Reading and pooling runs, against a plain C program and the field's libraries.

`python -m tests.benchmarks.reading` writes a set of TREC-8's size into a temporary folder (129 runs x 50
topics x 1,000 lines; see `generated_runs`) and lets every program read and check all of it and pool the first
71 runs to depth 100: ours, `reader.c` compiled by cc, and those of `rivals` that the Python given by --python
can import (`pip install .[bench]`). Each is a process of its own, in turn with the others, its files in the
system's cache. Told are the least seconds of all rounds, as a clock and as the processor counts them, each
also as so many times those of C and of ours; peak memory; and how many pairs of the pool are not those of C.
Then the same for TREC-COVID's first round, where it lies beside the project, and our time and memory for 10
to 500 runs.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measuring import Measured, Program, compare
from tests.benchmarks.rivals import RIVALS
from tests.support import ROOT, SHARED

RUNS, POOLED, DEPTH = 129, 71, 100
MOST_RUNS = 500
COVID_DEPTH = 7
HERE = Path(__file__).parent


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", default=sys.executable, help="the Python that has the rivals")
    parser.add_argument("--rounds", type=int, default=3, help="how often each program runs")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"beside ours: {', '.join(['C', *RIVALS])}")
    parser.add_argument("--no-growth", action="store_true", help="leave out the 500 runs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workbench-reading-") as folder:
        ours, *others = _programs(given.python, Path(folder))
        programs = [ours, *(one for one in others if not given.only or one.name in given.only)]
        runs = _generated(Path(folder), RUNS if given.no_growth else MOST_RUNS)
        print(f"TREC-8's size: {RUNS} runs, {POOLED} of them pooled to depth {DEPTH}")
        _say(compare(programs, [str(DEPTH), str(POOLED), *runs[:RUNS]], given.rounds))
        _covid(programs, Path(folder), given.rounds)
        if not given.no_growth:
            _growth(ours, runs, given.rounds)


def _programs(python: str, folder: Path) -> list[Program]:
    """Ours, C where there is a compiler, and the rivals that can be imported."""
    found = [Program("ours", (sys.executable, "-m", "tests.benchmarks.ours"))]
    compiler = shutil.which("cc")
    if compiler:
        reader = folder / "reader"
        subprocess.run([compiler, "-O2", "-o", reader, HERE / "reader.c", "-lm"], check=True)
        found.append(Program("C", (str(reader),)))
    else:
        print("C is left out: there is no cc", file=sys.stderr)
    for name in RIVALS:
        command = (python, str(HERE / "rivals.py"), name)
        if subprocess.run(command, check=False).returncode == 0:
            found.append(Program(name, command))
        else:
            print(f"{name} is left out: {python} cannot import it", file=sys.stderr)
    return found


def _generated(folder: Path, count: int) -> list[str]:
    # In a process of its own, so that this one stays smaller than any it measures.
    target = folder / "generated"
    target.mkdir()
    command = [sys.executable, "-m", "tests.benchmarks.generated_runs", str(target), str(count)]
    subprocess.run(command, cwd=ROOT, check=True)
    return [str(path) for path in sorted(target.iterdir())]


def _covid(programs: list[Program], folder: Path, rounds: int) -> None:
    """The same on TREC-COVID's first round: those that contributed are pooled."""
    round1 = SHARED / "data" / "trec-covid" / "round1"
    if not round1.is_dir():
        print("\nTREC-COVID is left out: its runs are not beside this checkout")
        return
    with (round1 / "runs.tsv").open(encoding="utf-8") as table:
        rows = sorted(csv.DictReader(table, delimiter="\t"), key=lambda row: row["contributed"] != "yes")
    pooled = sum(row["contributed"] == "yes" for row in rows)
    packed = [str(round1 / "runs" / f"{row['run']}.gz") for row in rows]
    plain = folder / "covid"
    plain.mkdir()
    for name in packed:
        with gzip.open(name) as source, (plain / Path(name).stem).open("wb") as target:
            shutil.copyfileobj(source, target)
    numbers = [str(COVID_DEPTH), str(pooled)]
    print(f"\nTREC-COVID round 1: {len(rows)} runs, {pooled} of them pooled to depth {COVID_DEPTH}")
    _say(compare(programs, [*numbers, *(str(plain / Path(name).stem) for name in packed)], rounds))
    print("\nthe same, compressed by gzip, which C does not read; beside ours what gzip alone takes")
    for program, arguments in ((programs[0], numbers), (Program("gzip", ("gzip", "--test")), [])):
        (one,) = compare([program], [*arguments, *packed], rounds)
        print(f"{one.name:14} {one.least:7.2f} {'':13} {one.cpu:7.2f} {'':13} {one.memory:>5}")


def _growth(ours: Program, runs: list[str], rounds: int) -> None:
    print("\nours with more runs: all are pooled, then only the first 71")
    for count in (10, 50, RUNS, 250, MOST_RUNS):
        for pooled in sorted({count, min(count, POOLED)}, reverse=True):
            (one,) = compare([ours], [str(DEPTH), str(pooled), *runs[:count]], rounds)
            told = f"{one.least:6.2f} s  {one.cpu:6.2f} CPU s  {one.memory:>5} MiB"
            print(f"{count:5} runs, {pooled:3} pooled  {told}", flush=True)


def _say(results: list[Measured]) -> None:
    """A line for each program; differences are to C, or to ours where C is not there."""
    ours = results[0]
    yard = next((one for one in results if one.name == "C"), ours)
    times = f"x {yard.name:4} x ours"
    print(f"{'':14} seconds  {times}   CPU s  {times}   MiB  pairs that differ", flush=True)
    for one in results:
        if one.failure:
            print(f"{one.name:14} failed: {one.failure[:80]}")
            continue
        same = one.printed == yard.printed
        differ = 0 if same else len(set(one.printed.splitlines()) ^ set(yard.printed.splitlines()))
        wall = f"{one.least:7.2f} {one.least / yard.least:6.2f} {one.least / ours.least:6.2f}"
        cpu = f"{one.cpu:7.2f} {one.cpu / yard.cpu:6.2f} {one.cpu / ours.cpu:6.2f}"
        print(f"{one.name:14} {wall} {cpu} {one.memory:>5} {differ:6}", flush=True)


if __name__ == "__main__":
    main()
