"""What judgments give: agreement, disputes and their decisions, qrels, scores."""

from __future__ import annotations

from dataclasses import field, fields, make_dataclass, replace
from typing import Annotated, Any

from flask import Blueprint
from pydantic import Field
from typing_extensions import TypedDict
from werkzeug.wrappers import Response

from workbench.agreement.options import (
    AgreementOptions,
    Basis,
    Machines,
    Occasion,
    Singles,
)
from workbench.agreement.report_json import AgreementJson, report_data
from workbench.consensus.disputes import Difference
from workbench.consensus.rules import PARAMETERS, RuleChoice, exact_choice
from workbench.frozen import filled
from workbench.web.access import here, member, organiser, reader, viewer
from workbench.web.api.fields import FORBID, ClientId, Flag, GradeValue, Whole, sent
from workbench.web.api.operations import Text, operation
from workbench.web.context import read_here, reading, reading_here, write_here, writing_here
from workbench.web.downloads import streamed
from workbench.web.pages.adjudication import decisions as decisions_file
from workbench.web.requests import Values
from workbench.workflow.adjudication.decisions import Decision, DecisionSubmission, decide, last_decided, undo
from workbench.workflow.adjudication.disputes import dispute_queue
from workbench.workflow.adjudication.queue import DisputeRulesJson, DisputesJson, Order, State, queue_json
from workbench.workflow.adjudication.rules import adjudication_rules, save_adjudication_rules
from workbench.workflow.agreement.report import campaign_agreement
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.people.membership import Role
from workbench.workflow.people.sessions import Scope
from workbench.workflow.qrels.qrels import QrelsReportJson, make_qrels, qrels_json
from workbench.workflow.scores.leaderboard import ScoreJson, leaderboard, scores_json
from workbench.workflow.scores.score_table import default_measures, score_runs

agreement_blueprint = Blueprint("agreement", __name__, url_prefix="/campaigns/<slug>/agreement")
qrels_blueprint = Blueprint("qrels", __name__, url_prefix="/campaigns/<slug>/qrels")
scores_blueprint = Blueprint("scores", __name__, url_prefix="/campaigns/<slug>/scores")


class DecisionJson(TypedDict):
    """What became of a decision; `overtaken_by` is who has decided the pair meanwhile."""

    recorded: bool
    repeated: bool
    overtaken_by: str | None


class WithdrawnDecision(TypedDict):
    """The pair whose decision was withdrawn; null where there was none."""

    topic: str | None
    docno: str | None


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


def _query_type(name: str, meaning: str, parts: list[tuple[str, Any, Any]]) -> Any:
    """A record of a query whose fields come from the registry of rules."""
    return make_dataclass(
        name,
        parts,
        frozen=True,
        slots=True,
        namespace={"__pydantic_config__": FORBID, "__doc__": meaning, "__module__": __name__},
    )


QrelsQuery = _query_type(
    "QrelsQuery",
    "A rule; `unjudged` adds -1 for pooled pairs without a grade.",
    [*_RULE, ("unjudged", Flag, False)],
)
ScoresQuery = _query_type(
    "ScoresQuery",
    "A rule, measures such as `AP nDCG@10` and runs by tag; all that are not set aside if none is named.",
    [*_RULE, *_MEASURES],
)


@agreement_blueprint.get("")
@reader
@operation(AgreementJson, query=AgreementQuery)
def agreement(query: AgreementQuery) -> AgreementJson:
    """Report how far the assessors agree: each coefficient with its interval and n, overall and by pair."""
    return report_data(read_here(campaign_agreement, query.options()))


@qrels_blueprint.get("")
@reader
@operation(Text("text/plain; charset=utf-8", "Qrels: topic, 0, docno, grade."), query=QrelsQuery)
def qrels(query: Any) -> Response:
    """Download the qrels that a rule makes of the current judgments."""
    report = read_here(make_qrels, chosen_rule(query), unjudged=query.unjudged)
    return streamed(report.lines(), f"{here().slug}.qrels", kind="text/plain; charset=utf-8")


@qrels_blueprint.get("/report")
@reader
@operation(QrelsReportJson, query=QrelsQuery)
def qrels_report(query: Any) -> QrelsReportJson:
    """Report what a rule settles and what it leaves, in numbers."""
    return qrels_json(read_here(make_qrels, chosen_rule(query), unjudged=query.unjudged))


@scores_blueprint.get("")
@reader
@operation(list[ScoreJson], query=ScoresQuery)
def scores(query: Any) -> list[ScoreJson]:
    """Score the runs on the qrels of a rule, best first by the first measure, with intervals and bounds."""
    choice = chosen_rule(query)
    with reading_here() as (db, campaign_id):
        measures = query.measures or default_measures(campaign_of(db, campaign_id).scale, choice)
        table = score_runs(db, campaign_id, choice=choice, measures=measures, tags=query.run or None)
    return scores_json(leaderboard(table))


