"""Workbench as a whole program: `python -m tests.benchmarks.ours DEPTH POOLED RUN...`.

Reads and checks every run and prints the depth pool of the first POOLED as sorted lines "topic docno", as
`workbench pool` does of all that it reads.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from workbench.formats.runs import read_run_arrays
from workbench.pooling.depth import depth_pairs
from workbench.pooling.run_tops import RunTops
from workbench.records import Run, id_bytes

# As the command does.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main(depth: int, pooled: int, names: list[str]) -> None:
    """Print the pool."""
    for topic, docnos in depth_pairs(_tops(names, pooled, depth), depth=depth).items():
        before = id_bytes(topic) + b" "
        sys.stdout.buffer.write(b"".join([b"%b%b\n" % (before, docno) for docno in docnos]))


def _tops(names: list[str], pooled: int, depth: int) -> Iterator[RunTops | Run]:
    for number, name in enumerate(names):
        with Path(name).open("rb") as stream:
            # Of a run that is only checked nothing is needed.
            read = read_run_arrays(stream, source=name, depth=depth if number < pooled else 0)
        if number < pooled:
            yield read if isinstance(read, Run) else RunTops(read.tag, read.topics, *read.ranked(depth))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
