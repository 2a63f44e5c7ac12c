"""Depth-k pooling: the union of every run's first k documents for each topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.pooling.candidates import gather
from workbench.pooling.depths import NO_OTHERS, Depths
from workbench.pooling.parameters import DEPTHS, WHOLE, Parameter, Strategy
from workbench.pooling.pool import Pool
from workbench.records import Run, TieRule


def depth_pool(
    runs: Iterable[Run],
    *,
    depth: int = 100,
    run_depths: Mapping[str, int] = NO_OTHERS,
    topic_depths: Mapping[str, int] = NO_OTHERS,
    ties: TieRule = TieRule.TREC_EVAL,
) -> Pool:
    """The documents that at least one run has among its first `depth` for a topic.

    `run_depths` by tag and `topic_depths` by topic id go before `depth`; where a run and a topic both have
    their own, the smaller holds; 0 takes nothing.
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
    depths.check_known(set(gathered.tags), topics)
    entries = [entry for topic in gathered.topics for entry in topic.entries(range(len(topic.docnos)))]
    largest_possible = {topic.topic: topic.retrieved for topic in gathered.topics}
    return Pool(tuple(entries), gathered.tags, largest_possible)


DEPTH = Strategy(
    "depth",
    "every run's first documents for each topic, up to one depth",
    "Sparck Jones and van Rijsbergen 1975",
    (
        Parameter("depth", "how many documents of each run, for each topic", 100, WHOLE, lowest=1),
        Parameter("run_depths", "runs with a depth of their own", NO_OTHERS, DEPTHS),
        Parameter("topic_depths", "topics with a depth of their own", NO_OTHERS, DEPTHS),
    ),
    depth_pool,
)
