"""Pools by rank: depth-k, every run's first k documents for each topic, and take-n, up to a budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from workbench.docnos import Places, Words, docnos_from, joined, words_of
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.planning import Certainty, Counts, Planned, Values, size_of_budget
from workbench.pooling.pool import Pool, each_tag_once, gather
from workbench.pooling.run_tops import RunTops, grouped
from workbench.pooling.strategy import BUDGET, DEEPEST, DEPTHS, WHOLE, Parameter, Strategy
from workbench.records import PoolEntry, Run, TieRule, id_bytes, sorted_ids

NO_DEPTHS: Mapping[str, int] = MappingProxyType({})


@frozen_dataclass
class Depths:
    """One depth, and those that runs (by tag) and topics have of their own; 0 takes nothing.

    Raises WorkbenchError for a depth below 1.
    """

    depth: int
    of_runs: Mapping[str, int]
    of_topics: Mapping[str, int]

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise WorkbenchError(f"a pool of depth {self.depth} is empty", remedy="give a depth of 1 or more")

    def of(self, tag: str, topic: str) -> int:
        """Own depths go before the one; where a run and a topic both have theirs, the smaller applies."""
        own = [limit for limit in (self.of_runs.get(tag), self.of_topics.get(topic)) if limit is not None]
        return min(own, default=self.depth)

    def check_known(self, tags: Iterable[str], topics: Iterable[str]) -> None:
        """Raise WorkbenchError where a run or topic that is not among these has a depth of its own."""
        for what, depths, known in (("run", self.of_runs, tags), ("topic", self.of_topics, topics)):
            unknown = sorted_ids(set(depths).difference(known))
            if unknown:
                raise WorkbenchError(
                    f"there is a depth for the {what} {', '.join(unknown)}, but no such {what}",
                    remedy=f"name only a {what} that is pooled",
                )


def depth_pool(
    runs: Iterable[Run],
    *,
    depth: int = 100,
    run_depths: Mapping[str, int] = NO_DEPTHS,
    topic_depths: Mapping[str, int] = NO_DEPTHS,
    ties: TieRule = TieRule.TREC_EVAL,
) -> Pool:
    """The documents that at least one run has among its first `depth` for a topic.

    `run_depths` by tag and `topic_depths` by topic id go before `depth`; where a run and a topic both have
    their own, the smaller applies; 0 takes nothing.
    Runs are taken one by one and not kept, so they may come from an iterator; their order does not matter.
    Raises WorkbenchError for a depth below 1 and for a depth of a run or topic that is not among the runs,
    Conflict where two runs have the same tag.
    Source: Sparck Jones and van Rijsbergen 1975; Manning, Raghavan and Schuetze 2008, section 8.5; depths by
    run as in NIST's sortmerge.pl.

    >>> from workbench.records import Ranking
    >>> a = Run("A", {"1": Ranking(("d1", "d2", "d3"), (3.0, 2.0, 1.0))})
    >>> b = Run("B", {"1": Ranking(("d3", "d6", "d1"), (3.0, 2.0, 1.0))})
    >>> [entry.docno for entry in depth_pool([a, b], depth=2).entries]
    ['d1', 'd2', 'd3', 'd6']
    """
    depths = Depths(depth, run_depths, topic_depths)
    topics: set[str] = set()

    def depth_of(tag: str, topic: str) -> int:
        topics.add(topic)
        return depths.of(tag, topic)

    gathered = gather(runs, depth=depth_of, ties=ties)
    depths.check_known(gathered.tags, topics)
    entries = [entry for topic in gathered.topics for entry in topic.entries(range(len(topic.docnos)))]
    largest_possible = {topic.topic: topic.retrieved for topic in gathered.topics}
    return Pool(tuple(entries), gathered.tags, largest_possible)


def _size(planned: Planned) -> tuple[Counts, Certainty]:
    depths = Depths(*map(planned.values.__getitem__, ("depth", "run_depths", "topic_depths")))
    depths.check_known(planned.reach.tags, planned.reach.topics)
    return planned.new(planned.reach.best <= planned.values["depth"]), Certainty.EXACT


def _depth_read(values: Values) -> int:
    own = (*values["run_depths"].values(), *values["topic_depths"].values())
    return int(max((values["depth"], *own)))


DEPTH = Strategy(
    "depth",
    "every run's first documents for each topic, up to one depth",
    "Sparck Jones and van Rijsbergen 1975",
    (
        Parameter("depth", "top documents of each run, per topic", 100, WHOLE, lowest=1, highest=DEEPEST),
        Parameter("run_depths", "other depth for single runs, such as bm25=50", NO_DEPTHS, DEPTHS),
        Parameter("topic_depths", "other depth for single topics, such as 401=200", NO_DEPTHS, DEPTHS),
    ),
    depth_pool,
    size=_size,
    depth_read=_depth_read,
)


# Equal pairs are sought when so many have come at least, and as many as there are already.
_AT_ONCE = 2**18


def depth_pairs(
    runs: Iterable[RunTops | Run],
    *,
    depth: int = 100,
    run_depths: Mapping[str, int] = NO_DEPTHS,
    topic_depths: Mapping[str, int] = NO_DEPTHS,
) -> dict[str, list[bytes]]:
    """The docnos of the pool that `depth_pool` makes, by topic; topics and docnos sorted (bytes).

    The documents of each run are ordered best first, and reach to the largest of the depths or to the run's
    end. Runs as arrays are what is fast. Runs are taken one by one and not kept; their order does not matter.
    Raises what `depth_pool` raises.
    """
    depths = Depths(depth, run_depths, topic_depths)
    tags: set[str] = set()
    places: dict[str, int] = {}
    arrays = _Distinct()
    strings: dict[str, set[str]] = defaultdict(set)
    for run in each_tag_once(runs):
        tags.add(run.tag)
        topics = tuple(run.rankings) if isinstance(run, Run) else run.topics
        numbers = [places.setdefault(topic, len(places)) for topic in topics]
        limits = [depths.of(run.tag, topic) for topic in topics]
        if isinstance(run, Run):
            for topic, limit in zip(topics, limits, strict=True):
                strings[topic].update(run.rankings[topic].docnos[:limit])
        else:
            kept = run.ranks <= np.array(limits, dtype=np.int64)[run.numbers]
            arrays.add(np.array(numbers, dtype=np.int64)[run.numbers[kept]], run.docnos[kept])
    depths.check_known(tags, places)
    found = arrays.by_number(len(places))
    pool = {}
    for topic in sorted_ids(places):
        docnos = found[places[topic]]
        if strings[topic]:
            docnos = list({*docnos, *map(id_bytes, strings[topic])})
        if docnos:
            pool[topic] = sorted(docnos)
    return pool


class _Distinct:
    """Pairs of a topic's number and a docno, each kept once, as columns."""

    def __init__(self) -> None:
        self._numbers: list[Places] = []
        self._words: list[tuple[Words, ...]] = []
        self._known = self._waiting = 0

    def add(self, numbers: Places, docnos: np.ndarray[tuple[int], np.dtype[np.bytes_]]) -> None:
        """Add pairs, among which may be those that are there."""
        self._numbers.append(numbers)
        self._words.append(words_of(docnos, whole=True))
        self._waiting += len(numbers)
        if self._waiting > max(self._known, _AT_ONCE):
            self._bring_together()

    def by_number(self, count: int) -> list[list[bytes]]:
        """The docnos of each of so many numbers, in no order."""
        if not self._known + self._waiting:
            return [[] for _ in range(count)]
        self._bring_together()
        (numbers,), (words,) = self._numbers, self._words
        order = np.argsort(numbers, kind="stable")
        ends = np.searchsorted(numbers[order], np.arange(count + 1)).tolist()
        docnos = docnos_from(words)[order].tolist()
        return [docnos[begin:end] for begin, end in pairwise(ends)]

    def _bring_together(self) -> None:
        numbers, words = np.concatenate(self._numbers), joined(self._words)
        order, starts = grouped(words, numbers)
        first = order[starts]
        self._numbers, self._words = [numbers[first]], [tuple(word[first] for word in words)]
        self._known, self._waiting = len(first), 0


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
    entries: list[PoolEntry] = []
    for topic in gathered.topics:
        best, first_run = topic.best_ranks()
        entries += topic.entries(np.lexsort((first_run, best))[:budget].tolist())
    return Pool(tuple(entries), gathered.tags, gathered.largest_possible(budget))


def _take_n_size(planned: Planned) -> tuple[Counts, Certainty]:
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
    size=_take_n_size,
)
