"""What the fusing strategies share: weights for all documents of a topic, cut to the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from workbench.errors import WorkbenchError
from workbench.pooling.candidates import Candidates, Floats, gather
from workbench.pooling.digits import heaviest
from workbench.pooling.pool import Pair, Pool
from workbench.records import PoolEntry, Run, TieRule


def heaviest_pool(
    runs: Iterable[Run], weigh: Callable[[Candidates], Floats], *, budget: int, ties: TieRule
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
