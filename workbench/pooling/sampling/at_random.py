"""A simple random sample of the depth pool."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from workbench.errors import WorkbenchError
from workbench.pooling.candidates import gather
from workbench.pooling.planning import Certainty, Counts, Planned, size_of_sample
from workbench.pooling.pool import Pair, Pool
from workbench.pooling.sampling.strata import first_by_seed
from workbench.pooling.strategy import BUDGET, DEEPEST, SEED, WHOLE, Parameter, Strategy, to_its_depth
from workbench.records import PoolEntry, Run, TieRule


def random_pool(
    runs: Iterable[Run],
    *,
    depth: int = 100,
    budget: int = 100,
    seed: int = 0,
    ties: TieRule = TieRule.TREC_EVAL,
) -> Pool:
    """For each topic `budget` documents of the depth pool, each as likely as the other, without replacement.

    Documents are drawn by `first_by_seed`. The inclusion probability is the share of the topic's depth pool
    that was drawn; a topic is one stratum. Contributions are the runs that have a document within the depth.
    Raises WorkbenchError for a depth or budget below 1 and Conflict where two runs have the same tag.
    Source: Yilmaz and Aslam 2006, who estimate average precision from such a sample.
    """
    if min(depth, budget) < 1:
        raise WorkbenchError(
            f"a sample of {budget} from a pool of depth {depth} is empty", remedy="give 1 or more"
        )
    gathered = gather(runs, depth=depth, ties=ties)
    entries: list[PoolEntry] = []
    inclusion: dict[Pair, float] = {}
    strata: dict[Pair, int] = {}
    for topic in gathered.topics:
        size = len(topic.docnos)
        chosen = topic.entries(first_by_seed(topic, range(size), budget, seed=seed))
        entries.extend(chosen)
        inclusion.update({(topic.topic, entry.docno): len(chosen) / size for entry in chosen})
        strata.update({(topic.topic, docno): 1 for docno in topic.docnos})
    return Pool(
        tuple(entries),
        gathered.tags,
        gathered.largest_possible(budget),
        inclusion=inclusion,
        strata=strata,
    )


def _size(planned: Planned) -> tuple[Counts, Certainty]:
    within = planned.reach.best <= planned.values["depth"]
    candidates = planned.reach.per_topic(within)
    return size_of_sample(planned, within, candidates, np.minimum(planned.values["budget"], candidates))


RANDOM = Strategy(
    "random",
    "a random sample of the depth pool, the same number for each topic",
    "Yilmaz and Aslam 2006",
    (
        Parameter(
            "depth",
            "documents of each run that can be sampled, per topic",
            100,
            WHOLE,
            lowest=1,
            highest=DEEPEST,
        ),
        BUDGET,
        SEED,
    ),
    random_pool,
    size=_size,
    depth_read=to_its_depth,
)
