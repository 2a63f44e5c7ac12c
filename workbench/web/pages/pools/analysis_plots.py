"""What the plots of an analysis draw, as plain data for `static/plots.js`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from workbench.pooling.analysis import Analysis
from workbench.pooling.analysis_tables import short_depths
from workbench.pooling.contributions import Part

Spec = dict[str, Any]
# Colours by their numbers in the stylesheet.
STRONG, OTHER, PALE = 1, 2, 3
MOST_ROWS = 200
"""Runs or groups that a plot or table of the page shows; files have all."""
MOST_IN_MATRIX = 150
"""Runs in the plot of overlaps: of a thousand, a browser would draw a million cells."""


def plots(found: Analysis, titles: Mapping[str, str]) -> dict[str, Spec]:
    """Every plot by its name; `titles` are those of the topics."""
    return {
        "growth": growth(found),
        "growth_by_topic": growth_by_topic(found, titles),
        "runs": contributions(found.by_run, found.groups),
        "groups": contributions(found.by_group, {}),
        "overlap": overlap(found),
        "ties": ties(found),
        "topics": topics(found, titles),
    }


def growth(found: Analysis) -> Spec:
    """Two lines over the depth: the pool, and the maximum."""
    pool = [[size.depth, size.size] for size in found.growth]
    largest = [[size.depth, size.largest_possible] for size in found.growth]
    return {
        "x": "Depth",
        "y": "Pairs",
        "mark": found.depth,
        "lines": [{"name": "pool", "points": pool}, {"name": "maximum", "points": largest}],
    }


def growth_by_topic(found: Analysis, titles: Mapping[str, str]) -> Spec:
    """A small line over the depth for every topic, all on one scale."""
    depths = short_depths(found)
    return {
        "x": "Depth",
        "y": "Pairs",
        "mark": found.depth,
        "panels": [
            {
                "name": name,
                "note": titles.get(name, ""),
                "points": [[depth, found.growth[depth - 1].topics[place].size] for depth in depths],
            }
            for name, place in in_campaigns_order(found, titles)
        ],
    }


def in_campaigns_order(found: Analysis, titles: Mapping[str, str]) -> list[tuple[str, int]]:
    """The topics of the growth as the campaign has them, each with its place there."""
    position = {topic: at for at, topic in enumerate(titles)}
    places = [(topic.topic, place) for place, topic in enumerate(found.growth[0].topics)]
    return sorted(places, key=lambda one: position.get(one[0], len(position)))


def contributions(parts: Sequence[Part], groups: Mapping[str, str]) -> Spec:
    """A bar for every run or group: its unique pairs, then those it shares with others."""
    return {
        "x": "Pairs",
        "parts": ["unique", "shared"],
        "tones": [STRONG, PALE],
        "rows": [
            {
                "name": part.name,
                "note": groups.get(part.name, ""),
                "values": [part.alone, part.pairs - part.alone],
            }
            for part in parts[:MOST_ROWS]
        ],
    }


def overlap(found: Analysis) -> Spec:
    """The runs in the order of their chain, the pairs that any two share; a run with itself, what it has.

    Of many runs those that are most similar to another.
    """
    shared, order = found.overlap.shared, found.chain
    if len(order) > MOST_IN_MATRIX:
        pairs = zip(found.alike.first, found.alike.second, strict=True)
        chosen: set[int] = set()
        for run in chain.from_iterable(pairs):
            chosen.add(int(run))
            if len(chosen) == MOST_IN_MATRIX:
                break
        order = tuple(place for place in order if place in chosen)
    return {
        "names": [found.tags[place] for place in order],
        "shared": [[shared[row][column] for column in order] for row in order],
    }


def ties(found: Analysis) -> Spec:
    """A bar for every run that has ties across the cut: tied documents that are included and excluded."""
    return {
        "x": "Tied documents",
        "parts": ["included", "excluded"],
        "tones": [STRONG, OTHER],
        "rows": [
            {"name": run.tag, "note": f"topics: {run.topics}", "values": [run.inside, run.outside]}
            for run in found.ties_by_run[:MOST_ROWS]
        ],
    }


def topics(found: Analysis, titles: Mapping[str, str]) -> Spec:
    """A bar for every topic, in parts once something is judged; the median across them."""
    if found.judged:
        parts = ["relevant", "judged not relevant", "not judged"]
        values = [[one.relevant, one.judged - one.relevant, one.pairs - one.judged] for one in found.topics]
    else:
        parts, values = ["pairs"], [[one.pairs] for one in found.topics]
    return {
        "x": "Pairs",
        "parts": parts,
        "tones": [STRONG, OTHER, PALE][: len(parts)],
        "median": found.median,
        "rows": [
            {"name": one.topic, "note": titles.get(one.topic, ""), "values": counts}
            for one, counts in zip(found.topics, values, strict=True)
        ],
    }
