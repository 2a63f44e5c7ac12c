"""Results: agreement, qrels by a rule, and scores."""

from __future__ import annotations

from dataclasses import field, fields, make_dataclass
from typing import Annotated, Any

from flask import Blueprint
from pydantic import Field
from werkzeug.wrappers import Response

from workbench.agreement.options import (
    AgreementOptions,
    Basis,
    Machines,
    Occasion,
    Singles,
)
from workbench.agreement.report_json import report_data
from workbench.consensus.rules import PARAMETERS, RuleChoice, rule_choice
from workbench.json_forms.results import AgreementJson, QrelsReportJson, ScoreJson
from workbench.web.access import here, reader
from workbench.web.api.cursors import FORBID, Flag, Whole, sent
from workbench.web.api.operations import Text, operation
from workbench.web.context import reading
from workbench.web.downloads import streamed
from workbench.workflow.agreement.report import campaign_agreement
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.qrels.qrels import make_qrels, qrels_json
from workbench.workflow.scores.leaderboard import leaderboard, scores_json
from workbench.workflow.scores.score_table import default_measures, score_runs

agreement_blueprint = Blueprint("agreement", __name__, url_prefix="/campaigns/<slug>/agreement")
qrels_blueprint = Blueprint("qrels", __name__, url_prefix="/campaigns/<slug>/qrels")
scores_blueprint = Blueprint("scores", __name__, url_prefix="/campaigns/<slug>/scores")


@sent
class AgreementQuery:
    """The options of the report, as the command `campaign agreement` has them."""

    relevant_from: Annotated[Whole, Field(ge=0, lt=2**31)] | None = None
    graded: Flag = False
    basis: Basis = Basis.BOTH
    singles: Singles = Singles.PUBLISHED
    answers: Occasion = Occasion.INDEPENDENT
    documents: Annotated[Whole, Field(ge=1, lt=2**63)] | None = None
    machines: Machines = Machines.APART
    weights: str = "nominal"
    level: str = "ordinal"

    def options(self) -> AgreementOptions:
        """The same as the report takes them; raises WorkbenchError for what cannot be."""
        return AgreementOptions(**{one.name: getattr(self, one.name) for one in fields(self)})


_RULE: list[tuple[str, Any, Any]] = [
    ("rule", str, "majority"),
    ("machines", Flag, False),
    *((one.name, str | None, None) for one in PARAMETERS.values()),
]
_MEASURES: list[tuple[str, Any, Any]] = [
    ("measures", str, ""),
    ("run", list[str], field(default_factory=list)),
]


def _query(name: str, meaning: str, parts: list[tuple[str, Any, Any]]) -> Any:
    """A record of a query whose fields come from the registry of rules."""
    return make_dataclass(
        name,
        parts,
        frozen=True,
        slots=True,
        namespace={"__pydantic_config__": FORBID, "__doc__": meaning, "__module__": __name__},
    )


QrelsQuery = _query(
    "QrelsQuery",
    "A rule; `unjudged` adds -1 for pooled pairs without a grade.",
    [*_RULE, ("unjudged", Flag, False)],
)
ScoresQuery = _query(
    "ScoresQuery",
    "A rule, measures such as `AP nDCG@10` and runs by tag; all that are not set aside if none is named.",
    [*_RULE, *_MEASURES],
)


@agreement_blueprint.get("")
@reader
@operation(AgreementJson, query=AgreementQuery)
def agreement(query: AgreementQuery) -> AgreementJson:
    """Report how far the assessors agree: each coefficient with its interval and n, overall and by pair."""
    with reading() as db:
        return report_data(campaign_agreement(db, here().id, query.options()))


@qrels_blueprint.get("")
@reader
@operation(Text("text/plain; charset=utf-8", "Qrels: topic, 0, docno, grade."), query=QrelsQuery)
def qrels(query: Any) -> Response:
    """Download the qrels that a rule makes of the current judgments."""
    with reading() as db:
        report = make_qrels(db, here().id, chosen_rule(query), unjudged=query.unjudged)
    return streamed(report.lines(), f"{here().slug}.qrels", kind="text/plain; charset=utf-8")


@qrels_blueprint.get("/report")
@reader
@operation(QrelsReportJson, query=QrelsQuery)
def qrels_report(query: Any) -> QrelsReportJson:
    """Report what a rule settles and what it leaves, in numbers."""
    with reading() as db:
        return qrels_json(make_qrels(db, here().id, chosen_rule(query), unjudged=query.unjudged))


@scores_blueprint.get("")
@reader
@operation(list[ScoreJson], query=ScoresQuery)
def scores(query: Any) -> list[ScoreJson]:
    """Score the runs on the qrels of a rule, best first by the first measure, with intervals and bounds."""
    choice = chosen_rule(query)
    with reading() as db:
        measures = query.measures or default_measures(campaign_of(db, here().id).scale, choice)
        table = score_runs(db, here().id, choice=choice, measures=measures, tags=query.run or None)
    return scores_json(leaderboard(table))


def chosen_rule(query: Any) -> RuleChoice:
    """The rule that a query names, with those of its parameters that it gives."""
    given = {name: getattr(query, name) for name in PARAMETERS}
    return rule_choice(query.rule, machines=query.machines, **given)
