"""Sizes, contributions, overlaps and ties of pools and runs, as tests ask for them one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.errors import Conflict
from workbench.pooling.adaptive_pool import Adaptive, Happening, PoolEvent
from workbench.pooling.analysis import SizeAtDepth, growth_of
from workbench.pooling.contributions import (
    Contributors,
    CutTie,
    DecidedByTies,
    Incidence,
    Part,
    RunOverlap,
    TopicIncidence,
    cut_ties_by_rule,
    decided_in,
    in_order,
    incidence_of_tops,
    overlap_of,
)
from workbench.pooling.pool import Pool, TopicSize, gather
from workbench.pooling.strategies import build_pool, start
from workbench.records import Run, TieRule, sorted_ids


@dataclass(frozen=True, slots=True)
class PoolSummary:
    """The size of a pool in pairs; topics are sorted (bytes)."""

    runs: int
    topics: tuple[TopicSize, ...]
    size: int
    largest_possible: int

    @property
    def share(self) -> float | None:
        """The size as a share of the largest possible, None where nothing was possible."""
        return self.size / self.largest_possible if self.largest_possible else None


def summarise(pool: Pool) -> PoolSummary:
    """The sizes of a pool."""
    sizes = Counter(entry.topic for entry in pool.entries)
    return PoolSummary(
        runs=len(pool.tags),
        topics=tuple(
            TopicSize(topic, sizes[topic], pool.largest_possible[topic])
            for topic in sorted_ids(pool.largest_possible)
        ),
        size=len(pool.entries),
        largest_possible=sum(pool.largest_possible.values()),
    )


def growth(
    runs: Iterable[Run], depths: Sequence[int], *, ties: TieRule = TieRule.TREC_EVAL
) -> tuple[SizeAtDepth, ...]:
    """The sizes of the depth pool at all these depths."""
    return growth_of(gather(runs, depth=max(depths), ties=ties), depths)


def cut_ties(
    runs: Iterable[Run], *, depth: int = 100, ties: TieRule = TieRule.TREC_EVAL
) -> tuple[CutTie, ...]:
    """The ties across the cut of a depth pool, sorted by tag, then topic (bytes)."""
    return in_order(tie for run in runs for tie in cut_ties_by_rule(run, depth)[ties])


def decided(pool: Pool, at_cut: Iterable[CutTie]) -> DecidedByTies:
    """Which pairs the tie rule decided in the depth pool that has these ties at its cut."""
    return decided_in(incidence_of_pool(pool), list(at_cut))


def overlap(runs: Iterable[Run], *, depth: int = 100, ties: TieRule = TieRule.TREC_EVAL) -> RunOverlap:
    """The overlap of the runs' first `depth` documents."""
    return overlap_of(incidence_of_tops(gather(runs, depth=depth, ties=ties), depth))


def incidence_of_pool(pool: Pool) -> Incidence:
    """What each run contributed to a pool, by any strategy."""
    return incidence_of_entries(
        pool.tags,
        ((entry.topic, entry.docno, [one.tag for one in entry.contributions]) for entry in pool.entries),
    )


def incidence_of_entries(tags: Iterable[str], entries: Iterable[tuple[str, str, Sequence[str]]]) -> Incidence:
    """The same from (topic, docno, tags of its runs), each pair once, sorted by topic and docno (bytes)."""
    ordered = tuple(sorted_ids(set(tags)))
    docnos: dict[str, list[str]] = {}
    brought: dict[str, list[tuple[int, int]]] = {}
    for topic, docno, brought_by in entries:
        known = docnos.setdefault(topic, [])
        brought.setdefault(topic, []).extend((ordered.index(tag), len(known)) for tag in brought_by)
        known.append(docno)
    found = []
    for topic in sorted_ids(docnos):
        runs, documents = np.array(brought[topic], dtype=np.int32).reshape(-1, 2).T
        found.append(TopicIncidence(topic, tuple(docnos[topic]), runs, documents))
    return Incidence(ordered, tuple(found))


def contributions(pool: Pool, groups: Mapping[str, str] | None = None) -> tuple[Part, ...]:
    """The part of every run in a pool, or of every group where `groups` names the groups by tag."""
    incidence = incidence_of_pool(pool)
    contributors = Contributors.of(incidence.tags, groups or {})
    return contributors.parts(contributors.count(topic) for topic in incidence.topics)


def fused(strategy: str, runs: Iterable[Run], *, budget: int) -> Pool:
    """The pool that a strategy makes with this budget."""
    return build_pool(runs, strategy=strategy, parameters={"budget": budget})


def replay(
    runs: Iterable[Run],
    events: Iterable[PoolEvent],
    *,
    strategy: str,
    ties: TieRule = TieRule.TREC_EVAL,
    parameters: Mapping[str, object] | None = None,
) -> Adaptive:
    """The adaptive pool as it was after these events, every choice made again."""
    pool = start(runs, strategy=strategy, ties=ties, parameters=parameters)
    for event in events:
        if event.happening is not Happening.HANDED_OUT:
            pool.record(event)
            continue
        docno = pool.next(event.topic)
        if docno != event.docno:
            raise Conflict(
                f"for topic {event.topic} not {event.docno} but {docno or 'nothing'} comes next",
                remedy="replay with the runs, the strategy and the parameters of the events",
            )
    return pool
