"""A set of runs of TREC-8's size: correlated, tied, written as systems write them, the same from one seed.

`python -m tests.benchmarks.generated_runs FOLDER COUNT` writes COUNT runs of 50 topics x 1,000 lines.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

TOPICS = tuple(str(number) for number in range(401, 451))
DEPTH = 1000
SEED = 8
# TREC-8's collection has 528,155 documents; how many of them any run could find for a topic is a guess that
# gives a depth-100 pool of 71 runs about the size of the official one (86,830).
COLLECTION = 528_155
FINDABLE = 5_000
# How systems write their scores: of a hundred runs so many. Whole numbers and few places make ties; 17 digits
# are what Python and Java print, and are half the lines of TREC-COVID's first round; 0.15 % have exponents.
FORMATS = (
    *["{:.4f}"] * 40,
    *["{:.6f}"] * 31,
    *["{:.2f}"] * 10,
    *["{:.0f}"] * 8,
    *["{!r}"] * 10,
    *["{:.6e}"] * 1,
)
# A step that takes every place of a hundred once, so that few runs have all formats too.
FORMAT_STEP = 37
# One run of so many has its lines by docno, not by score.
UNSORTED = 20

Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]


def docno(number: int) -> str:
    """The docno of one of the collection's documents: the four sources of TREC disks 4 and 5 in turn."""
    source, at = number % 4, number // 4
    if source == 0:
        return f"FT{911 + at // 20_000}-{at % 20_000}"
    if source == 1:
        return f"FBIS3-{at}"
    if source == 2:
        return f"FR94{at // 12_000 + 1:02}{at // 500 % 28 + 1:02}-0-{at:05}"
    return f"LA{at // 12_000 + 1:02}{at // 500 % 28 + 1:02}90-{at:06}"


def write_runs(folder: Path, count: int) -> None:
    """Write runs named run001 and so on; a run does not depend on how many there are."""
    documents = findable()
    for number in range(count):
        (folder / f"run{number + 1:03}").write_text(_run(number, documents), encoding="utf-8")


def findable() -> list[tuple[list[str], Numbers]]:
    """For each topic the documents that can be found, and how well each answers it."""
    random = np.random.default_rng(SEED)
    found = []
    for _ in TOPICS:
        numbers = random.choice(COLLECTION, FINDABLE, replace=False)
        found.append(([docno(int(number)) for number in numbers], random.standard_normal(FINDABLE)))
    return found


def _run(number: int, findable: list[tuple[list[str], Numbers]]) -> str:
    """One run: it sees how well documents answer a topic through a noise of its own."""
    random = np.random.default_rng((SEED, number))
    noise = random.uniform(0.5, 1.8)
    middle = random.choice([15.0, -6.0, 300.0])
    score_format = FORMATS[number * FORMAT_STEP % len(FORMATS)]
    line = f"{{}} Q0 {{}} {{}} {score_format} sys{number + 1:03}x\n"
    lines = []
    for topic, (docnos, answers) in zip(TOPICS, findable, strict=True):
        scores = middle + 3 * (answers + noise * random.standard_normal(FINDABLE))
        best = np.argsort(-scores)[:DEPTH]
        found = [
            line.format(topic, docnos[at], rank, score)
            for rank, (at, score) in enumerate(zip(best.tolist(), scores[best].tolist(), strict=True), 1)
        ]
        lines += sorted(found) if number % UNSORTED == 7 else found
    return "".join(lines)


if __name__ == "__main__":
    write_runs(Path(sys.argv[1]), int(sys.argv[2]))
