"""Adjudication: the queue of disputed pairs, and what counts as disputed."""

from __future__ import annotations

from dataclasses import asdict, replace

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.consensus.disputes import Difference
from workbench.consensus.rule import Pair
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.formats.graded_pairs import write_decisions
from workbench.frozen import frozen_dataclass
from workbench.scoring.own_measures import influence_measures
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here, member, organiser
from workbench.web.context import reading, writing
from workbench.web.downloads import attachment, export_file
from workbench.web.forms import (
    Findings,
    findings_of,
    form_number,
    form_text,
    marks,
    merged,
    named,
    query_number,
    status_of,
)
from workbench.web.jobs import begin
from workbench.web.large_pages import made_by_job_if_large
from workbench.web.navigation import disputes_way
from workbench.web.requests import Reply, Values, go_to, read_id, write_id
from workbench.workflow.adjudication.decision_files import decisions_made
from workbench.workflow.adjudication.disputes import Waiting, dispute_queue, influence_arguments
from workbench.workflow.adjudication.influence import JOB
from workbench.workflow.adjudication.queue import Order, State, queue_export
from workbench.workflow.adjudication.queue_table import Queue, QueueLines
from workbench.workflow.adjudication.rules import (
    AdjudicationRules,
    adjudication_rules,
    save_adjudication_rules,
)
from workbench.workflow.campaigns.collection import document_titles
from workbench.workflow.jobs import job_of
from workbench.workflow.people.roles import Role

blueprint = Blueprint("adjudication", __name__, url_prefix="/c/<slug>/adjudication")
influence_blueprint = Blueprint("influence", __name__, url_prefix="/c/<slug>/adjudication/influence")
adjudicator = member(Role.ORGANISER, Role.ADJUDICATOR)
MOST_SHOWN = 20


@frozen_dataclass
class QueueChoice:
    """Which pairs of the queue an adjudicator goes through, and in which order."""

    order: Order
    topic: str | None
    state: State | None = None

    def arguments(self, **other: str | None) -> dict[str, str]:
        """The choice in an address of the queue, with some of it changed (None leaves it out)."""
        values = {
            "order": str(self.order),
            "topic": None if self.topic is None else write_id(self.topic),
            "state": None if self.state is None else str(self.state),
        } | other
        return {name: value for name, value in values.items() if value is not None}

    def desk_address(self, pair: Pair | None) -> str:
        """The address of a pair on the desk, or of the desk with the first one to decide."""
        topic, docno = (None, None) if pair is None else (write_id(pair[0]), write_id(pair[1]))
        return url_for(
            "adjudicating.desk",
            order=str(self.order),
            only=None if self.topic is None else write_id(self.topic),
            topic=topic,
            docno=docno,
        )


def queue_choice(*, topic: str) -> QueueChoice:
    """The order, state and topic that a request names in its address or form; the topic under this name."""
    asked = request.values
    only = asked.get(topic)
    return QueueChoice(
        order=named(Order, asked.get("order")) or Order.INFLUENCE,
        topic=read_id(only) if only else None,
        state=named(State, asked.get("state")),
    )


@blueprint.get("")
@adjudicator
@made_by_job_if_large
def index(findings: Findings = (), typed: AdjudicationRules | None = None) -> str:
    """The queue; `?order=`, `?topic=` and `?state=` choose, without a state what is to decide."""
    chosen = queue_choice(topic="topic")
    with reading() as db:
        found, lines = _lines(db, chosen, Waiting.PAGE)
        if "state" not in request.args and found.counts[State.OPEN]:
            chosen = replace(chosen, state=State.OPEN)
            lines = found.filtered(topic=chosen.topic, state=chosen.state)
        shown = lines[:MOST_SHOWN]
        return render_template(
            "adjudication/index.html",
            queue=found,
            lines=shown,
            titles=document_titles(db, here().id, {line.docno for line in shown}),
            matching=len(lines),
            chosen=chosen,
            orders=tuple(Order),
            states=tuple(State),
            differences=tuple(Difference),
            measures=[(name, name) for name in dict.fromkeys((*influence_measures(), found.rules.measure))],
            rules=typed or found.rules,
            was=marks(_values(found.rules)),
            findings=findings,
        )


@blueprint.post("/rules")
@organiser
def change_rules() -> Reply:
    """Save what counts as disputed, and how it is shown."""
    typed = None
    try:
        typed = _rules()
        with writing() as db:
            now = adjudication_rules(db, here().id)
            save_adjudication_rules(db, here().id, replace(now, **merged(_values(typed), _values(now))))
    except WorkbenchError as error:
        return index(findings_of(error, "Adjudication"), typed), status_of(error)
    notices.add(
        "Adjudication settings saved.", then=disputes_way() or ("Create qrels", url_for("qrels.index"))
    )
    return go_to("adjudication.index")


@blueprint.get("/disputes.<any(csv, json):kind>")
@adjudicator
def export(kind: str) -> Response:
    """The chosen pairs as CSV or JSON, with their influence."""
    with reading() as db:
        found, lines = _lines(db, queue_choice(topic="topic"), Waiting.EXACT)
        every = tuple(lines)
    return export_file(
        queue_export(found, every, names=not found.rules.names_hidden), kind, f"{here().slug}.disputes"
    )


@blueprint.get("/decisions.tsv")
@adjudicator
def decisions() -> Response:
    """Every adjudicated grade, as the command `adjudication decide` reads it."""
    with reading() as db:
        made = decisions_made(db, here().id)
    return attachment(write_decisions(made), f"{here().slug}.decisions.tsv", kind="text/tab-separated-values")


def _lines(db: Session, chosen: QueueChoice, waiting: Waiting) -> tuple[Queue, QueueLines]:
    influence = True if waiting is Waiting.EXACT else None
    found = dispute_queue(db, here().id, order=chosen.order, influence=influence, waiting=waiting)
    return found, found.filtered(topic=chosen.topic, state=chosen.state)


def _values(rules: AdjudicationRules) -> Values:
    """The fields of the form."""
    return {name: value for name, value in asdict(rules).items() if name != "seed"}


def _rules() -> AdjudicationRules:
    form = request.form
    difference = named(Difference, form_text("difference"))
    steps = form_number("steps")
    findings = []
    if difference is None:
        findings.append(Finding("Disputed", None, "difference", "choose what is disputed"))
    if steps is None:
        findings.append(Finding("Steps", None, "steps", "this is not a number", "1 or more"))
    if difference is None or steps is None:
        raise InvalidInput(findings)
    return AdjudicationRules(
        difference=difference,
        steps=steps,
        beside_grades="beside_grades" in form,
        machines="machines" in form,
        names_hidden="names_hidden" in form,
        measure=form_text("measure"),
        blind_discussion=form_text("discussion") != "in_turn",
        reasons_required="reasons_required" in form,
    )


@influence_blueprint.get("")
@adjudicator
def compute() -> str:
    """Have the influence computed, or say of the job that computes it how far it is, or that it is known."""
    with reading() as db:
        begun = query_number("job")
        found = job_of(db, begun) if begun else None
        arguments = influence_arguments(db, here().id) if found is None else {}
    if found is None or found.campaign_id != here().id or found.kind != JOB:
        found = begin(JOB, arguments)
    return render_template("adjudication/_influence.html", job=found, chosen=queue_choice(topic="topic"))
