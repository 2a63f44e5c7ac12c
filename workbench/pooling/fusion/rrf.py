"""Reciprocal rank fusion: a run gives a document one over its rank, damped."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.pooling.candidates import Floats, TopicCandidates
from workbench.pooling.fusion.weighted import heaviest_pool
from workbench.pooling.planning import size_of_budget
from workbench.pooling.pool import Pool
from workbench.pooling.strategy import BUDGET, WHOLE, Parameter, Strategy
from workbench.records import Run, TieRule


def rrf_pool(
    runs: Iterable[Run], *, budget: int = 100, k: int = 60, ties: TieRule = TieRule.TREC_EVAL
) -> Pool:
    """The `budget` documents of each topic with the largest sum over the runs of 1 / (k + rank).

    Errors and the cut are those of `heaviest_pool`.
    Source: Cormack, Clarke and Buettcher 2009, who take k = 60.
    """

    def weigh(topic: TopicCandidates) -> Floats:
        return topic.summed(lambda ranked: 1 / (k + ranked.ranks))

    return heaviest_pool(runs, weigh, budget=budget, ties=ties)


RRF = Strategy(
    "rrf",
    "the documents with the largest sum of reciprocal ranks",
    "Cormack, Clarke and Buettcher 2009",
    (
        BUDGET,
        Parameter("k", "how strongly the first ranks are damped", 60, WHOLE, lowest=0),
    ),
    rrf_pool,
    size=size_of_budget,
)
