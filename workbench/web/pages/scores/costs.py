"""Effectiveness against cost, where groups say what their runs cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, request

from workbench.errors import WorkbenchError
from workbench.scoring.run_costs import COSTS, ScoresByCost, scores_by_cost_export
from workbench.storage import Session
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.pages.scores.form import (
    OF_TABLE,
    detail,
    render_detail,
    score_form,
    score_result,
    whole_detail,
)
from workbench.web.results import CampaignResult, MadeResult, ResultOption, result
from workbench.workflow.scores.score_table import ScoreTable
from workbench.workflow.scores.table_costs import table_costs

blueprint = Blueprint("score_costs", __name__, url_prefix="/c/<slug>/scores/cost")
COST = ResultOption("cost", "What a run costs", tuple(COSTS))


@blueprint.get("")
@reader
def index() -> tuple[str, int]:
    """The runs by `?cost=`, one of COSTS."""
    with reading() as db:
        of = detail(db, score_form(db), _costs_of(db))
    plot = _plot(of.found) if of.found and of.found.points else None
    return render_detail("costs", of, costs=COSTS, cost=_cost(), plot=plot)


@blueprint.get("/table.<any(csv, tex, json):kind>")
@reader
@result(CampaignResult("scores.cost", "Effectiveness against cost", "a run", (*OF_TABLE, COST)))
def table_file() -> MadeResult:
    """The table: as CSV and JSON with all digits, or as LaTeX."""
    with reading() as db:
        table, found = whole_detail(db, score_form(db), _costs_of(db))
    return score_result(table, "cost", scores_by_cost_export(found))


def _costs_of(db: Session) -> Callable[[ScoreTable, str], ScoresByCost]:
    return lambda table, shown: table_costs(db, here().id, table, shown, _cost())


def _cost() -> str:
    cost = request.args.get("cost") or next(iter(COSTS))
    if cost not in COSTS:
        raise WorkbenchError(f"there is no cost {cost!r}", remedy=f"one of {', '.join(COSTS)}")
    return cost


def _plot(found: ScoresByCost) -> dict[str, Any]:
    rows = [
        {
            "name": one.tag,
            "cost": one.cost,
            "value": one.score.mean,
            "line": [one.score.low, one.score.high],
            "front": one.on_front,
            "n": one.score.topics,
        }
        for one in found.points
    ]
    return {"x": COSTS[found.by], "y": found.shown, "rows": rows}
