"""Strategies that fuse the runs: every document gets a weight, and the heaviest of each topic are pooled.

To add one: a function that weighs a topic's documents, its strategy by `fusion`, and a line in
`workbench.pooling.strategies`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from workbench.errors import WorkbenchError
from workbench.pooling.planning import size_of_budget
from workbench.pooling.pool import Floats, Pair, Pool, Ranked, TopicCandidates, gather, heaviest
from workbench.pooling.strategy import BUDGET, NUMBER, WHOLE, Parameter, Strategy
from workbench.records import PoolEntry, Run, TieRule


def min_max(ranked: Ranked) -> Floats:
    """The scores of a run for a topic between 0 (its last document) and 1 (its first).

    Where all scores are equal they carry no information and are 0, as in ranx. Raises WorkbenchError for a
    score that is not a finite number.
    Source: Lee 1997.
    """
    high, low = float(ranked.scores[0]), float(ranked.scores[-1])
    if not np.isfinite(ranked.scores).all():
        raise WorkbenchError(
            f'the run "{ranked.tag}" has a score that is not a finite number', remedy="load a corrected run"
        )
    if high == low:
        return np.zeros(len(ranked.scores))
    if not np.isfinite(high - low):
        # The halves of two doubles never lie too far apart.
        return (ranked.scores / 2 - low / 2) / (high / 2 - low / 2)
    return (ranked.scores - low) / (high - low)


def heaviest_pool(
    runs: Iterable[Run], weigh: Callable[[TopicCandidates], Floats], *, budget: int, ties: TieRule
) -> Pool:
    """The `budget` documents of each topic with the largest weights, with these weights.

    Runs are read whole. Weights (0 or more, one for each document) are compared after rounding to 12 digits;
    of equal ones the docno that comes last (bytes) goes first. Contributions are all runs that retrieved a
    document.
    Raises WorkbenchError for a budget below 1 and Conflict where two runs have the same tag.
    """
    if budget < 1:
        raise WorkbenchError(f"a budget of {budget} judges nothing", remedy="give a budget of 1 or more")
    gathered = gather(runs, ties=ties)
    entries: list[PoolEntry] = []
    weights: dict[Pair, float] = {}
    for topic in gathered.topics:
        chosen = dict(heaviest(weigh(topic), budget))
        entries.extend(topic.entries(chosen))
        weights.update({(topic.topic, topic.docnos[place]): chosen[place] for place in sorted(chosen)})
    return Pool(tuple(entries), gathered.tags, gathered.largest_possible(budget), weights=weights)


def fusion(
    name: str, help: str, source: str, weigh: Callable[..., Floats], *parameters: Parameter
) -> Strategy[Pool]:
    """The strategy of pools of the documents that weigh most; raises as `heaviest_pool` to build one.

    `weigh` gives every document of a topic its weight; the strategy's `parameters`, besides the budget, are
    its own, by keyword.
    """

    def build(runs: Iterable[Run], *, budget: int, ties: TieRule, **of_weights: float) -> Pool:
        return heaviest_pool(runs, partial(weigh, **of_weights), budget=budget, ties=ties)

    return Strategy(name, help, source, (BUDGET, *parameters), build, size=size_of_budget)


def points(topic: TopicCandidates) -> Floats:
    """Of the c documents that any run retrieved a run gives c points to its first, c - 1 to its second ...

    Those that it did not retrieve share the points that are left. A run without a document for the topic does
    not vote. Source: Aslam and Montague 2001.
    """
    documents = len(topic.docnos)

    def shares(ranked: Ranked) -> float:
        # 1 + 2 + ... + m points are left for m documents.
        return (documents - len(ranked.documents) + 1) / 2

    beyond = topic.summed(lambda ranked: documents + 1 - ranked.ranks - shares(ranked))
    return beyond + sum(shares(ranked) for ranked in topic.lists)


def sums(topic: TopicCandidates) -> Floats:
    """The sum of scores, min-max within run and topic.

    A run's last document gets 0, the same as one that it did not retrieve. Raises WorkbenchError for a score
    that is not finite. Source: Fox and Shaw 1994, normalised as by Lee 1997.
    """
    return topic.summed(min_max)


def products(topic: TopicCandidates) -> Floats:
    """CombSUM times the number of retrieving runs, also where a normalised score is 0; raises as `sums`.

    Source: Fox and Shaw 1994, normalised as by Lee 1997.
    """
    return sums(topic) * topic.summed(lambda ranked: np.ones(len(ranked.documents)))


def rank_biased(topic: TopicCandidates, *, p: float) -> Floats:
    """The sum over the runs of (1 - p) p^(rank - 1). Source: Moffat, Webber and Zobel 2007, method A."""
    return topic.summed(lambda ranked: (1 - p) * p ** (ranked.ranks - 1))


def reciprocal_ranks(topic: TopicCandidates, *, k: int) -> Floats:
    """The sum over the runs of 1 / (k + rank).

    Source: Cormack, Clarke and Buettcher 2009, who take k = 60.
    """
    return topic.summed(lambda ranked: 1 / (k + ranked.ranks))


PERSISTENCE = Parameter(
    "p", "probability that a reader goes on to the next rank", 0.8, NUMBER, lowest=0.01, highest=0.999
)
BORDA = fusion(
    "borda", "the documents with the most points when runs vote by rank", "Aslam and Montague 2001", points
)
COMBMNZ = fusion(
    "combmnz",
    "as combsum, times the number of runs that retrieved the document",
    "Fox and Shaw 1994; Lee 1997",
    products,
)
COMBSUM = fusion(
    "combsum", "the documents with the largest sum of normalised scores", "Fox and Shaw 1994; Lee 1997", sums
)
RBP = fusion(
    "rbp",
    "the documents with the most RBP weight over all runs",
    "Moffat, Webber and Zobel 2007, method A",
    rank_biased,
    PERSISTENCE,
)
RRF = fusion(
    "rrf",
    "the documents with the largest sum of reciprocal ranks",
    "Cormack, Clarke and Buettcher 2009",
    reciprocal_ranks,
    Parameter("k", "how strongly the first ranks are damped", 60, WHOLE, lowest=0),
)
