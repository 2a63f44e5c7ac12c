"""MM-NS: max-mean that forgets, so that a run is left as soon as it runs dry."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from workbench.pooling.adaptive.bandits import MaxMean
from workbench.pooling.adaptive.live import Adaptive, adaptive_pool
from workbench.pooling.planning import size_of_adaptive
from workbench.pooling.strategy import BUDGET, DEPTH_READ, NUMBER, Parameter, Strategy, to_its_depth
from workbench.records import Run, TieRule


def mm_ns(
    runs: Iterable[Run],
    *,
    depth: int = 100,
    budget: int = 100,
    rate: float = 0.0,
    ties: TieRule = TieRule.TREC_EVAL,
) -> Adaptive:
    """A pool as of `max_mean` in which earlier judgments weigh `rate` times less with each later one.

    At rate 0 the last document of a run that was judged counts alone, at rate 1 it is max-mean.
    Raises as `adaptive_pool`. Source: Losada, Parapar and Barreiro 2016 and 2017; the order of ties is ours.
    """
    return adaptive_pool(runs, partial(MaxMean, rate=rate), depth=depth, budget=budget, ties=ties)


MM_NS = Strategy(
    "mm-ns",
    "as max-mean, but what was judged last counts most",
    "Losada, Parapar and Barreiro 2016, 2017",
    (
        DEPTH_READ,
        BUDGET,
        Parameter("rate", "how much an earlier judgment still counts", 0.0, NUMBER, lowest=0, highest=1),
    ),
    mm_ns,
    size=size_of_adaptive,
    depth_read=to_its_depth,
)
