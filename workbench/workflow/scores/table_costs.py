"""The runs of a score table by effectiveness and cost."""

from __future__ import annotations

from sqlalchemy.orm import Session

from workbench.consensus.rule_choice import choice_label
from workbench.scoring.run_costs import ScoresByCost, scores_by_cost
from workbench.workflow.runs.run_records import runs_of
from workbench.workflow.scores.score_table import ScoreTable


def table_costs(db: Session, campaign_id: int, found: ScoreTable, shown: str, by: str) -> ScoresByCost:
    """The runs of a table by what they cost, `by` one of `scoring.run_costs.COSTS`."""
    given = {run.tag: getattr(run.metadata.cost, by) for run in runs_of(db, campaign_id)}
    costs = {tag: float(cost) for tag, cost in given.items() if cost is not None}
    return scores_by_cost(found.runs, shown, costs, by=by, qrels=choice_label(found.qrels.choice))
