"""Plans: what a pool would cost, and how many pairs need several assessors, before either is made."""

from __future__ import annotations

from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Any

from flask import Blueprint
from pydantic import Field

from workbench.agreement.sample_export import plans_json
from workbench.agreement.sample_request import OPTIONS, OptionKind, PlanRequest, plan_request
from workbench.agreement.sample_size import Draw
from workbench.errors import Finding, InvalidInput
from workbench.json_forms import DrawnOverlapJson, OverlapPlanJson, PaceJson, PoolPlanJson, filled
from workbench.pooling.strategies import ALL_STRATEGIES, PoolRecipe
from workbench.records import TieRule
from workbench.web.access import here, organiser, viewer
from workbench.web.api.assignments import assessor_numbers
from workbench.web.api.cursors import FORBID, Flag, Real, Seed, Whole
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.agreement.overlap import plan_facts, plan_overlap
from workbench.workflow.agreement.overlap_drawing import DrawOrder, draw_overlap
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.pools.pace import pace_of, save_guess
from workbench.workflow.pools.planning import plan_pool
from workbench.workflow.pools.pool_json import made_pool_json, plan_json

blueprint = Blueprint("plans", __name__, url_prefix="/campaigns/<slug>/plans")
Count = Annotated[Whole, Field(ge=1, le=10**6)]


@dataclass(frozen=True, slots=True)
class PoolPlanQuery:
    """A recipe as for making a pool, with parameters such as `depth=50`, and how its pairs are judged.

    `seconds` of a judgment are those of the campaign's pace, and `assessors` its own, unless given.
    """

    __pydantic_config__ = FORBID
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
            message = f"{wrong[0][:40]!r} has no value"
            raise InvalidInput([Finding("parameter", None, "parameter", message, "such as depth=50")])
        values = {name: value for name, _, value in parted}
        return PoolRecipe(
            self.strategy, values, self.ties, self.run or None, self.priority, self.supplementary
        )


_KINDS = {OptionKind.NUMBER: Real, OptionKind.COUNT: Count, OptionKind.CHOICE: str}
_OPTIONS: list[tuple[Any, ...]] = [
    *((name, _KINDS[one.kind] | None, None) for name, one in OPTIONS.items()),
    ("graded", Flag, False),
    ("relevant_from", Annotated[Whole, Field(ge=0, lt=2**31)] | None, None),
]


def _asked(name: str, meaning: str, parts: list[tuple[Any, ...]]) -> Any:
    """A record whose fields come from the registry of the planner's options."""
    namespace = {"__pydantic_config__": FORBID, "__doc__": meaning, "__module__": __name__}
    return make_dataclass(name, parts, frozen=True, slots=True, namespace=namespace)


OverlapPlanQuery = _asked(
    "OverlapPlanQuery",
    "What is to be known how well; `shares` is the share of relevant, if it is not to be estimated.",
    _OPTIONS,
)
SentOverlap = _asked(
    "SentOverlap",
    "How many pairs to draw, in which way, for which assessors (all with an account if None), by which plan.",
    [
        ("pairs", Count),
        ("assessors", list[str] | None, None),
        ("draw", Draw, Draw.LABEL),
        ("seed", Seed | None, None),
        ("name", str, ""),
        ("plan", OverlapPlanQuery, OverlapPlanQuery()),
    ],
)


@dataclass(frozen=True, slots=True)
class SentGuess:
    """How many seconds a judgment is estimated to take; None for no estimate."""

    __pydantic_config__ = FORBID
    guess: Real | None


@blueprint.get("/pool")
@organiser
@operation(PoolPlanJson, query=PoolPlanQuery)
def pool(query: PoolPlanQuery) -> PoolPlanJson:
    """Plan a pool: its size and the hours of judging it, by topic and beside other strategies."""
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


@blueprint.get("/pace")
@organiser
@operation(PaceJson)
def pace() -> PaceJson:
    """Show how many seconds a judgment takes, and where that comes from."""
    with reading() as db:
        return filled(PaceJson, pace_of(db, here().id))


@blueprint.patch("/pace")
@organiser
@operation(PaceJson, scope=Scope.MANAGE, body=SentGuess)
def guess(body: SentGuess) -> PaceJson:
    """Save the estimate of the seconds of a judgment; it counts until enough are measured."""
    with writing() as db:
        save_guess(db, here().id, body.guess)
        return filled(PaceJson, pace_of(db, here().id))


@blueprint.get("/overlap")
@organiser
@operation(OverlapPlanJson, query=OverlapPlanQuery)
def overlap(query: Any) -> OverlapPlanJson:
    """Plan how many pairs several assessors must judge for an interval of a coefficient."""
    with reading() as db:
        plan = plan_overlap(db, here().id, _request(query))
    return plans_json(plan.planned, plan_facts(plan))


@blueprint.post("/overlap/draws")
@organiser
@operation(DrawnOverlapJson, scope=Scope.MANAGE, body=SentOverlap, status=201)
def draw(body: Any) -> DrawnOverlapJson:
    """Draw pairs that one person has judged into a pool of their own, and assign them to others."""
    with writing() as db:
        order = DrawOrder(
            pairs=body.pairs,
            assessor_ids=assessor_numbers(db, body.assessors),
            draw=body.draw,
            plan=_request(body.plan),
            seed=body.seed,
            name=body.name,
        )
        done = draw_overlap(db, here().id, order, created_by=viewer().id)
    return filled(DrawnOverlapJson, done, pool=made_pool_json(done.pool))


def _request(asked: Any) -> PlanRequest:
    given = {name: getattr(asked, name) for name in (*OPTIONS, "relevant_from")}
    share = None if asked.graded else given["shares"]
    given["shares"] = None if share is None else (share, 1 - share)
    # As on the page: two grades have one weight only.
    weights = given["weights"] if asked.graded else None
    return plan_request({**given, "graded": asked.graded, "weights": weights})
