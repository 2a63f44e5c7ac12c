"""The embedded engine on many documents: a query of all its words, and indexing in bounded memory.

`python -m tests.benchmarks.searching` makes `--documents` of `--words` words each from one seed, by Zipf's
law over 80,000 words, and indexes them as a host does, in portions, in a temporary folder. It says the
processor's seconds for making and for indexing, and the most memory of this process, which has what it makes
as well: at most a thousand documents. Then, for 60 queries of 12 words drawn by the same law, of which every
one ranks, the processor's milliseconds of a search for the best 200 with the count of all: median and ninth
decile, each query the least of five times.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from workbench.records import Document
from workbench.searching.query import SearchQuery, read_query
from workbench.searching.tantivy_engine import TantivyEngine
from workbench.workflow.searching.index import COMMIT_EVERY
from workbench.workflow.searching.searches import MOST_FOUND

SEED, VOCABULARY, AT_ONCE = 18, 80_000, 1_000
TITLE_WORDS = 8
QUERIES, QUERY_WORDS, TIMES = 60, 12, 5


class Zipf:
    """Words drawn with a probability that falls with their rank, the same ones every time."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(SEED)
        self._upto = np.cumsum(1 / np.arange(1, VOCABULARY + 1))

    def words(self, *shape: int) -> list[list[str]]:
        """Rows of words."""
        drawn = np.searchsorted(self._upto, self._random.random(shape) * self._upto[-1])
        return [[f"w{rank}" for rank in row] for row in drawn.tolist()]


def documents(zipf: Zipf, count: int, length: int) -> Iterator[Document]:
    """So many documents with a title and so many words of text."""
    for start in range(0, count, AT_ONCE):
        rows = zipf.words(min(AT_ONCE, count - start), TITLE_WORDS + length)
        for number, row in enumerate(rows, start=start):
            yield Document(f"d{number:08}", " ".join(row[:TITLE_WORDS]), " ".join(row[TITLE_WORDS:]))


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=114_000)
    parser.add_argument("--words", type=int, default=150, help="words of each text")
    given = parser.parse_args()
    making = _seconds_of_making(given.documents, given.words)
    zipf = Zipf()
    with tempfile.TemporaryDirectory(prefix="workbench-searching-") as folder:
        engine = TantivyEngine(Path(folder))
        source = documents(zipf, given.documents, given.words)
        began = time.process_time()
        for _ in range(0, given.documents, COMMIT_EVERY):
            engine.index(islice(source, COMMIT_EVERY))
        taken = time.process_time() - began
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"{given.documents:,} documents of {given.words} words: {taken - making:.0f} s of the processor"
        )
        print(f"to index them ({making:.0f} s to make them), {most:,} MiB at most")
        queries = [read_query(" ".join(row)) for row in zipf.words(QUERIES, QUERY_WORDS)]
        taken_each = sorted(_milliseconds(engine, query) for query in queries)
        median, decile = taken_each[QUERIES // 2], taken_each[QUERIES * 9 // 10]
        print(f"a query of {QUERY_WORDS} words: {median:.1f} ms, one in ten more than {decile:.1f} ms")


def _seconds_of_making(count: int, length: int) -> float:
    """What a twentieth of the documents takes to make, as often as it is in all of them."""
    began = time.process_time()
    for _ in documents(Zipf(), count // 20, length):
        pass
    return 20 * (time.process_time() - began)


def _milliseconds(engine: TantivyEngine, query: SearchQuery) -> float:
    least = float("inf")
    for _ in range(TIMES):
        began = time.process_time()
        engine.search(query, limit=MOST_FOUND)
        least = min(least, time.process_time() - began)
    return 1000 * least


if __name__ == "__main__":
    main()
