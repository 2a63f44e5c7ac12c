"""A pool, the result of every strategy: the pairs to be judged; and its size over all and by topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.figures import counted
from workbench.records import PoolEntry, sorted_ids
from workbench.tables import ResultRows, ResultTable

Pair = tuple[str, str]
"""A topic and a docno."""


@dataclass(frozen=True, slots=True)
class Pool(ResultTable):
    """The (topic, document) pairs that a strategy chose from runs.

    `entries` are sorted by topic, then docno (bytes), one for each pair; `tags` are the runs, sorted (bytes);
    `largest_possible` is for each topic how many pairs there would be if no two runs shared a document.
    By pair, empty unless the strategy has them: `weights`, by which entries were chosen, to 12 digits;
    `inclusion`, the probability (above 0, at most 1) with which an entry was drawn; `strata`, the number
    (from 1) of the stratum of every pair that could have been drawn, whether it was or not.
    """

    entries: tuple[PoolEntry, ...]
    tags: tuple[str, ...]
    largest_possible: Mapping[str, int]
    weights: Mapping[Pair, float] = field(default_factory=dict)
    inclusion: Mapping[Pair, float] = field(default_factory=dict)
    strata: Mapping[Pair, int] = field(default_factory=dict)

    @property
    def pairs(self) -> frozenset[Pair]:
        """The topic and docno of every entry."""
        return frozenset((entry.topic, entry.docno) for entry in self.entries)

    def table(self) -> ResultRows:
        """A row for each pair: how many runs contributed it, its best rank, and its probability if drawn."""
        rows = (
            (
                one.topic,
                one.docno,
                len(one.contributions),
                min((each.rank for each in one.contributions), default=None),
                self.inclusion.get((one.topic, one.docno)),
            )
            for one in self.entries
        )
        topics, count = len({one.topic for one in self.entries}), len(self.entries)
        made_of = f"{counted(topics, 'topic')}, of {counted(len(self.tags), 'run')}"
        columns = ("topic", "docno", "runs", "best_rank", "inclusion")
        return ResultRows(f"Pool: {counted(count, 'pair')} in {made_of}", columns, rows, count)


@dataclass(frozen=True, slots=True)
class TopicSize:
    """The pairs of one topic in a pool, and how many there would be if no two runs shared a document."""

    topic: str
    size: int
    largest_possible: int


@dataclass(frozen=True, slots=True)
class PoolSummary:
    """The size of a pool in pairs; topics are sorted (bytes)."""

    runs: int
    topics: tuple[TopicSize, ...]
    size: int
    largest_possible: int

    @property
    def share(self) -> float | None:
        """The size as a share of the largest possible, None where nothing was possible.

        The smaller, the more the runs overlap: TREC-8's 86,830 pairs are 24.5 per cent of 71 x 50 x 100.
        """
        return self.size / self.largest_possible if self.largest_possible else None


def summarise(pool: Pool) -> PoolSummary:
    """The sizes of a pool."""
    sizes = Counter(entry.topic for entry in pool.entries)
    return PoolSummary(
        runs=len(pool.tags),
        topics=tuple(
            TopicSize(topic, sizes[topic], pool.largest_possible[topic])
            for topic in sorted_ids(pool.largest_possible)
        ),
        size=len(pool.entries),
        largest_possible=sum(pool.largest_possible.values()),
    )
