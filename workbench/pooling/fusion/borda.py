"""Borda-fuse: runs are voters who rank the documents of a topic."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.pooling.candidates import Floats, Ranked, TopicCandidates
from workbench.pooling.fusion.weighted import heaviest_pool
from workbench.pooling.planning import size_of_budget
from workbench.pooling.pool import Pool
from workbench.pooling.strategy import BUDGET, Strategy
from workbench.records import Run, TieRule


def borda_pool(runs: Iterable[Run], *, budget: int = 100, ties: TieRule = TieRule.TREC_EVAL) -> Pool:
    """The `budget` documents of each topic with the most points.

    Of the c documents that any run retrieved for the topic a run gives c points to its first, c - 1 to its
    second and so on; those that it did not retrieve share the points that are left. A run without a document
    for the topic does not vote.
    Errors and the cut are those of `heaviest_pool`.
    Source: Aslam and Montague 2001.
    """
    return heaviest_pool(runs, _points, budget=budget, ties=ties)


def _points(topic: TopicCandidates) -> Floats:
    documents = len(topic.docnos)

    def shares(ranked: Ranked) -> float:
        # 1 + 2 + ... + m points are left for m documents.
        return (documents - len(ranked.documents) + 1) / 2

    beyond = topic.summed(lambda ranked: documents + 1 - ranked.ranks - shares(ranked))
    return beyond + sum(shares(ranked) for ranked in topic.lists)


BORDA = Strategy(
    "borda",
    "the documents with the most points when runs vote by rank",
    "Aslam and Montague 2001",
    (BUDGET,),
    borda_pool,
    size=size_of_budget,
)
