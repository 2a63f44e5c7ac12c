"""Pools as JSON."""

from __future__ import annotations

from datetime import datetime

from workbench.json_forms import MadePoolJson, PoolJson
from workbench.workflow.pools.listing import PoolLine, PoolReport


def pool_json(line: PoolLine) -> PoolJson:
    """A pool in the list."""
    return {
        "name": line.name,
        "state": line.state,
        "strategy": line.strategy,
        "parameters": dict(line.parameters),
        "supplementary": line.supplementary,
        "ties": line.ties,
        "runs": list(line.tags),
        "pairs": line.pairs,
        "largest_possible": line.largest_possible,
        "added_by_hand": line.added,
        "created_at": _moment(line.created_at),
        "opened_at": _moment(line.opened_at),
        "closed_at": _moment(line.closed_at),
    }


def made_pool_json(made: PoolReport) -> MadePoolJson:
    """A pool in full: its recipe, its topics and what each run contributed."""
    return {
        "name": made.pool.name,
        "state": made.pool.state,
        "adaptive": made.pool.adaptive,
        "recipe": made.recipe,
        "pairs": made.pool.pairs,
        "largest_possible": made.pool.largest_possible,
        "share": made.pool.share,
        "topics": {size.topic: size.pairs for size in made.by_topic},
        "runs": {part.tag: {"pairs": part.pairs, "alone": part.alone} for part in made.by_run},
    }


def _moment(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()
