"""What the fusion strategies share: normalised scores, and document weights cut to the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from workbench.errors import WorkbenchError
from workbench.pooling.candidates import Floats, Ranked, TopicCandidates, gather, heaviest
from workbench.pooling.pool import Pair, Pool
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
