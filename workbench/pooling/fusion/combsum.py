"""CombSUM: a run gives a document its score, made comparable."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.pooling.candidates import Floats, TopicCandidates
from workbench.pooling.fusion.weighted import heaviest_pool, min_max
from workbench.pooling.planning import size_of_budget
from workbench.pooling.pool import Pool
from workbench.pooling.strategy import BUDGET, Strategy
from workbench.records import Run, TieRule


def combsum_pool(runs: Iterable[Run], *, budget: int = 100, ties: TieRule = TieRule.TREC_EVAL) -> Pool:
    """The `budget` documents of each topic with the largest sum of scores, min-max within run and topic.

    A run's last document gets 0, the same as one that it did not retrieve.
    Errors and the cut are those of `heaviest_pool`; WorkbenchError also for a score that is not finite.
    Source: Fox and Shaw 1994, normalised as by Lee 1997.
    """
    return heaviest_pool(runs, _sums, budget=budget, ties=ties)


def _sums(topic: TopicCandidates) -> Floats:
    return topic.summed(min_max)


COMBSUM = Strategy(
    "combsum",
    "the documents with the largest sum of normalised scores",
    "Fox and Shaw 1994; Lee 1997",
    (BUDGET,),
    combsum_pool,
    size=size_of_budget,
)
