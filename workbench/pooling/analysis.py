"""Runs and pools analysed before anybody judges: growth by depth, contributions, overlap, ties, topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType

import numpy as np

from workbench.errors import WorkbenchError
from workbench.pooling.candidates import Gathered, Places, TopicCandidates, gather
from workbench.pooling.contributions import (
    Contributors,
    Incidence,
    Part,
    RunOverlap,
    SimilarPair,
    SimilarPairs,
    TopicIncidence,
    incidence_of_tops,
    overlap_of,
)
from workbench.pooling.pool import TopicSize
from workbench.pooling.ties import (
    CutTie,
    DecidedByTies,
    RuleOutcome,
    cut_ties_by_rule,
    decided_in,
    in_order,
    outcomes,
)
from workbench.records import Run, TieRule


@dataclass(frozen=True, slots=True)
class SizeAtDepth:
    """The size of the depth pool at one depth, topics sorted (bytes)."""

    depth: int
    topics: tuple[TopicSize, ...]

    @property
    def size(self) -> int:
        """The pairs of all topics."""
        return sum(topic.size for topic in self.topics)

    @property
    def largest_possible(self) -> int:
        """The pairs of all topics if no two runs shared a document."""
        return sum(topic.largest_possible for topic in self.topics)


def growth_of(gathered: Gathered, depths: Sequence[int]) -> tuple[SizeAtDepth, ...]:
    """The sizes of the depth pool of runs that were gathered to the deepest of the depths or further."""
    deepest = max(depths)
    by_topic = [(one.topic, *_cumulated(one, deepest)) for one in gathered.topics]
    return tuple(
        SizeAtDepth(
            depth, tuple(TopicSize(topic, new[depth], longest[depth]) for topic, new, longest in by_topic)
        )
        for depth in depths
    )


def _cumulated(candidates: TopicCandidates, deepest: int) -> tuple[list[int], list[int]]:
    """The pool's size and the largest possible at depth 0, 1, ..., `deepest`."""
    best, _ = candidates.best_ranks()
    new = np.bincount(best[best <= deepest], minlength=deepest + 1)
    lengths = [min(len(ranked.documents), deepest) for ranked in candidates.lists]
    # At depth d every run that has d documents or more adds one.
    reaching = np.bincount(lengths, minlength=deepest + 1)[::-1].cumsum()[::-1]
    reaching[0] = 0
    return np.cumsum(new).tolist(), np.cumsum(reaching).tolist()


BEYOND = 2
"""Growth is followed to so many times the depth: what deeper pooling would cost is what one wants to know."""


