"""Take-n: rank by rank from every run in turn, until the budget of the topic is reached."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from workbench.errors import WorkbenchError
from workbench.pooling.candidates import TopicCandidates, gather
from workbench.pooling.planning import Certainty, Counts, Planned, size_of_budget
from workbench.pooling.pool import Pool
from workbench.pooling.strategy import BUDGET, Strategy
from workbench.records import Run, TieRule


def take_n_pool(runs: Iterable[Run], *, budget: int = 100, ties: TieRule = TieRule.TREC_EVAL) -> Pool:
    """The first `budget` documents of each topic, taken from the runs in turn, rank by rank.

    All runs give their first document, then all their second, and so on; one that is in the pool already is
    not counted again. Within a rank runs follow in the order of their tags (bytes): where the budget ends
    amid a rank, the later tags give one document less. Contributions are all runs that retrieved a document.
    Raises WorkbenchError for a budget below 1 and Conflict where two runs have the same tag.
    Source: Lipani, Zuccon, Lupu, Koopman and Hanbury 2016 (Take@N); the order within a rank is ours.
    """
    if budget < 1:
        raise WorkbenchError(f"a budget of {budget} judges nothing", remedy="give a budget of 1 or more")
    gathered = gather(runs, ties=ties)
    entries = [entry for topic in gathered.topics for entry in topic.entries(_first(topic, budget))]
    return Pool(tuple(entries), gathered.tags, gathered.largest_possible(budget))


def _first(topic: TopicCandidates, budget: int) -> list[int]:
    best, first_run = topic.best_ranks()
    chosen: list[int] = np.lexsort((first_run, best))[:budget].tolist()
    return chosen


def _size(planned: Planned) -> tuple[Counts, Certainty]:
    if not planned.supplementary:
        return size_of_budget(planned)
    reach = planned.reach
    order = np.lexsort((reach.first, reach.best, reach.numbers))
    sorted_numbers = reach.numbers[order]
    starts = np.searchsorted(sorted_numbers, np.arange(len(reach.topics)))
    chosen = np.zeros(len(order), dtype=np.bool_)
    chosen[order] = np.arange(len(order)) - starts[sorted_numbers] < planned.values["budget"]
    return planned.new(chosen), Certainty.EXACT


TAKE_N = Strategy(
    "take-n",
    "every run's documents in turn, rank by rank, until the budget is reached",
    "Lipani, Zuccon, Lupu, Koopman and Hanbury 2016",
    (BUDGET,),
    take_n_pool,
    size=_size,
)
