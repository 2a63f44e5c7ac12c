"""How a depth pool grows with its depth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError
from workbench.pooling.summary import TopicSize
from workbench.pooling.tags import each_tag_once
from workbench.ranking import top
from workbench.records import Run, TieRule, sorted_ids

_Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SizeAtDepth:
    """The size of the depth pool at one depth, topics sorted (bytes)."""

    depth: int
    topics: tuple[TopicSize, ...]

    @property
    def size(self) -> int:
        """The pairs of all topics."""
        return sum(topic.size for topic in self.topics)

    @property
    def largest_possible(self) -> int:
        """The pairs of all topics had no two runs brought the same."""
        return sum(topic.largest_possible for topic in self.topics)


def growth(
    runs: Iterable[Run], depths: Sequence[int], *, ties: TieRule = TieRule.TREC_EVAL
) -> tuple[SizeAtDepth, ...]:
    """The sizes of the depth pool at all these depths, from reading the runs once; in the order of `depths`.

    Runs are taken one by one and not kept.
    Raises WorkbenchError without a depth or for one below 1, Conflict where two runs have the same tag.
    """
    if not depths or min(depths) < 1:
        raise WorkbenchError("a pool's growth needs depths of 1 or more", remedy="give at least one")
    deepest = max(depths)
    best: dict[str, dict[str, int]] = {}
    lengths: dict[str, list[int]] = {}
    for run in each_tag_once(runs):
        for topic, ranking in run.rankings.items():
            first = top(ranking, deepest, ties=ties)
            if first:
                lengths.setdefault(topic, []).append(len(first))
                _note(best.setdefault(topic, {}), first)
    topics = sorted_ids(best)
    new = {topic: _cumulated(list(best[topic].values()), deepest) for topic in topics}
    return tuple(
        SizeAtDepth(
            depth,
            tuple(
                TopicSize(topic, int(new[topic][depth]), sum(min(depth, length) for length in lengths[topic]))
                for topic in topics
            ),
        )
        for depth in depths
    )


def _note(best: dict[str, int], first: Iterable[str]) -> None:
    for rank, docno in enumerate(first, 1):
        if rank < best.get(docno, rank + 1):
            best[docno] = rank


def _cumulated(ranks: list[int], deepest: int) -> _Counts:
    return np.cumsum(np.bincount(ranks, minlength=deepest + 1))
