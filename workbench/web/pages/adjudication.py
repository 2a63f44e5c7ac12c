"""Adjudication: the queue of disputed pairs, what counts as disputed, and the desk on which they are decided.

The desk shows one pair after the other, decided by one key. htmx gets the pieces of it that change, everybody
else a 303 to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

from flask import Blueprint, jsonify, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.consensus.disputes import Difference
from workbench.consensus.votes import Pair
from workbench.errors import Conflict, Finding, InvalidInput, WorkbenchError, rejected
from workbench.formats.graded_pairs import write_decisions
from workbench.frozen import frozen_dataclass
from workbench.records import Topic
from workbench.scoring.own_measures import influence_measures
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here, member, organiser, viewer
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
    sent_id,
    sent_words,
    status_of,
)
from workbench.web.jobs import begin
from workbench.web.large_pages import made_by_job_if_large
from workbench.web.navigation import disputes_way
from workbench.web.requests import Reply, Values, go_to, read_id, see_other, wants_fragment, write_id
from workbench.workflow.adjudication.decision_files import decisions_made
from workbench.workflow.adjudication.decisions import Decision, DecisionSubmission, decide, undo
from workbench.workflow.adjudication.disputes import (
    DisputedPair,
    Waiting,
    dispute_queue,
    disputed_pair,
    influence_arguments,
)
from workbench.workflow.adjudication.influence import JOB
from workbench.workflow.adjudication.influence import JOB as INFLUENCE
from workbench.workflow.adjudication.queue import Order, State, queue_export
from workbench.workflow.adjudication.queue_table import Queue, QueueLines
from workbench.workflow.adjudication.rules import (
    AdjudicationRules,
    adjudication_rules,
    save_adjudication_rules,
)
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import document_titles
from workbench.workflow.jobs import job_of
from workbench.workflow.judging.desk_settings import (
    DeskKeys,
    adjudicator_words,
    keys_of,
    save_adjudicator_words,
)
from workbench.workflow.people.membership import Role

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


desk_blueprint = Blueprint("adjudicating", __name__, url_prefix="/c/<slug>/adjudicate")
# What this desk does that the judging desk does not, and what both do, by the other's name of it. A grade
# keeps its key where it is one of these, and the button has none.
OWN_KEYS = {"back": "b", "unclear": "t", "passage": "e"}
SHARED_KEYS = {"skip": "later", "reason": "comment", "undo": "undo", "guidelines": "guidelines"}
# Answers of one pair; nobody has as many assessors.
MOST_HEARD = 1000
READING_KEYS = ("next_hit", "previous_hit", "highlight", "passage")


@desk_blueprint.get("")
@adjudicator
def desk() -> Response:
    """The desk with the pair that the address names, or the first one to decide."""
    named = "topic" in request.args and "docno" in request.args
    return _desk(_choice(), _pair() if named else None)


@desk_blueprint.put("/words")
@adjudicator
def keep_words() -> Response:
    """Keep the words that this adjudicator highlights in the topic that the address names."""
    try:
        words = sent_words()
        with writing() as db:
            kept = save_adjudicator_words(db, here().id, viewer().id, sent_id("topic"), words)
    except InvalidInput as error:
        return make_response(jsonify(error=str(error)), 422)
    return jsonify(words=kept)


@desk_blueprint.post("/decide")
@adjudicator
def decide_pair() -> Response:
    """Record a decision and go on to the next pair; or tell what somebody else has decided meanwhile."""
    submission, choice, pair = _submission(), _choice(), _pair()
    if request.form.get("by", str(viewer().id)) != str(viewer().id):
        # Another tab of this browser has signed somebody else in since.
        raise Conflict("this decision was made with another account", remedy="sign in with that account")
    with writing() as db:
        done = decide(db, here().id, viewer().id, pair, submission)
    if done.overtaken is not None:
        return _desk(choice, pair, overtaken={"sent": submission, "theirs": done.overtaken})
    if wants_fragment():
        return _desk(choice, None, after=pair)
    with reading() as db:
        found = dispute_queue(db, here().id, order=choice.order, waiting=Waiting.DESK)
        following = found.filtered(topic=choice.topic).next_open(pair)
    return see_other(choice.desk_address(following))


@desk_blueprint.post("/undo")
@adjudicator
def undo_last() -> Response:
    """Withdraw one's latest decision and go back to its pair."""
    choice = _choice()
    with writing() as db:
        pair = undo(db, here().id, viewer().id, client_id=form_text("client_id"))
    return _desk(choice, pair) if wants_fragment() else see_other(choice.desk_address(pair))