@dataclass(frozen=True, slots=True, eq=False)
class ExaminedRuns:
    """Runs to a depth under a tie rule.

    `growth` has every depth from 1 to `BEYOND` times the depth, or to the longest ranking where that ends
    before and the pool grows no more; `chain` orders the runs of `overlap`, as places in its tags, so that
    similar ones are adjacent; `at_cut` are the ties across the depth, `decided` what the rule made of them,
    `rules` what each of the rules would.
    """

    depth: int
    ties: TieRule
    growth: tuple[SizeAtDepth, ...]
    overlap: RunOverlap
    chain: tuple[int, ...]
    alike: SimilarPairs
    at_cut: tuple[CutTie, ...]
    decided: DecidedByTies
    rules: tuple[RuleOutcome, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Examination(ExaminedRuns):
    """Runs with what each has among its first `depth`: `tops`, whose tags are sorted (bytes)."""

    tops: Incidence

    @property
    def at_depth(self) -> SizeAtDepth:
        """The size of the pool of this depth."""
        return self.growth[min(self.depth, len(self.growth)) - 1]


def examine(runs: Iterable[Run], *, depth: int = 100, ties: TieRule = TieRule.TREC_EVAL) -> Examination:
    """Examine runs, which are taken one by one and not kept.

    A run may lack what cannot be among the first `BEYOND` times `depth` of its topic under any tie rule.
    Raises WorkbenchError for a depth below 1 and Conflict where two runs have the same tag.
    """
    if depth < 1:
        raise WorkbenchError(f"there is no pool of depth {depth}", remedy="give a depth of 1 or more")
    at_cut: dict[TieRule, list[CutTie]] = {rule: [] for rule in TieRule}

    def noting_ties() -> Iterator[Run]:
        for run in runs:
            for rule, found in cut_ties_by_rule(run, depth).items():
                at_cut[rule] += found
            yield run

    gathered = gather(noting_ties(), depth=BEYOND * depth, ties=ties)
    longest = max((len(ranked.documents) for topic in gathered.topics for ranked in topic.lists), default=1)
    tops = incidence_of_tops(gathered, depth)
    of_rule = {rule: in_order(found) for rule, found in at_cut.items()}
    overlap = overlap_of(tops)
    return Examination(
        depth=depth,
        ties=ties,
        growth=growth_of(gathered, range(1, longest + 1)),
        tops=tops,
        overlap=overlap,
        chain=overlap.chain(),
        alike=overlap.pairs(),
        at_cut=of_rule[ties],
        decided=decided_in(tops, of_rule[ties]),
        rules=outcomes(tops, of_rule, chosen=ties),
    )


NEAR_DUPLICATE = 0.95
FENCE = 1.5
"""A topic is unusual beyond so many times the distance of the quartiles (Tukey 1977)."""

_NOBODY: Mapping[str, str] = MappingProxyType({})
_NOTHING: Mapping[str, bool] = MappingProxyType({})


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
    """What each run contributed to an existing pool, and the largest possible size of each of its topics."""

    incidence: Incidence
    largest_possible: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Analysis(ExaminedRuns):
    """The numbers of a pool, made or as it would be at `depth`, and of its runs.

    Growth, overlap and ties are always those of the runs' first documents; `by_run`, `by_group` (empty where
    no run has a group) and `topics` those of the pool. `median` is of the topics' pairs; `judged` counts the
    pairs that are.
    """

    groups: Mapping[str, str]
    by_run: tuple[Part, ...]
    by_group: tuple[Part, ...]
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
        """The pairs of the pool if no two runs shared a document."""
        return sum(topic.largest_possible for topic in self.topics)

    @property
    def near_duplicates(self) -> tuple[SimilarPair, ...]:
        """Every two runs with a share of `NEAR_DUPLICATE` or more, the most similar first."""
        return self.alike.sharing(NEAR_DUPLICATE)

    @property
    def unusual(self) -> tuple[TopicPart, ...]:
        """The topics that are much larger or smaller than the others, the largest first."""
        return tuple(topic for topic in self.topics if topic.unusual)


@dataclass(frozen=True, slots=True)
class PoolContributors:
    """Whose parts of a pool are counted: its runs, and their groups if any has one."""

    runs: Contributors
    groups: Contributors | None


@dataclass(frozen=True, slots=True, eq=False)
class TopicCounts:
    """How many documents of a topic are judged and relevant, and what each run and group has of them.

    `by_run` and `by_group` are as `Contributors.count` gives them.
    """

    judged: int
    relevant: int
    by_run: Places
    by_group: Places | None


def count_topic(
    topic: TopicIncidence, contributors: PoolContributors, judged: Mapping[str, bool] = _NOTHING
) -> TopicCounts:
    """The counts of a topic; `judged` maps every judged docno to whether it is relevant."""
    answers = [judged.get(docno) for docno in topic.docnos] if judged else []
    relevant = np.array([answer is True for answer in answers], np.bool_) if any(answers) else None
    of_groups = contributors.groups
    return TopicCounts(
        judged=sum(answer is not None for answer in answers),
        relevant=sum(answer is True for answer in answers),
        by_run=contributors.runs.count(topic, relevant),
        by_group=None if of_groups is None else of_groups.count(topic, relevant),
    )


def analysis(
    found: Examination,
    *,
    pool: MadePool | None = None,
    groups: Mapping[str, str] = _NOBODY,
    counted: Callable[[TopicIncidence, PoolContributors], TopicCounts] = count_topic,
) -> Analysis:
    """The numbers of examined runs and of a pool of them, or of their depth pool where none is made yet.

    `groups` names the groups by tag; `counted` gives the counts of each topic of the pool, else none of its
    documents is judged. Runs and groups are sorted by their unique pairs, topics by their pairs, the
    most first, then by name (bytes).
    """
    if pool is None:
        largest = {topic.topic: topic.largest_possible for topic in found.at_depth.topics}
        pool = MadePool(found.tops, largest)
    tags = pool.incidence.tags
    grouped = {tag: groups[tag] for tag in tags if tag in groups}
    of_groups = Contributors.of(tags, grouped) if grouped else None
    contributors = PoolContributors(Contributors.of(tags), of_groups)
    counts = [counted(topic, contributors) for topic in pool.incidence.topics]
    by_group = [one.by_group for one in counts if one.by_group is not None]
    topics = _topics(pool, counts)
    return Analysis(
        **{one.name: getattr(found, one.name) for one in fields(ExaminedRuns)},
        groups=grouped,
        by_run=_most_alone_first(contributors.runs.parts(one.by_run for one in counts)),
        by_group=_most_alone_first(of_groups.parts(by_group)) if of_groups is not None else (),
        topics=topics,
        median=float(np.median([topic.pairs for topic in topics])) if topics else 0.0,
        judged=sum(topic.judged for topic in topics),
    )


def _most_alone_first(found: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(sorted(found, key=lambda part: (-part.alone, -part.pairs)))


def _topics(pool: MadePool, counts: Sequence[TopicCounts]) -> tuple[TopicPart, ...]:
    sizes = [len(topic.docnos) for topic in pool.incidence.topics]
    lower, upper = np.quantile(sizes or [0], (0.25, 0.75)).tolist()
    reach = FENCE * (upper - lower)
    lines = []
    for topic, size, counted in zip(pool.incidence.topics, sizes, counts, strict=True):
        largest = pool.largest_possible.get(topic.topic, 0)
        unusual = "large" if size > upper + reach else "small" if size < lower - reach else ""
        lines.append(TopicPart(topic.topic, size, largest, counted.judged, counted.relevant, unusual))
    return tuple(sorted(lines, key=lambda line: -line.pairs))
