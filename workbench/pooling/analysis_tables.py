"""The tables of an analysis: the same columns and numbers for a download, a program and the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple

from workbench.pooling.analysis import Analysis
from workbench.tables import Export, table_export

STEPS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70)
"""Depths at which a short table of growth stops, and their multiples by ten, a hundred..."""


def growth(found: Analysis) -> Export:
    """The pool's size at every depth, what that depth adds, and the size if no two runs shared a document."""
    rows, before = [], 0
    for size in found.growth:
        rows.append((size.depth, size.size, size.size - before, size.largest_possible))
        before = size.size
    return table_export(("depth", "pairs", "new", "largest_possible"), tuple(rows))


def growth_by_topic(found: Analysis) -> Export:
    """The same topic by topic, at the depths of a short table."""
    depths = set(short_depths(found))
    rows = [
        (topic.topic, size.depth, topic.size, topic.largest_possible)
        for size in found.growth
        if size.depth in depths
        for topic in size.topics
    ]
    return table_export(("topic", "depth", "pairs", "largest_possible"), tuple(rows))


def contributions(found: Analysis) -> Export:
    """What every run contributed, and what only it did."""
    return table_export(
        ("run", "group", "pairs", "alone", "relevant", "relevant_alone"),
        [(tag, found.groups.get(tag, ""), *counts) for tag, *counts in map(astuple, found.by_run)],
    )


def groups(found: Analysis) -> Export:
    """The same by group; empty where no run has one."""
    runs = list(found.groups.values())
    return table_export(
        ("group", "runs", "pairs", "alone", "relevant", "relevant_alone"),
        [(name, max(runs.count(name), 1), *counts) for name, *counts in map(astuple, found.by_group)],
    )


def overlap(found: Analysis) -> Export:
    """Every two runs, the most similar first."""
    return table_export(("first", "second", "shared", "share"), tuple(map(astuple, found.alike)))


def matrix(found: Analysis) -> Export:
    """The share of every run with every run, similar ones adjacent."""
    shares = found.overlap.shares()
    rows = [(found.tags[row], *shares[row, found.chain].tolist()) for row in found.chain]
    return table_export(("run", *(found.tags[place] for place in found.chain)), rows)


def ties(found: Analysis) -> Export:
    """Every run and topic with a tie across the cut: the score, and documents within and beyond the depth."""
    return table_export(
        ("run", "topic", "score", "inside", "outside"),
        tuple((tie.tag, tie.topic, tie.score, len(tie.inside), len(tie.outside)) for tie in found.at_cut),
    )


def rules(found: Analysis) -> Export:
    """What every tie rule makes of the depth pool, and what changes from the rule that was chosen."""
    return table_export(
        ("ties", "pairs", "entering", "leaving"),
        tuple((str(one.rule), one.pairs, len(one.added), len(one.removed)) for one in found.rules),
    )


def topics(found: Analysis) -> Export:
    """The topics by the size of their pools."""
    return table_export(
        ("topic", "pairs", "largest_possible", "judged", "relevant", "unusual"),
        tuple(map(astuple, found.topics)),
    )


TABLES: Mapping[str, Callable[[Analysis], Export]] = {
    "growth": growth,
    "growth-by-topic": growth_by_topic,
    "contributions": contributions,
    "groups": groups,
    "overlap": overlap,
    "matrix": matrix,
    "ties": ties,
    "tie-rules": rules,
    "topics": topics,
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