def _desk(
    choice: QueueChoice,
    pair: Pair | None,
    *,
    after: Pair | None = None,
    overtaken: Mapping[str, object] | None = None,
) -> Response:
    shown: DisputedPair | None = None
    with reading() as db:
        found = dispute_queue(db, here().id, order=choice.order, waiting=Waiting.DESK)
        lines = found.filtered(topic=choice.topic)
        if pair is None:
            pair = lines.next_open(after)
        if pair is not None:
            shown = disputed_pair(db, here().id, pair, viewer().id)
        words = adjudicator_words(db, here().id, viewer().id, pair[0]) if pair is not None else ()
        keys = keys_of(db, viewer().id, found.scale)
        # They stay where they are while the pairs come and go, so that only a whole page needs them.
        guidelines = "" if wants_fragment() else campaign_of(db, here().id).guidelines
        arguments = influence_arguments(db, here().id) if found.influence_behind else None
    if arguments is not None:
        begin(INFLUENCE, arguments)
    page = render_template(
        "adjudication/_pieces.html" if wants_fragment() else "adjudication/desk.html",
        pair=shown,
        place=_place(lines, pair),
        choice=choice,
        scale=found.scale,
        keys=_command_keys(keys),
        reading_keys={"commands": {name: keys.commands[name] for name in READING_KEYS}},
        reading_begin=_reading(shown, words),
        grade_keys=keys.grades,
        guidelines=guidelines,
        overtaken=overtaken,
    )
    response = make_response(page, 409 if overtaken and not wants_fragment() else 200)
    if wants_fragment():
        # Loading the page anew shows what is on the desk now, not the pair with which it was opened.
        response.headers["HX-Replace-Url"] = choice.desk_address(pair)
    return response


def _place(lines: QueueLines, pair: Pair | None) -> dict[str, object]:
    """Where a pair stands in the queue that its adjudicator goes through; `position` counts from 1."""
    at = lines.place(pair)
    return {
        "position": None if at is None else at + 1,
        "total": len(lines),
        "done": lines.count(State.DECIDED, State.SETTLED),
        "left": lines.count(State.OPEN),
        "previous": lines.pair(at - 1) if at else None,
        "following": lines.pair(at + 1) if at is not None and at + 1 < len(lines) else None,
    }


def _reading(shown: DisputedPair | None, words: tuple[str, ...]) -> dict[str, object]:
    """What reading begins from in the topic of a pair: its text, and the words that are highlighted in it."""
    topic = Topic("", "") if shown is None else shown.topic
    address = url_for("adjudicating.keep_words", topic=write_id(topic.id) or None)
    return {
        "title": topic.title,
        "description": topic.description,
        "words": {"words": words, "address": address},
    }


def _command_keys(keys: DeskKeys) -> Mapping[str, str]:
    """The key of everything but grades, as the adjudicator chose them; none where another has it."""
    shared = {name: keys.commands[other] for name, other in SHARED_KEYS.items()}
    used = {*keys.grades.values(), *shared.values(), *(keys.commands[name] for name in READING_KEYS)}
    return shared | {name: "" if key in used else key for name, key in OWN_KEYS.items()}


def _choice() -> QueueChoice:
    return queue_choice(topic="only")


def _pair() -> Pair:
    return sent_id("topic"), sent_id("docno")


def _submission() -> DecisionSubmission:
    named = form_text("decision")
    if named.isascii() and named.isdigit() and len(named) < 6:
        decision, grade = Decision.GRADE, int(named)
    elif named in {Decision.BACK, Decision.UNCLEAR}:
        decision, grade = Decision(named), None
    else:
        raise rejected("Decision", None, "decision", "the form has no decision", "use its buttons")
    return DecisionSubmission(
        decision=decision,
        client_id=form_text("client_id"),
        grade=grade,
        reason=form_text("reason"),
        seen=_number(form_text("seen")) or 0,
        heard=_numbers(form_text("heard")) if "heard" in request.form else None,
        active_ms=_number(form_text("active_ms")),
    )


def _numbers(text: str) -> tuple[int, ...]:
    found = (_number(one) for one in text.split()[:MOST_HEARD])
    return tuple(one for one in found if one is not None)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


BLUEPRINTS = (blueprint, influence_blueprint, desk_blueprint)
