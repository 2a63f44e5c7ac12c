"""What unjudged documents leave open as tables, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from workbench.export import Export
from workbench.trust.holes import Holes

Table = tuple[tuple[str, ...], list[tuple[object, ...]]]


def holes_export(found: Holes, part: str) -> Export:
    """One table for CSV, and all of it for JSON."""
    columns, rows = PARTS[part](found)
    return Export(columns, lambda: rows, partial(asdict, found))


def _scores(found: Holes) -> Table:
    """What each run scores by each measure, and could."""
    columns = (
        *("run", "measure", "topics", "score", "score_low", "score_high"),
        *("lowest", "highest", "condensed", "all_relevant"),
    )
    return columns, [
        (
            *(run.run, one.measure, one.score.topics, one.score.mean, one.score.low, one.score.high),
            *(one.lowest, one.highest, one.condensed, one.all_relevant),
        )
        for run in found.runs
        for one in run.scores
    ]


def _judged(found: Holes) -> Table:
    """How much of each run is judged down to each cutoff."""
    return ("run", "answered", "cutoff", "judged", "retrieved", "share", "worst_topic"), [
        (run.run, run.answered, one.cutoff, one.judged, one.retrieved, one.share, one.worst)
        for run in found.runs
        for one in run.judged
    ]


def _estimates(found: Holes) -> Table:
    """What a sample of the pool estimates of each run."""
    return ("run", "measure", "topics", "estimate", "low", "high"), [
        (run.run, name, one.topics, one.mean, one.low, one.high)
        for run in found.runs
        for name, one in run.estimates.items()
    ]


PARTS: dict[str, Callable[[Holes], Table]] = {"scores": _scores, "judged": _judged, "estimates": _estimates}
"""The tables by name: columns and rows."""
