"""Disputes: the pairs on which assessors differ, and the decisions about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, cast

from flask import Blueprint
from pydantic import Field
from werkzeug.wrappers import Response

from workbench.formats.graded_pairs import write_decisions
from workbench.json_forms import DecisionJson
from workbench.web.access import here, member, viewer
from workbench.web.api.cursors import FORBID, Whole
from workbench.web.api.operations import Text, operation
from workbench.web.context import reading, writing
from workbench.web.downloads import streamed
from workbench.workflow.adjudication.decision_files import decisions_made
from workbench.workflow.adjudication.decisions import Decision, DecisionSubmission, decide, last_decided
from workbench.workflow.adjudication.disputes import dispute_queue
from workbench.workflow.adjudication.queue import Order, State, queue_export
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role

blueprint = Blueprint("disputes", __name__, url_prefix="/campaigns/<slug>/disputes")
adjudicator = member(Role.ORGANISER, Role.ADJUDICATOR)
TABLE = "text/tab-separated-values; charset=utf-8"


@dataclass(frozen=True, slots=True)
class DisputesQuery:
    """Which disputed pairs, and in which order."""

    __pydantic_config__ = FORBID
    order: Order = Order.INFLUENCE
    topic: str = ""
    state: State | None = None


@dataclass(frozen=True, slots=True)
class SentDecision:
    """A decision about a pair; `grade` goes with the decision of that name.

    `seen` is the number of the latest decision about the pair that you know of, 0 for none, None for whatever
    there is now.
    """

    __pydantic_config__ = FORBID
    client_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{8,64}$")]
    topic: str
    docno: str
    decision: Decision
    grade: Annotated[Whole, Field(ge=-(2**31), lt=2**31)] | None = None
    reason: str = ""
    seen: Annotated[Whole, Field(ge=0, lt=2**63)] | None = None


@blueprint.get("")
@adjudicator
@operation(dict[str, Any], query=DisputesQuery)
def index(query: DisputesQuery) -> dict[str, Any]:
    """List the disputed pairs with their answers, their state and their influence on the ranking.

    Where adjudicators do not see names, neither does this list.
    """
    with reading() as db:
        found = dispute_queue(db, here().id, order=query.order, influence=True)
    lines = found.filtered(topic=query.topic or None, state=query.state)
    return cast(dict[str, Any], queue_export(found, lines, names=not found.rules.names_hidden).data())


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


@blueprint.get("/decisions.tsv")
@adjudicator
@operation(Text(TABLE, "Topic, doc, grade and reason of each adjudicated pair."))
def decisions() -> Response:
    """Download every adjudicated grade."""
    with reading() as db:
        made = decisions_made(db, here().id)
    return streamed(iter(write_decisions(made)), f"{here().slug}.decisions.tsv", kind=TABLE)
