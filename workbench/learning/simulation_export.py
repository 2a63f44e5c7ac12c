"""A simulation as tables, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial

from workbench.export import Export
from workbench.learning.effort import WORK_SAVED, effort_at, recall_at
from workbench.learning.simulation import MULTIPLES, RECALLS, LearnerSimulation

Table = tuple[tuple[str, ...], list[tuple[object, ...]]]


def simulation_export(found: LearnerSimulation, part: str) -> Export:
    """One table for CSV, and all of it for JSON."""
    columns, rows = SIMULATION_PARTS[part](found)
    return Export(columns, lambda: rows, partial(_data, found))


def _measures(found: LearnerSimulation) -> Table:
    """Means over topics with their interval, and the range of the seeds."""
    columns = ("measure", "value", "low", "high", "seeds_low", "seeds_high", "topics", "seeds")
    counts = (found.topics, found.options.repeats)
    return columns, [
        (one.measure, one.value, one.low, one.high, one.seeds_low, one.seeds_high, *counts)
        for one in found.measures()
    ]


def _rules(found: LearnerSimulation) -> Table:
    """Where the rules stopped, and how often recall was what it should be."""
    columns = ("rule", "recall", "recall_low", "recall_high", "read", "read_low", "read_high")
    return (*columns, "stopped", "reached", "reached_low", "reached_high", "reviews"), [
        (
            *(one.rule, one.recall.value, one.recall.low, one.recall.high),
            *(one.read.value, one.read.low, one.read.high),
            *(one.stopped, one.reached, one.reached_low, one.reached_high, one.reviews),
        )
        for one in found.rules()
    ]


def _topics(found: LearnerSimulation) -> Table:
    """Every topic with every seed."""
    rules = found.options.rules
    columns = ("topic", "seed", "relevant", *(f"recall@{multiple}R" for multiple in MULTIPLES))
    efforts = tuple(f"effort@{recall:g}" for recall in RECALLS)
    return (*columns, *efforts, *(f"{rule}_{what}" for rule in rules for what in ("read", "recall"))), [
        (
            *(one.topic, one.seed, one.relevant),
            *(recall_at(one.ranks, one.relevant, multiple) for multiple in MULTIPLES),
            *(effort_at(one.ranks, one.relevant, recall) for recall in RECALLS),
            *(cell for rule in rules for cell in (found.read_of(one, rule), found.recall_of(one, rule))),
        )
        for one in found.reviews
    ]


def _curve(found: LearnerSimulation) -> Table:
    """Recall by documents read: mean and quartiles over topics and seeds."""
    return ("read", "recall", "quartile_1", "quartile_3"), [tuple(point) for point in found.curve()]


SIMULATION_PARTS: Mapping[str, Callable[[LearnerSimulation], Table]] = {
    "measures": _measures,
    "rules": _rules,
    "topics": _topics,
    "curve": _curve,
}
"""The tables by name: columns and rows."""


def _data(found: LearnerSimulation) -> dict[str, object]:
    return {
        "options": asdict(found.options),
        "collection": found.collection,
        "topics": found.topics,
        "work_saved": {one.name: one.definition for one in WORK_SAVED.values()},
        "measures": [asdict(one) for one in found.measures()],
        "rules": [asdict(one) for one in found.rules()],
        "curve": _records(_curve(found)),
        "reviews": [
            row | {"stops": {rule: asdict(stop) for rule, stop in one.stops.items()}}
            for row, one in zip(_records(_topics(found)), found.reviews, strict=True)
        ],
    }


def _records(table: Table) -> list[dict[str, object]]:
    columns, rows = table
    return [dict(zip(columns, row, strict=True)) for row in rows]
