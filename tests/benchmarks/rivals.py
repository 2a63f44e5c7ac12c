"""Other people's readers and poolers of runs, each as a whole program of its own.

`python rivals.py NAME DEPTH POOLED RUN...` reads and checks every run and prints the depth pool of the first
POOLED as sorted lines "topic docno"; with a NAME alone its exit code says whether that rival can be imported.
Nothing of the project is imported, so that another Python than the project's can run this file.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable

Pairs = Iterable[tuple[str, str]]


def polars(names: list[str], pooled: int, depth: int) -> Pairs:
    """polars, as its manual does it, with the checks that a pool needs; one space between columns."""
    import polars as pl

    columns = {"topic": pl.String, "q0": pl.String, "docno": pl.String, "rank": pl.String}
    columns |= {"score": pl.Float64, "tag": pl.String}
    tops = []
    for number, name in enumerate(names):
        frame = pl.read_csv(name, separator=" ", has_header=False, schema=columns, quote_char=None)
        _check_polars(name, frame)
        best = frame.sort(["topic", "score", "docno"], descending=[False, True, True])
        if number < pooled:
            tops.append(best.group_by("topic", maintain_order=True).head(depth).select("topic", "docno"))
    pool = pl.concat(tops).unique()
    return list(pool.iter_rows())


def polars_lines(names: list[str], pooled: int, depth: int) -> Pairs:
    """polars reading whole lines, which takes any white space between columns."""
    import polars as pl

    parts = r"^\s*(?<topic>\S+)\s+(?<q0>\S+)\s+(?<docno>\S+)\s+(?<rank>\S+)\s+(?<score>\S+)\s+(?<tag>\S+)\s*$"
    tops = []
    for number, name in enumerate(names):
        lines = pl.read_csv(
            name, separator="\n", has_header=False, schema={"line": pl.String}, quote_char=None
        )
        frame = lines.select(pl.col("line").str.extract_groups(parts)).unnest("line")
        frame = frame.with_columns(pl.col("score").cast(pl.Float64))
        _check_polars(name, frame)
        best = frame.sort(["topic", "score", "docno"], descending=[False, True, True])
        if number < pooled:
            tops.append(best.group_by("topic", maintain_order=True).head(depth).select("topic", "docno"))
    return list(pl.concat(tops).unique().iter_rows())


def _check_polars(name: str, frame: object) -> None:
    import polars as pl

    assert isinstance(frame, pl.DataFrame)
    if frame.null_count().sum_horizontal()[0] or frame["tag"].n_unique() != 1:
        sys.exit(f"{name}: a line without six columns, or a second tag")
    if not frame["score"].is_finite().all():
        sys.exit(f"{name}: a score that is not finite")
    if frame.select("topic", "docno").is_duplicated().any():
        sys.exit(f"{name}: a document twice")


def ranx(names: list[str], pooled: int, depth: int) -> Pairs:
    """ranx: its own order of a run, its own checks."""
    from ranx import Run

    pool: set[tuple[str, str]] = set()
    for number, name in enumerate(names):
        run = Run.from_file(name, kind="trec")
        run.sort()
        if number < pooled:
            for topic, scores in run.to_dict().items():
                pool.update((topic, docno) for docno in list(scores)[:depth])
    return pool


def trectools(names: list[str], pooled: int, depth: int) -> Pairs:
    """trectools: its own order of a run, its own checks."""
    from trectools import TrecPoolMaker, TrecRun

    runs = [TrecRun(name) for name in names]
    pool = TrecPoolMaker().make_pool(runs[:pooled], strategy="topX", topX=depth).pool
    return [(str(topic), docno) for topic, docnos in pool.items() for docno in docnos]


RIVALS: dict[str, tuple[str, Callable[[list[str], int, int], Pairs]]] = {
    "polars": ("polars", polars),
    "polars-lines": ("polars", polars_lines),
    "ranx": ("ranx", ranx),
    "trectools": ("trectools", trectools),
}


def main(name: str, numbers: list[str]) -> None:
    """Run one rival, or say by the exit code whether it is installed."""
    module, pool = RIVALS[name]
    if not numbers:
        sys.exit(0 if importlib.util.find_spec(module) else 1)
    depth, pooled, *names = numbers
    pairs = sorted(
        pool(names, int(pooled), int(depth)), key=lambda pair: (pair[0].encode(), pair[1].encode())
    )
    sys.stdout.write("".join(f"{topic} {docno}\n" for topic, docno in pairs))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
