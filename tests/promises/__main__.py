"""`python -m tests.promises [PART ...] [--repeats N]`: print what the intervals keep."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from tests.promises import agreement, depth, pairs, sizes, trust

PARTS: dict[str, Callable[[int], Iterator[str]]] = {
    "agreement": agreement.table,
    "one-topic": agreement.one_topic,
    "leniency": agreement.leniency_table,
    "overlap": agreement.overlap_table,
    "self-consistency": agreement.self_consistency_table,
    "sizes": sizes.table,
    "pairs": pairs.table,
    "depth": depth.table,
    "loss": trust.loss_table,
    "left-out": trust.left_out_table,
}


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.promises")
    parser.add_argument("part", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--repeats", type=int, default=500)
    given = parser.parse_args()
    for name in given.part or PARTS:
        print(f"\n{name}\n")
        for line in PARTS[name](given.repeats):
            print(line, flush=True)


if __name__ == "__main__":
    main()
