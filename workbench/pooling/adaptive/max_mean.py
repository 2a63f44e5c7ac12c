"""Max-mean: plays the run that has the largest posterior mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from workbench.pooling.adaptive.bandit import Bandit
from workbench.pooling.adaptive.live import Adaptive, adaptive_pool
from workbench.pooling.candidates import to_twelve_digits
from workbench.pooling.planning import size_of_adaptive
from workbench.pooling.strategy import BUDGET, DEPTH_READ, Strategy, to_its_depth
from workbench.records import Run, TieRule


class MaxMean(Bandit):
    """Values a run by (relevant + 1) / (judged + 2), compared to 12 digits."""

    def values(self) -> Sequence[float]:
        return [to_twelve_digits(mean) for mean in ((self.relevant + 1) / (self.judged + 2)).tolist()]


def max_mean(
    runs: Iterable[Run], *, depth: int = 100, budget: int = 100, ties: TieRule = TieRule.TREC_EVAL
) -> Adaptive:
    """A pool that plays the run with the largest mean of relevant documents so far; see `Bandit`, rate 1.

    Raises as `adaptive_pool`. Source: Losada, Parapar and Barreiro 2016 and 2017; the order of ties is ours.
    """
    return adaptive_pool(runs, partial(MaxMean, rate=1.0), depth=depth, budget=budget, ties=ties)


MAX_MEAN = Strategy(
    "max-mean",
    "the next document of the run with the largest share of relevant documents so far",
    "Losada, Parapar and Barreiro 2016, 2017",
    (DEPTH_READ, BUDGET),
    max_mean,
    size=size_of_adaptive,
    depth_read=to_its_depth,
)
