"""What an organiser sees of runs and a pool before anybody judges: plain numbers for plots and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from workbench.pooling.contributions import Part, parts
from workbench.pooling.cut_ties import CutTie, Decided
from workbench.pooling.examining import Examination
from workbench.pooling.growth import SizeAtDepth
from workbench.pooling.incidence import Incidence
from workbench.pooling.overlap import AlikePair, Overlap
from workbench.pooling.pool import Pair
from workbench.pooling.tie_rules import RuleOutcome
from workbench.records import TieRule

NEAR_DUPLICATE = 0.95
FENCE = 1.5
"""A topic is unusual beyond so many times the distance of the quartiles (Tukey 1977)."""

_NOBODY: Mapping[str, str] = MappingProxyType({})
_NOTHING: Mapping[Pair, bool] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RunTies:
    """A run's ties across the cut: in how many topics, and the tied documents within and beyond the depth."""

    tag: str
    topics: int
    inside: int
    outside: int


@dataclass(frozen=True, slots=True)
class TopicPart:
    """A topic of a pool: its pairs, the most it could have, what of it is judged and found relevant.

    `unusual` is "large" or "small" where it is so beside the others, else empty.
    """

    topic: str
    pairs: int
    largest_possible: int
    judged: int
    relevant: int
    unusual: str


@dataclass(frozen=True, slots=True, eq=False)
class MadePool:
    """What a pool that is made already holds, and the largest possible size of each of its topics."""

    incidence: Incidence
    largest_possible: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """The numbers of a pool, made or as it would be at `depth`, and of its runs.

    Growth, overlap and ties are always those of the runs' first documents; `by_run`, `by_group` (empty where
    no run has a group) and `topics` those of the pool. `chain` orders the runs of `overlap`, as places in
    its tags, so that alike ones stand together. `median` is of the topics' pairs; `judged` counts the pairs
    that are.
    """

    depth: int
    ties: TieRule
    groups: Mapping[str, str]
    growth: tuple[SizeAtDepth, ...]
    by_run: tuple[Part, ...]
    by_group: tuple[Part, ...]
    overlap: Overlap
    chain: tuple[int, ...]
    alike: tuple[AlikePair, ...]
    at_cut: tuple[CutTie, ...]
    ties_by_run: tuple[RunTies, ...]
    decided: Decided
    rules: tuple[RuleOutcome, ...]
    topics: tuple[TopicPart, ...]
    median: float
    judged: int

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the runs, sorted (bytes)."""
        return self.overlap.tags

    @property
    def pairs(self) -> int:
        """The pairs of the pool."""
        return sum(topic.pairs for topic in self.topics)

    @property
    def largest_possible(self) -> int:
        """The pairs of the pool had no two runs brought the same."""
        return sum(topic.largest_possible for topic in self.topics)

    @property
    def near_duplicates(self) -> tuple[AlikePair, ...]:
        """Every two runs with a share of `NEAR_DUPLICATE` or more, the most alike first."""
        return tuple(pair for pair in self.alike if pair.share >= NEAR_DUPLICATE)

    @property
    def unusual(self) -> tuple[TopicPart, ...]:
        """The topics that are much larger or smaller than the others, the largest first."""
        return tuple(topic for topic in self.topics if topic.unusual)


def analysis(
    found: Examination,
    *,
    pool: MadePool | None = None,
    groups: Mapping[str, str] = _NOBODY,
    judged: Mapping[Pair, bool] = _NOTHING,
) -> Analysis:
    """The numbers of examined runs and of a pool of them, or of their depth pool where none is made yet.

    `groups` names the groups by tag; `judged` says of every judged pair whether it is relevant.
    Runs and groups come by what they alone brought, topics by their pairs, the most first, then by name
    (bytes).
    """
    if pool is None:
        largest = {topic.topic: topic.largest_possible for topic in found.at_depth.topics}
        pool = MadePool(found.tops, largest)
    relevant = frozenset(pair for pair, is_relevant in judged.items() if is_relevant)
    grouped = {tag: groups[tag] for tag in pool.incidence.tags if tag in groups}
    topics = _topics(pool, judged)
    return Analysis(
        depth=found.depth,
        ties=found.ties,
        groups=grouped,
        growth=found.growth,
        by_run=_most_alone_first(parts(pool.incidence, relevant=relevant)),
        by_group=_most_alone_first(parts(pool.incidence, grouped, relevant=relevant)) if grouped else (),
        overlap=found.overlap,
        chain=found.overlap.chain(),
        alike=found.overlap.pairs(),
        at_cut=found.at_cut,
        ties_by_run=_ties_by_run(found.at_cut),
        decided=found.decided,
        rules=found.rules,
        topics=topics,
        median=float(np.median([topic.pairs for topic in topics])) if topics else 0.0,
        judged=sum(topic.judged for topic in topics),
    )


def _most_alone_first(found: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(sorted(found, key=lambda part: (-part.alone, -part.pairs)))


def _ties_by_run(at_cut: tuple[CutTie, ...]) -> tuple[RunTies, ...]:
    """The runs that have any, the most documents beyond the depth first."""
    by_run: dict[str, list[CutTie]] = {}
    for tie in at_cut:
        by_run.setdefault(tie.tag, []).append(tie)
    lines = [
        RunTies(tag, len(ties), sum(len(tie.inside) for tie in ties), sum(len(tie.outside) for tie in ties))
        for tag, ties in by_run.items()
    ]
    return tuple(sorted(lines, key=lambda line: -line.outside))


def _topics(pool: MadePool, judged: Mapping[Pair, bool]) -> tuple[TopicPart, ...]:
    sizes = [len(topic.docnos) for topic in pool.incidence.topics]
    low, high = _fences(sizes)
    lines = []
    for topic, size in zip(pool.incidence.topics, sizes, strict=True):
        answers = [judged.get((topic.topic, docno)) for docno in topic.docnos] if judged else []
        lines.append(
            TopicPart(
                topic.topic,
                size,
                pool.largest_possible.get(topic.topic, 0),
                sum(answer is not None for answer in answers),
                sum(answer is True for answer in answers),
                "large" if size > high else "small" if size < low else "",
            )
        )
    return tuple(sorted(lines, key=lambda line: -line.pairs))


def _fences(sizes: list[int]) -> tuple[float, float]:
    if not sizes:
        return 0.0, 0.0
    lower, upper = (float(quartile) for quartile in np.quantile(sizes, (0.25, 0.75)))
    return lower - FENCE * (upper - lower), upper + FENCE * (upper - lower)
