"""CombMNZ: CombSUM, times the number of runs that retrieved the document."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from workbench.pooling.candidates import Floats, TopicCandidates
from workbench.pooling.fusion.weighted import heaviest_pool, min_max
from workbench.pooling.planning import size_of_budget
from workbench.pooling.pool import Pool
from workbench.pooling.strategy import BUDGET, Strategy
from workbench.records import Run, TieRule


def combmnz_pool(runs: Iterable[Run], *, budget: int = 100, ties: TieRule = TieRule.TREC_EVAL) -> Pool:
    """The `budget` documents of each topic with the largest CombSUM times number of retrieving runs.

    A run counts as retrieving wherever it has the document, also where its normalised score is 0.
    Errors and the cut are those of `heaviest_pool`; WorkbenchError also for a score that is not finite.
    Source: Fox and Shaw 1994, normalised as by Lee 1997.
    """
    return heaviest_pool(runs, _products, budget=budget, ties=ties)


def _products(topic: TopicCandidates) -> Floats:
    retrieving = topic.summed(lambda ranked: np.ones(len(ranked.documents)))
    return topic.summed(min_max) * retrieving


COMBMNZ = Strategy(
    "combmnz",
    "as combsum, times the number of runs that retrieved the document",
    "Fox and Shaw 1994; Lee 1997",
    (BUDGET,),
    combmnz_pool,
    size=size_of_budget,
)
