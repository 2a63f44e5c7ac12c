"""Disputes: the pairs on which assessors differ, and the decisions about them."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from flask import Blueprint
from pydantic import Field
from typing_extensions import TypedDict
from werkzeug.wrappers import Response

from workbench.consensus.disputes import Difference
from workbench.json_forms.filling import filled
from workbench.json_forms.judging import DecisionJson, WithdrawnDecision
from workbench.json_forms.results import DisputesJson
from workbench.json_forms.rules import DisputeRulesJson
from workbench.web.access import here, member, organiser, viewer
from workbench.web.api.cursors import FORBID, ClientId, Flag, GradeValue, Whole, sent
from workbench.web.api.operations import Text, operation
from workbench.web.context import reading, writing
from workbench.web.pages.adjudication.queue import decisions as decisions_file
from workbench.web.requests import Values
from workbench.workflow.adjudication.decisions import Decision, DecisionSubmission, decide, last_decided, undo
from workbench.workflow.adjudication.disputes import dispute_queue
from workbench.workflow.adjudication.queue import Order, State, queue_json
from workbench.workflow.adjudication.rules import adjudication_rules, save_adjudication_rules
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role

blueprint = Blueprint("disputes", __name__, url_prefix="/campaigns/<slug>/disputes")
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


@blueprint.get("")
@adjudicator
@operation(DisputesJson, query=DisputesQuery)
def index(query: DisputesQuery) -> DisputesJson:
    """List the disputed pairs with their answers, their state and their influence on the ranking.

    Where adjudicators do not see names, neither does this list.
    """
    with reading() as db:
        found = dispute_queue(db, here().id, order=query.order, influence=True)
        lines = tuple(found.filtered(topic=query.topic or None, state=query.state))
    return queue_json(found, lines, names=not found.rules.names_hidden)


@blueprint.post("/decisions")
@adjudicator
@operation(DecisionJson, scope=Scope.DECIDE, body=SentDecision)
def decide_pair(body: SentDecision) -> DecisionJson:
    """Decide a pair, return it to its assessors, or mark its topic as unclear."""
    pair = body.topic, body.docno
    with writing() as db:
        seen = last_decided(db, here().id, pair) if body.seen is None else body.seen
        submission = DecisionSubmission(
            body.decision, body.client_id, grade=body.grade, reason=body.reason, seen=seen
        )
        done = decide(db, here().id, viewer().id, pair, submission)
    return {
        "recorded": done.event_id is not None,
        "repeated": done.repeated,
        "overtaken_by": None if done.overtaken is None else done.overtaken.by,
    }


@blueprint.post("/decisions/withdrawals")
@adjudicator
@operation(WithdrawnDecision, scope=Scope.DECIDE, body=SentWithdrawal)
def withdraw(body: SentWithdrawal) -> WithdrawnDecision:
    """Withdraw your latest decision that holds; its pair is open again."""
    with writing() as db:
        pair = undo(db, here().id, viewer().id, client_id=body.client_id)
    topic, docno = pair or (None, None)
    return {"topic": topic, "docno": docno}


@blueprint.get("/rules")
@adjudicator
@operation(DisputeRulesJson)
def rules() -> DisputeRulesJson:
    """Show what counts as disputed, and how disputes are shown and discussed."""
    with reading() as db:
        return filled(DisputeRulesJson, adjudication_rules(db, here().id))


@blueprint.patch("/rules")
@organiser
@operation(DisputeRulesJson, scope=Scope.MANAGE, body=DisputeRulesChange)
def change_rules(body: DisputeRulesChange) -> DisputeRulesJson:
    """Change what counts as disputed, or how disputes are shown and discussed."""
    with writing() as db:
        changed = replace(adjudication_rules(db, here().id), **Values(body))
        return filled(DisputeRulesJson, save_adjudication_rules(db, here().id, changed))


@blueprint.get("/decisions.tsv")
@adjudicator
@operation(Text(TABLE, "Topic, doc, grade and reason of each adjudicated pair."))
def decisions() -> Response:
    """Download every adjudicated grade."""
    return decisions_file()