def chosen_rule(query: Any) -> RuleChoice:
    """The rule that a query names, with those of its parameters that it gives."""
    given = {name: getattr(query, name) for name in PARAMETERS}
    return exact_choice(query.rule, machines=query.machines, **given)


disputes = Blueprint("disputes", __name__, url_prefix="/campaigns/<slug>/disputes")
adjudicator = member(Role.ORGANISER, Role.ADJUDICATOR)
TABLE = "text/tab-separated-values; charset=utf-8"


@sent
class DisputesQuery:
    """Which disputed pairs, and in which order."""

    order: Order = Order.INFLUENCE
    topic: str = ""
    state: State | None = None


@sent
class SentDecision:
    """A decision about a pair; `grade` goes with the decision of that name.

    `seen` is the number of the latest decision about the pair that you know of, 0 for none, None for whatever
    there is now.
    """

    client_id: ClientId
    topic: str
    docno: str
    decision: Decision
    grade: GradeValue | None = None
    reason: str = ""
    seen: Annotated[Whole, Field(ge=0, lt=2**63)] | None = None


@sent
class SentWithdrawal:
    """The client id of a withdrawal: with the same one no second decision is withdrawn."""

    client_id: ClientId


class DisputeRulesChange(TypedDict, total=False):
    """What is to be changed; what is not named stays."""

    __pydantic_config__ = FORBID  # type: ignore[misc]  # as pydantic's documentation does
    difference: Difference
    steps: Annotated[Whole, Field(ge=1, le=1000)]
    beside_grades: Flag
    machines: Flag
    names_hidden: Flag
    measure: str
    blind_discussion: Flag
    reasons_required: Flag


@disputes.get("", endpoint="index")
@adjudicator
@operation(DisputesJson, query=DisputesQuery)
def dispute_list(query: DisputesQuery) -> DisputesJson:
    """List the disputed pairs with their answers, their state and their influence on the ranking.

    Where adjudicators do not see names, neither does this list.
    """
    with reading() as db:
        found = dispute_queue(db, here().id, order=query.order, influence=True)
        lines = tuple(found.filtered(topic=query.topic or None, state=query.state))
    return queue_json(found, lines, names=not found.rules.names_hidden)


@disputes.post("/decisions")
@adjudicator
@operation(DecisionJson, scope=Scope.DECIDE, body=SentDecision)
def decide_pair(body: SentDecision) -> DecisionJson:
    """Decide a pair, return it to its assessors, or mark its topic as unclear."""
    pair = body.topic, body.docno
    with writing_here() as (db, campaign_id):
        seen = last_decided(db, campaign_id, pair) if body.seen is None else body.seen
        submission = DecisionSubmission(
            body.decision, body.client_id, grade=body.grade, reason=body.reason, seen=seen
        )
        done = decide(db, campaign_id, viewer().id, pair, submission)
    return {
        "recorded": done.event_id is not None,
        "repeated": done.repeated,
        "overtaken_by": None if done.overtaken is None else done.overtaken.by,
    }


@disputes.post("/decisions/withdrawals")
@adjudicator
@operation(WithdrawnDecision, scope=Scope.DECIDE, body=SentWithdrawal)
def withdraw(body: SentWithdrawal) -> WithdrawnDecision:
    """Withdraw your latest decision that holds; its pair is open again."""
    pair = write_here(undo, viewer().id, client_id=body.client_id)
    topic, docno = pair or (None, None)
    return {"topic": topic, "docno": docno}


@disputes.get("/rules")
@adjudicator
@operation(DisputeRulesJson)
def rules() -> DisputeRulesJson:
    """Show what counts as disputed, and how disputes are shown and discussed."""
    return filled(DisputeRulesJson, read_here(adjudication_rules))


@disputes.patch("/rules")
@organiser
@operation(DisputeRulesJson, scope=Scope.MANAGE, body=DisputeRulesChange)
def change_rules(body: DisputeRulesChange) -> DisputeRulesJson:
    """Change what counts as disputed, or how disputes are shown and discussed."""
    with writing_here() as (db, campaign_id):
        changed = replace(adjudication_rules(db, campaign_id), **Values(body))
        return filled(DisputeRulesJson, save_adjudication_rules(db, campaign_id, changed))


@disputes.get("/decisions.tsv")
@adjudicator
@operation(Text(TABLE, "Topic, doc, grade and reason of each adjudicated pair."))
def decisions() -> Response:
    """Download every adjudicated grade."""
    return decisions_file()
