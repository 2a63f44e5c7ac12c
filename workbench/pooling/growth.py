"""How a depth pool grows with its depth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.errors import WorkbenchError
from workbench.pooling.candidates import Candidates, Gathered, gather
from workbench.pooling.summary import TopicSize
from workbench.records import Run, TieRule


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
    return growth_of(gather(runs, depth=_deepest(depths), ties=ties), depths)


def growth_of(gathered: Gathered, depths: Sequence[int]) -> tuple[SizeAtDepth, ...]:
    """The same of runs that were gathered to the deepest of the depths or further."""
    deepest = _deepest(depths)
    by_topic = [(one.topic, *_cumulated(one, deepest)) for one in gathered.topics]
    return tuple(
        SizeAtDepth(
            depth, tuple(TopicSize(topic, new[depth], longest[depth]) for topic, new, longest in by_topic)
        )
        for depth in depths
    )


def _deepest(depths: Sequence[int]) -> int:
    if not depths or min(depths) < 1:
        raise WorkbenchError("a pool's growth needs depths of 1 or more", remedy="give at least one")
    return max(depths)


def _cumulated(candidates: Candidates, deepest: int) -> tuple[list[int], list[int]]:
    """The pool's size and the largest possible at depth 0, 1, ..., `deepest`."""
    best, _ = candidates.best_ranks()
    new = np.bincount(best[best <= deepest], minlength=deepest + 1)
    lengths = [min(len(ranked.documents), deepest) for ranked in candidates.lists]
    # At depth d every run that has d documents or more adds one.
    reaching = np.bincount(lengths, minlength=deepest + 1)[::-1].cumsum()[::-1]
    reaching[0] = 0
    return np.cumsum(new).tolist(), np.cumsum(reaching).tolist()
