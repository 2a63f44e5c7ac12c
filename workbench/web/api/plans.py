"""Plans: what a pool would cost, before it is made."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.errors import rejected
from workbench.json_forms.planning import PoolPlanJson
from workbench.pooling.strategies import ALL_STRATEGIES, PoolRecipe
from workbench.records import TieRule
from workbench.web.access import here, organiser
from workbench.web.api.cursors import Flag, Real, Whole, sent
from workbench.web.api.operations import operation
from workbench.web.context import reading
from workbench.workflow.pools.planning import plan_json, plan_pool

blueprint = Blueprint("plans", __name__, url_prefix="/campaigns/<slug>/plans")
Count = Annotated[Whole, Field(ge=1, le=10**6)]


@sent
class PoolPlanQuery:
    """A recipe as for making a pool, with parameters such as `depth=50`, and how its pairs are judged.

    `seconds` of a judgment are those of the campaign's pace, and `assessors` its own, unless given.
    """

    strategy: Annotated[str, Field(json_schema_extra={"enum": list(ALL_STRATEGIES)})] = "depth"
    parameter: list[str] = field(default_factory=list)
    ties: TieRule = TieRule.TREC_EVAL
    run: list[str] = field(default_factory=list)
    priority: Count | None = None
    supplementary: Flag = False
    per_pair: Count = 1
    assessors: Count | None = None
    seconds: Real | None = None

    def recipe(self) -> PoolRecipe:
        """The same as a pool is made by; raises InvalidInput for a parameter without a value."""
        parted = [one.partition("=") for one in self.parameter]
        wrong = [name for name, equals, _ in parted if not equals]
        if wrong:
            raise rejected(
                "parameter", None, "parameter", f"{wrong[0][:40]!r} has no value", "write it like depth=50"
            )
        values = {name: value for name, _, value in parted}
        return PoolRecipe(
            self.strategy, values, self.ties, self.run or None, self.priority, self.supplementary
        )


@blueprint.get("/pool")
@organiser
@operation(PoolPlanJson, query=PoolPlanQuery)
def pool(query: PoolPlanQuery) -> PoolPlanJson:
    """Plan a pool: its size and the hours of judging it, by topic and by depth."""
    with reading() as db:
        planned = plan_pool(
            db,
            here().id,
            query.recipe(),
            per_pair=query.per_pair,
            assessors=query.assessors,
            seconds=query.seconds,
        )
    return plan_json(planned)
