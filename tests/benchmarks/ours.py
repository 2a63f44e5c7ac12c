"""Workbench as a whole program: `python -m tests.benchmarks.ours DEPTH POOLED RUN...`.

Reads and checks every run and prints the depth pool of the first POOLED as sorted lines "topic docno", as
`workbench pool` does of all that it reads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from workbench.formats.run_tops import read_run_top
from workbench.pooling.depth import depth_pool
from workbench.records import Run, id_bytes


def main(depth: int, pooled: int, names: list[str]) -> None:
    """Print the pool."""
    pool = depth_pool(_runs(names, pooled, depth), depth=depth)
    lines = [f"{entry.topic} {entry.docno}\n" for entry in pool.entries]
    sys.stdout.buffer.write(id_bytes("".join(lines)))


def _runs(names: list[str], pooled: int, depth: int) -> Iterator[Run]:
    for number, name in enumerate(names):
        with Path(name).open("rb") as stream:
            # Of a run that is only checked nothing is needed.
            reading = read_run_top(stream, source=name, depth=depth if number < pooled else 0)
        if number < pooled:
            yield reading.run


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
