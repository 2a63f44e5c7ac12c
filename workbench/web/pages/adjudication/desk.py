"""The adjudicator's desk: one disputed pair after the other, decided by one key.

htmx gets the pieces of the desk that change, everybody else a 303 to the desk.
"""

from __future__ import annotations

from collections.abc import Mapping

from flask import Blueprint, jsonify, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.consensus.rule import Pair
from workbench.errors import Conflict, InvalidInput, rejected
from workbench.records import Topic
from workbench.web.access import here, member, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import form_text, sent_id, sent_words
from workbench.web.jobs import begin
from workbench.web.pages.adjudication.queue import QueueChoice, queue_choice
from workbench.web.requests import see_other, wants_fragment, write_id
from workbench.workflow.adjudication.decisions import Decision, DecisionSubmission, decide, undo
from workbench.workflow.adjudication.disputes import (
    DisputedPair,
    Waiting,
    dispute_queue,
    disputed_pair,
    influence_arguments,
)
from workbench.workflow.adjudication.influence import JOB as INFLUENCE
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_table import QueueLines
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.desk_settings import (
    DeskKeys,
    adjudicator_words,
    keys_of,
    save_adjudicator_words,
)
from workbench.workflow.people.roles import Role

blueprint = Blueprint("adjudicating", __name__, url_prefix="/c/<slug>/adjudicate")
adjudicator = member(Role.ORGANISER, Role.ADJUDICATOR)
# What this desk does that the judging desk does not, and what both do, by the other's name of it. A grade
# keeps its key where it is one of these, and the button has none.
OWN_KEYS = {"back": "b", "unclear": "t", "passage": "e"}
SHARED_KEYS = {"skip": "later", "reason": "comment", "undo": "undo", "guidelines": "guidelines"}
# Answers of one pair; nobody has as many assessors.
MOST_HEARD = 1000
READING_KEYS = ("next_hit", "previous_hit", "highlight", "passage")


@blueprint.get("")
@adjudicator
def desk() -> Response:
    """The desk with the pair that the address names, or the first one to decide."""
    named = "topic" in request.args and "docno" in request.args
    return _desk(_choice(), _pair() if named else None)


@blueprint.put("/words")
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


@blueprint.post("/decide")
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


@blueprint.post("/undo")
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
