"""Depth-k pooling: the union of every run's first k documents for each topic."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.errors import Conflict, WorkbenchError
from workbench.pooling.pool import Pool
from workbench.ranking import top
from workbench.records import Contribution, PoolEntry, Run, TieRule, id_bytes, sorted_ids

_Found = dict[str, dict[str, list[Contribution]]]


def depth_pool(runs: Iterable[Run], *, depth: int = 100, ties: TieRule = TieRule.TREC_EVAL) -> Pool:
    """The documents that at least one run has among its first `depth` for a topic.

    Runs are taken one by one and not kept, so they may come from an iterator; their order does not matter.
    Raises WorkbenchError for a depth below 1 and Conflict where two runs have the same tag.
    Source: Sparck Jones and van Rijsbergen 1975; Manning, Raghavan and Schuetze 2008, section 8.5.

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
    for run in runs:
        if run.tag in tags:
            raise Conflict(
                f'two runs have the tag "{run.tag}"', remedy="give every run once, each with its own tag"
            )
        tags.add(run.tag)
        for topic, ranking in run.rankings.items():
            first = top(ranking, depth, ties=ties)
            if first:
                largest_possible[topic] = largest_possible.get(topic, 0) + len(first)
                _add(found.setdefault(topic, {}), first, run.tag)
    return Pool(_entries(found), tuple(sorted_ids(tags)), largest_possible)


def _add(documents: dict[str, list[Contribution]], first: Iterable[str], tag: str) -> None:
    for rank, docno in enumerate(first, 1):
        documents.setdefault(docno, []).append(Contribution(tag, rank))


def _entries(found: _Found) -> tuple[PoolEntry, ...]:
    return tuple(
        PoolEntry(topic, docno, tuple(sorted(found[topic][docno], key=_by_rank)))
        for topic in sorted_ids(found)
        for docno in sorted_ids(found[topic])
    )


def _by_rank(contribution: Contribution) -> tuple[int, bytes]:
    return contribution.rank, id_bytes(contribution.tag)
