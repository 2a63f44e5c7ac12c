"""Rank-biased weights: a run gives a document the weight that rank-biased precision gives its rank."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.pooling.candidates import Floats, TopicCandidates
from workbench.pooling.fusion.weighted import heaviest_pool
from workbench.pooling.planning import size_of_budget
from workbench.pooling.pool import Pool
from workbench.pooling.strategy import BUDGET, NUMBER, Parameter, Strategy
from workbench.records import Run, TieRule

PERSISTENCE = Parameter(
    "p", "how likely a reader goes on to the next rank", 0.8, NUMBER, lowest=0.01, highest=0.999
)


def rbp_pool(
    runs: Iterable[Run], *, budget: int = 100, p: float = 0.8, ties: TieRule = TieRule.TREC_EVAL
) -> Pool:
    """The `budget` documents of each topic with the largest sum over the runs of (1 - p) p^(rank - 1).

    Errors and the cut are those of `heaviest_pool`.
    Source: Moffat, Webber and Zobel 2007, method A.
    """

    def weigh(topic: TopicCandidates) -> Floats:
        return topic.summed(lambda ranked: (1 - p) * p ** (ranked.ranks - 1))

    return heaviest_pool(runs, weigh, budget=budget, ties=ties)


RBP = Strategy(
    "rbp",
    "the documents that weigh most in the runs' rank-biased precision",
    "Moffat, Webber and Zobel 2007, method A",
    (BUDGET, PERSISTENCE),
    rbp_pool,
    size=size_of_budget,
)
