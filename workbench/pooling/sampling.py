"""Strategies that sample the depth pool: what was drawn, with which probability, from which stratum.

To add one: as `random_pool` (one rate) or `stratified_pool` (several), draw by `first_by_seed` so that the
same seed gives the same sample, fill `Pool.inclusion` and `Pool.strata`, which the estimators read, and add
its line to `workbench.pooling.strategies`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise

import numpy as np

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.planning import Certainty, Counts, Planned, Values, size_of_sample
from workbench.pooling.pool import Pair, Pool, TopicCandidates, gather
from workbench.pooling.strategy import (
    BUDGET,
    DEEPEST,
    SEED,
    WHOLE,
    Parameter,
    ParameterKind,
    Strategy,
    to_its_depth,
)
from workbench.records import PoolEntry, Run, TieRule, id_bytes, sorted_pairs


def seeded_key(seed: int, topic: str, docno: str) -> bytes:
    """The sort key of a pair: SHA-256 of seed (in decimal), topic and docno, a line feed between each."""
    return sha256(b"%d\n%b\n%b" % (seed, id_bytes(topic), id_bytes(docno))).digest()


def first_by_seed(topic: TopicCandidates, documents: Iterable[int], count: int, *, seed: int) -> list[int]:
    """The `count` of these documents (places in the topic's docnos) with the smallest seeded keys.

    As keys do not depend on one another, this is a simple random sample without replacement, and a larger
    count only adds to a smaller one.
    """
    return sorted(documents, key=lambda place: seeded_key(seed, topic.topic, topic.docnos[place]))[:count]


_SPEC = re.compile(r"([0-9]+):([0-9]+)(?::((?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][+-]?[0-9]+)?))?")


@frozen_dataclass
class Stratum:
    """The documents whose best rank lies from `first` to `last`, and the share of them that is drawn.

    Without a `rate` the stratum gets what the others leave of the budget.
    """

    first: int
    last: int
    rate: float | None = None

    def __str__(self) -> str:
        return f"{self.first}:{self.last}" + (
            "" if self.rate is None else f":{self.rate!r}".removesuffix(".0")
        )


def accept_strata(given: object) -> tuple[Stratum, ...]:
    """Strata from text (`from:to:rate` or `from:to`, white space or commas between) or as they are.

    Raises ValueError where there are none, one is not understood, they overlap or are out of order, a rate is
    not above 0 and at most 1, or more than one has none.
    """
    if isinstance(given, str):
        strata = tuple(_read(spec) for spec in given.replace(",", " ").split())
    elif isinstance(given, Iterable):
        strata = tuple(one for one in given if isinstance(one, Stratum))
    else:
        raise ValueError
    if not strata:
        raise ValueError("there is no stratum")
    for one in strata:
        if not 1 <= one.first <= one.last:
            raise ValueError(f"{one} is not a range of ranks")
        if one.rate is not None and not 0 < one.rate <= 1:
            raise ValueError(f"the rate of {one} is not above 0 and at most 1")
    for before, after in pairwise(strata):
        if after.first <= before.last:
            raise ValueError(f"{after} does not begin after {before}")
    if sum(one.rate is None for one in strata) > 1:
        raise ValueError("more than one stratum has no rate")
    return strata


def sample_sizes(strata: Sequence[Stratum], sizes: Sequence[int], budget: int) -> list[int]:
    """How many documents of each stratum are drawn, `sizes` being how many there are.

    A rate times the size is rounded to the nearest whole number, a half up, but at least one document of a
    stratum is drawn if it has any. A budget (0 is none) is spent on the strata with a rate in their order;
    the one without gets what is left. The products are exact in decimal: 0.15 of 10 is 1.5, hence 2.
    """
    left = budget or sum(sizes)
    counts = [0] * len(strata)
    for place, (stratum, size) in enumerate(zip(strata, sizes, strict=True)):
        if stratum.rate is not None and size:
            rounded = math.floor(Fraction(repr(stratum.rate)) * size + Fraction(1, 2))
            counts[place] = min(max(rounded, 1), left)
            left -= counts[place]
    for place, (stratum, size) in enumerate(zip(strata, sizes, strict=True)):
        if stratum.rate is None:
            counts[place] = min(size, left)
    return counts


def _read(spec: str) -> Stratum:
    found = _SPEC.fullmatch(spec)
    if found is None:
        raise ValueError(f"{spec} is not from:to:rate")
    first, last, rate = found.groups()
    return Stratum(int(first), int(last), None if rate is None else float(rate))


def _write(strata: Iterable[Stratum]) -> str:
    return " ".join(map(str, strata))


STRATA = ParameterKind("list of strata from:to:rate", "1:10:1 11:100:0.1", accept_strata, _write)


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


def _stratified_size(planned: Planned) -> tuple[Counts, Certainty]:
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
    size=_stratified_size,
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


UNSAMPLED = "-1"


def xinfap_rows(pool: Pool, grades: Mapping[Pair, int]) -> Iterator[tuple[str, ...]]:
    """The fields `topic 0 docno stratum grade` of all that could be drawn, for xinfAP and infNDCG.

    Grade -1 is what was not drawn, and what was drawn but is not in `grades`: the estimator may count as
    sampled only what has a grade. Rows are sorted by topic and docno (bytes).
    Source: NIST's sample_eval.pl (Yilmaz, Kanoulas and Aslam 2008).
    """
    for pair in sorted_pairs(pool.strata):
        grade = grades.get(pair) if pair in pool.inclusion else None
        written = UNSAMPLED if grade is None else str(grade)
        yield pair[0], "0", pair[1], str(pool.strata[pair]), written


def infap_rows(pool: Pool, grades: Mapping[Pair, int]) -> Iterator[tuple[str, ...]]:
    """The fields `topic 0 docno grade` of all that could be drawn, for trec_eval's infAP; -1 as above.

    infAP has no strata: it is for a sample that is equally likely throughout.
    Source: trec_eval m_infap.c (Yilmaz and Aslam 2006).
    """
    for topic, iteration, docno, _, grade in xinfap_rows(pool, grades):
        yield topic, iteration, docno, grade
