"""A pool, the result of every strategy: the pairs to be judged; and its size over all and by topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.figures import counted
from workbench.records import PoolEntry, pair_of
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
        return frozenset(pair_of(entry) for entry in self.entries)

    def table(self) -> ResultRows:
        """A row for each pair: how many runs contributed it, its best rank, and its probability if drawn."""
        rows = (
            (
                one.topic,
                one.docno,
                len(one.contributions),
                min((each.rank for each in one.contributions), default=None),
                self.inclusion.get(pair_of(one)),
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
