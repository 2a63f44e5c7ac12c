"""Depth-k pooling: the union of every run's first k documents for each topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from workbench.errors import WorkbenchError
from workbench.pooling.parameters import DEPTHS, WHOLE, Parameter, Strategy
from workbench.pooling.pool import Pool
from workbench.pooling.tags import each_tag_once
from workbench.ranking import top
from workbench.records import Contribution, PoolEntry, Run, TieRule, id_bytes, sorted_ids

_Found = dict[str, dict[str, list[Contribution]]]
_NO_OTHERS: Mapping[str, int] = MappingProxyType({})


def depth_pool(
    runs: Iterable[Run],
    *,
    depth: int = 100,
    run_depths: Mapping[str, int] = _NO_OTHERS,
    topic_depths: Mapping[str, int] = _NO_OTHERS,
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
    if depth < 1:
        raise WorkbenchError(f"a pool of depth {depth} holds nothing", remedy="give a depth of 1 or more")
    found: _Found = {}
    largest_possible: dict[str, int] = {}
    tags: set[str] = set()
    topics: set[str] = set()
    for run in each_tag_once(runs):
        tags.add(run.tag)
        topics.update(run.rankings)
        of_run = run_depths.get(run.tag)
        for topic, ranking in run.rankings.items():
            own = [limit for limit in (of_run, topic_depths.get(topic)) if limit is not None]
            first = top(ranking, min(own, default=depth), ties=ties)
            if first:
                largest_possible[topic] = largest_possible.get(topic, 0) + len(first)
                _add(found.setdefault(topic, {}), first, run.tag)
    _check_known("run", run_depths, tags)
    _check_known("topic", topic_depths, topics)
    return Pool(_entries(found), tuple(sorted_ids(tags)), largest_possible)


DEPTH = Strategy(
    "depth",
    "every run's first documents for each topic, up to one depth",
    "Sparck Jones and van Rijsbergen 1975",
    (
        Parameter("depth", "how many documents of each run, for each topic", 100, WHOLE, lowest=1),
        Parameter("run_depths", "runs with a depth of their own", _NO_OTHERS, DEPTHS),
        Parameter("topic_depths", "topics with a depth of their own", _NO_OTHERS, DEPTHS),
    ),
    depth_pool,
)


def _add(documents: dict[str, list[Contribution]], first: Iterable[str], tag: str) -> None:
    for rank, docno in enumerate(first, 1):
        documents.setdefault(docno, []).append(Contribution(tag, rank))


def _check_known(what: str, depths: Mapping[str, int], known: set[str]) -> None:
    unknown = sorted_ids(set(depths) - known)
    if unknown:
        raise WorkbenchError(
            f"there is a depth for the {what} {', '.join(unknown)}, but no such {what}",
            remedy=f"name only a {what} that is pooled",
        )


def _entries(found: _Found) -> tuple[PoolEntry, ...]:
    return tuple(
        PoolEntry(topic, docno, tuple(sorted(found[topic][docno], key=_by_rank)))
        for topic in sorted_ids(found)
        for docno in sorted_ids(found[topic])
    )


def _by_rank(contribution: Contribution) -> tuple[int, bytes]:
    return contribution.rank, id_bytes(contribution.tag)
