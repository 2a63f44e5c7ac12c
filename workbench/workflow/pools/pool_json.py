"""Pools as JSON."""

from __future__ import annotations

from workbench.json_forms.collecting import filled
from workbench.json_forms.judging import MadePoolJson, PoolJson, PoolPlanJson
from workbench.workflow.pools.listing import PoolLine, PoolReport
from workbench.workflow.pools.planning import Plan


def pool_json(line: PoolLine) -> PoolJson:
    """A pool in the list."""
    return filled(
        PoolJson,
        line,
        parameters=dict(line.parameters),
        runs=line.tags,
        added_by_hand=line.added,
    )


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


def plan_json(planned: Plan) -> PoolPlanJson:
    """The plan as plain data."""
    work = planned.work
    return filled(
        PoolPlanJson,
        planned,
        parameters=dict(planned.parameters),
        certainty=str(planned.certainty),
        per_pair=work.per_pair,
        assessors=work.assessors,
        seconds=work.seconds,
        seconds_from=str(planned.pace.source),
        hours=work.hours(planned.pairs),
        hours_each=work.hours_each(planned.pairs),
        topics={one.topic: one.pairs for one in planned.topics},
        by_depth={str(depth): pairs for depth, pairs in planned.growth},
    )
