"""Stratified sampling of the depth pool: much of what runs rank high, less of what they rank low."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from workbench.errors import WorkbenchError
from workbench.pooling.candidates import TopicCandidates, gather
from workbench.pooling.planning import Certainty, Counts, Planned, Values, size_of_sample
from workbench.pooling.pool import Pair, Pool
from workbench.pooling.sampling.strata import STRATA, Stratum, accept_strata, first_by_seed, sample_sizes
from workbench.pooling.strategy import SEED, WHOLE, Parameter, Strategy
from workbench.records import PoolEntry, Run, TieRule

_STRATA = (Stratum(1, 10, 1.0), Stratum(11, 100, 0.1))


def stratified_pool(
    runs: Iterable[Run],
    *,
    strata: Sequence[Stratum] = _STRATA,
    budget: int = 0,
    seed: int = 0,
    ties: TieRule = TieRule.TREC_EVAL,
) -> Pool:
    """For each topic and stratum a simple random sample of the documents whose best rank lies in the stratum.

    `sample_sizes` computes how many are drawn; `budget` is the most for one topic, 0 for no limit. Which ones
    depends on `seeded_key`. An entry's inclusion probability is the share of its stratum that was drawn in
    its topic. A document whose best rank lies in no stratum can never be drawn. Contributions are the runs
    that have a document within the last stratum.
    Raises WorkbenchError for strata that cannot be, a budget below 0 and a stratum without a rate where there
    is no budget, Conflict where two runs have the same tag.
    Source: NIST's make-pools.pl (strata and budget); Yilmaz, Kanoulas and Aslam 2008 (the estimate).
    """
    strata = checked_strata(strata, budget)
    gathered = gather(runs, depth=strata[-1].last, ties=ties)
    entries: list[PoolEntry] = []
    inclusion: dict[Pair, float] = {}
    numbers: dict[Pair, int] = {}
    largest: dict[str, int] = {}
    for topic in gathered.topics:
        members = _members(topic, strata)
        chosen: list[int] = []
        counts = sample_sizes(strata, [len(places) for places in members], budget)
        for number, (places, count) in enumerate(zip(members, counts, strict=True), 1):
            sample = first_by_seed(topic, places, count, seed=seed)
            chosen += sample
            numbers.update({(topic.topic, topic.docnos[place]): number for place in places})
            inclusion.update({(topic.topic, topic.docnos[place]): count / len(places) for place in sample})
        entries.extend(topic.entries(chosen))
        largest[topic.topic] = sum(sample_sizes(strata, _retrieved(topic, strata), budget))
    return Pool(tuple(entries), gathered.tags, largest, inclusion=inclusion, strata=numbers)


def _size(planned: Planned) -> tuple[Counts, Certainty]:
    reach, budget = planned.reach, planned.values["budget"]
    strata = checked_strata(planned.values["strata"], budget)
    members = [(reach.best >= one.first) & (reach.best <= one.last) for one in strata]
    by_stratum = np.array([reach.per_topic(within) for within in members])
    drawn = np.array([sample_sizes(strata, column, budget) for column in by_stratum.T.tolist()])
    total, certainty = np.zeros(len(reach.topics)), Certainty.EXACT
    for within, candidates, counts in zip(members, by_stratum, drawn.reshape(-1, len(strata)).T, strict=True):
        part, certainty = size_of_sample(planned, within, candidates, counts)
        total += part
    return total, certainty


def _depth_read(values: Values) -> int:
    return int(values["strata"][-1].last)


STRATIFIED = Strategy(
    "stratified",
    "random samples of the depth pool at rates by best rank, for infAP, xinfAP and statAP",
    "make-pools.pl of NIST; Yilmaz, Kanoulas and Aslam 2008",
    (
        Parameter("strata", "ranges of best ranks, with their sampling rates", _STRATA, STRATA),
        Parameter("budget", "maximum number of documents per topic, 0 for no limit", 0, WHOLE, lowest=0),
        SEED,
    ),
    stratified_pool,
    size=_size,
    depth_read=_depth_read,
)


def checked_strata(strata: Sequence[Stratum], budget: int) -> tuple[Stratum, ...]:
    """The strata, if they can be sampled with this budget; raises WorkbenchError."""
    try:
        accepted = accept_strata(strata)
    except ValueError as error:
        raise WorkbenchError(
            f"the pool cannot be stratified: {error}", remedy="give strata as 1:10:1 11:100:0.1"
        ) from None
    if budget < 0:
        raise WorkbenchError(f"the budget cannot be {budget}", remedy="give 0 or more")
    if budget == 0 and any(stratum.rate is None for stratum in accepted):
        raise WorkbenchError("a stratum has no rate and there is no budget", remedy="give either")
    return accepted


def _members(topic: TopicCandidates, strata: Sequence[Stratum]) -> list[list[int]]:
    best, _ = topic.best_ranks()
    return [np.flatnonzero((best >= one.first) & (best <= one.last)).tolist() for one in strata]


def _retrieved(topic: TopicCandidates, strata: Sequence[Stratum]) -> list[int]:
    lengths = [len(ranked.documents) for ranked in topic.lists]
    return [sum(max(0, min(one.last, length) - one.first + 1) for length in lengths) for one in strata]
