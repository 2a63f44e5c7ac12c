"""Runs and pools analysed before anybody judges: growth by depth, contributions, overlap, ties, topics.

`TABLES` has what was found as tables, for pages and the terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from types import MappingProxyType

import numpy as np

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.contributions import (
    Contributors,
    CutTie,
    DecidedByTies,
    Incidence,
    Part,
    RuleOutcome,
    RunOverlap,
    SimilarPair,
    SimilarPairs,
    TopicIncidence,
    cut_ties_by_rule,
    decided_in,
    in_order,
    incidence_of_tops,
    outcomes,
    overlap_of,
)
from workbench.pooling.pool import Gathered, Places, TopicCandidates, TopicSize, gather
from workbench.records import Run, TieRule
from workbench.tables import Export, table_export


@frozen_dataclass
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


@frozen_dataclass
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


@frozen_dataclass
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


STEPS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70)
"""Depths at which a short table of growth stops, and their multiples by ten, a hundred..."""


def _growth_table(found: Analysis) -> Export:
    """The pool's size at every depth, what that depth adds, and the size if no two runs shared a document."""
    rows, before = [], 0
    for size in found.growth:
        rows.append((size.depth, size.size, size.size - before, size.largest_possible))
        before = size.size
    return table_export(("depth", "pairs", "new", "largest_possible"), tuple(rows))


def _growth_by_topic_table(found: Analysis) -> Export:
    """The same topic by topic, at the depths of a short table."""
    depths = set(short_depths(found))
    rows = [
        (topic.topic, size.depth, topic.size, topic.largest_possible)
        for size in found.growth
        if size.depth in depths
        for topic in size.topics
    ]
    return table_export(("topic", "depth", "pairs", "largest_possible"), tuple(rows))


def _contributions_table(found: Analysis) -> Export:
    """What every run contributed, and what only it did."""
    return table_export(
        ("run", "group", "pairs", "alone", "relevant", "relevant_alone"),
        [(tag, found.groups.get(tag, ""), *counts) for tag, *counts in map(astuple, found.by_run)],
    )


def _groups_table(found: Analysis) -> Export:
    """The same by group; empty where no run has one."""
    runs = list(found.groups.values())
    return table_export(
        ("group", "runs", "pairs", "alone", "relevant", "relevant_alone"),
        [(name, max(runs.count(name), 1), *counts) for name, *counts in map(astuple, found.by_group)],
    )


def _overlap_table(found: Analysis) -> Export:
    """Every two runs, the most similar first."""
    return table_export(("first", "second", "shared", "share"), tuple(map(astuple, found.alike)))


def _matrix_table(found: Analysis) -> Export:
    """The share of every run with every run, similar ones adjacent."""
    shares = found.overlap.shares()
    rows = [(found.tags[row], *shares[row, found.chain].tolist()) for row in found.chain]
    return table_export(("run", *(found.tags[place] for place in found.chain)), rows)


def _ties_table(found: Analysis) -> Export:
    """Every run and topic with a tie across the cut: the score, and documents within and beyond the depth."""
    return table_export(
        ("run", "topic", "score", "inside", "outside"),
        tuple((tie.tag, tie.topic, tie.score, len(tie.inside), len(tie.outside)) for tie in found.at_cut),
    )


def _rules_table(found: Analysis) -> Export:
    """What every tie rule makes of the depth pool, and what changes from the rule that was chosen."""
    return table_export(
        ("ties", "pairs", "entering", "leaving"),
        tuple((str(one.rule), one.pairs, len(one.added), len(one.removed)) for one in found.rules),
    )


def _topics_table(found: Analysis) -> Export:
    """The topics by the size of their pools."""
    return table_export(
        ("topic", "pairs", "largest_possible", "judged", "relevant", "unusual"),
        tuple(map(astuple, found.topics)),
    )


TABLES: Mapping[str, Callable[[Analysis], Export]] = {
    "growth": _growth_table,
    "growth-by-topic": _growth_by_topic_table,
    "contributions": _contributions_table,
    "groups": _groups_table,
    "overlap": _overlap_table,
    "matrix": _matrix_table,
    "ties": _ties_table,
    "tie-rules": _rules_table,
    "topics": _topics_table,
}
"""Every table by name."""

PARTS: Mapping[str, tuple[str, ...]] = {
    "growth": ("growth",),
    "contributions": ("contributions", "groups"),
    "overlap": ("overlap",),
    "ties": ("ties", "tie-rules"),
    "topics": ("topics",),
}
"""The tables of every part, for the terminal."""


def short_depths(found: Analysis) -> tuple[int, ...]:
    """Round depths, the depth itself and the deepest of the growth: as many as a person reads."""
    deepest = len(found.growth)
    multiples = (step * 10**power for power in range(1, 7) for step in STEPS if step >= 10)
    return tuple(sorted(depth for depth in {found.depth, deepest, *STEPS, *multiples} if depth <= deepest))
