"""The adjudicator's desk: one disputed pair after the other, decided by one key.

htmx gets the pieces of the desk that change, everybody else a 303 to the desk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, jsonify, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.consensus.rule import Pair
from workbench.errors import Conflict, Finding, InvalidInput, rejected
from workbench.web.access import here, member, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import form_text, sent_id
from workbench.web.ids import write_id
from workbench.web.pages.adjudication.queue import QueueChoice, queue_choice
from workbench.web.requests import see_other, wants_fragment
from workbench.workflow.adjudication.decisions import (
    Decided,
    Decision,
    DecisionSubmission,
    decide,
    last_decided,
    undo,
)
from workbench.workflow.adjudication.disputed_pair import DisputedPair, disputed_pair
from workbench.workflow.adjudication.disputes import Waiting, dispute_queue
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_lines import Queue
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


@dataclass(frozen=True, slots=True)
class Overtaken:
    """A decision that was not recorded, because somebody else had decided the pair meanwhile."""

    sent: DecisionSubmission
    theirs: Decided


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """Where a pair stands in the queue that its adjudicator goes through; `position` counts from 1."""

    position: int | None
    total: int
    done: int
    left: int
    previous: Pair | None
    following: Pair | None


@blueprint.get("")
@adjudicator
def desk() -> Response:
    """The desk with the pair that the address names, or the first one to decide."""
    named = "topic" in request.args and "docno" in request.args
    return _desk(_choice(), (sent_id("topic"), sent_id("docno")) if named else None)


@blueprint.get("/ahead")
@adjudicator
def ahead() -> Response:
    """The pair to decide behind the one that the address names, for a script to have ready."""
    return _desk(_choice(), None, after=(sent_id("topic"), sent_id("docno")))


@blueprint.put("/words")
@adjudicator
def keep_words() -> Response:
    """Keep the words that this adjudicator highlights in the topic that the address names."""
    sent = request.get_json(silent=True)
    words = sent.get("words") if isinstance(sent, dict) else None
    try:
        if not isinstance(words, list):
            raise rejected("My words", None, "words", "the body is no list of words")
        with writing() as db:
            kept = save_adjudicator_words(db, here().id, viewer().id, sent_id("topic"), words)
    except InvalidInput as error:
        return make_response(jsonify(error=str(error)), 422)
    return jsonify(words=kept)


@blueprint.post("/decide")
@adjudicator
def decide_pair() -> Response:
    """Record a decision and go on to the next pair; or tell what somebody else has decided meanwhile."""
    submission, choice = _submission(), _choice()
    pair = sent_id("topic"), sent_id("docno")
    if request.form.get("by", str(viewer().id)) != str(viewer().id):
        # Another tab of this browser has signed somebody else in since.
        raise Conflict(
            "another account is signed in now than the one that decided", remedy="sign in as that one"
        )
    with writing() as db:
        done = decide(db, here().id, viewer().id, pair, submission)
    if done.overtaken is not None:
        return _desk(choice, pair, overtaken=Overtaken(submission, done.overtaken))
    if "now_topic" not in request.form:
        return _go_on(choice, after=pair)
    # A script has put the next pair on the desk already: what comes after that one is wanted.
    now_shown = sent_id("now_topic"), sent_id("now_docno")
    response = _desk(choice, None, after=now_shown)
    with reading() as db:
        # A decision that somebody else has made of that pair meanwhile is shown at once.
        response.headers["Desk-Seen"] = str(last_decided(db, here().id, now_shown))
    return response


@blueprint.post("/undo")
@adjudicator
def undo_last() -> Response:
    """Withdraw one's latest decision and go back to its pair."""
    choice = _choice()
    with writing() as db:
        pair = undo(db, here().id, viewer().id, client_id=form_text("client_id"))
    if wants_fragment():
        return _desk(choice, pair)
    return see_other(choice.desk_address(pair))


def _go_on(choice: QueueChoice, *, after: Pair) -> Response:
    if wants_fragment():
        return _desk(choice, None, after=after)
    with reading() as db:
        found = dispute_queue(db, here().id, order=choice.order, waiting=Waiting.DESK)
        pair = found.filtered(topic=choice.topic).next_open(after)
    return see_other(choice.desk_address(pair))


def _desk(
    choice: QueueChoice, pair: Pair | None, *, after: Pair | None = None, overtaken: Overtaken | None = None
) -> Response:
    shown: DisputedPair | None = None
    with reading() as db:
        found = dispute_queue(db, here().id, order=choice.order, waiting=Waiting.DESK)
        if pair is None:
            pair = found.filtered(topic=choice.topic).next_open(after)
        if pair is not None:
            shown = disputed_pair(db, here().id, pair, viewer().id)
        words = adjudicator_words(db, here().id, viewer().id, pair[0]) if pair is not None else ()
        keys = keys_of(db, viewer().id, found.scale)
        # They stay where they are while the pairs come and go, so that only a whole page needs them.
        guidelines = "" if wants_fragment() else campaign_of(db, here().id).guidelines
    template = "adjudication/_pieces.html" if wants_fragment() else "adjudication/desk.html"
    page = render_template(
        template,
        pair=shown,
        place=_place(found, choice, pair),
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


def _place(found: Queue, choice: QueueChoice, pair: Pair | None) -> QueuePosition:
    lines = found.filtered(topic=choice.topic)
    at = lines.place(pair)
    return QueuePosition(
        position=None if at is None else at + 1,
        total=len(lines),
        done=lines.count(State.DECIDED, State.SETTLED),
        left=lines.count(State.OPEN),
        previous=lines.pair(at - 1) if at else None,
        following=lines.pair(at + 1) if at is not None and at + 1 < len(lines) else None,
    )


def _reading(shown: DisputedPair | None, words: tuple[str, ...]) -> dict[str, object]:
    """What reading begins from in the topic of a pair: its text, and the words that are highlighted in it."""
    topic = None if shown is None else shown.topic
    named = None if topic is None else write_id(topic.id)
    return {
        "title": topic.title if topic else "",
        "description": topic.description if topic else "",
        "words": {"words": words, "address": url_for("adjudicating.keep_words", topic=named)},
    }


def _command_keys(keys: DeskKeys) -> Mapping[str, str]:
    """The key of everything but grades, as the adjudicator chose them; none where another has it."""
    shared = {name: keys.commands[other] for name, other in SHARED_KEYS.items()}
    used = {*keys.grades.values(), *shared.values(), *(keys.commands[name] for name in READING_KEYS)}
    return shared | {name: "" if key in used else key for name, key in OWN_KEYS.items()}


def _choice() -> QueueChoice:
    return queue_choice(topic="only")


def _submission() -> DecisionSubmission:
    named = form_text("decision")
    if named.isascii() and named.isdigit() and len(named) < 6:
        decision, grade = Decision.GRADE, int(named)
    elif named in {Decision.BACK, Decision.UNCLEAR}:
        decision, grade = Decision(named), None
    else:
        finding = Finding("Decision", None, "decision", "the form has no decision", "use its buttons")
        raise InvalidInput([finding])
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
