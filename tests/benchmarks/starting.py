"""How long commands on tiny files take, which is mostly imports, against ir_measures.

`python -m tests.benchmarks.starting` runs `workbench --help`, a score, an agreement and a check of files of a
few lines, each a process of its own, in turn with `ir_measures --help` and `ir_measures` scoring the same
files. It prints the least seconds of all rounds, as a clock and as the processor counts them, and each as a
multiple of that tiny scoring by ir_measures.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measuring import Program, compare

RUN = "T1 Q0 d1 1 2 one\nT1 Q0 d2 2 1 one\n"
YARD = "ir_measures, scoring"


def main() -> None:
    """Measure, and print a line for each program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="how often each program runs")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="workbench-starting-") as folder:
        measured = compare(_programs(Path(folder)), [], rounds)
    yard = next(one for one in measured if one.name == YARD)
    for one in measured:
        if one.failure:
            print(f"{one.name:24} failed: {one.failure[:80]}")
            continue
        times = f"x {one.least / yard.least:4.2f}  {one.cpu:6.3f} CPU s  x {one.cpu / yard.cpu:4.2f}"
        print(f"{one.name:24} {one.least:6.3f} s  {times}")


def _programs(folder: Path) -> list[Program]:
    run, qrels, other = folder / "one.run", folder / "first.qrels", folder / "second.qrels"
    run.write_text(RUN)
    qrels.write_text("T1 0 d1 1\nT1 0 d2 0\n")
    other.write_text("T1 0 d1 1\nT1 0 d2 1\n")
    ours, theirs = (str(Path(sys.executable).with_name(name)) for name in ("workbench", "ir_measures"))
    files = (str(qrels), str(run))
    return [
        Program(YARD, (theirs, *files, "AP")),
        Program("ir_measures --help", (theirs, "--help")),
        Program("workbench --help", (ours, "--help")),
        Program("workbench score", (ours, "score", *files, "-m", "AP")),
        Program("workbench agree", (ours, "agree", str(qrels), str(other), "--coefficients")),
        Program("workbench check", (ours, "check", str(run))),
    ]


if __name__ == "__main__":
    main()
