"""The judging desk's API: the topic as it stands, documents ahead, and the events that come back.

Everything here is the assessor's own and blind as the page is. Errors are JSON: only the desk's script reads
them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, abort, current_app, jsonify, make_response, request, url_for
from jinja2 import Environment

from workbench.errors import NotFound, WorkbenchError
from workbench.web import notices
from workbench.web.access import (
    BYTES_OF_A_FORM,
    anyone,
    disabled_account,
    here,
    member,
    viewer,
    viewer_or_none,
)
from workbench.web.context import reading, writing
from workbench.web.pages.judging.reading import make_sketches, prepare_desk, reading_of
from workbench.web.rendering import plain_words
from workbench.web.requests import Reply, Values, read_id, write_id
from workbench.workflow.adjudication.discussions import receive_discussed
from workbench.workflow.judging.desk_rules import DeskQuestions
from workbench.workflow.judging.desk_view import (
    DeskAnswer,
    PlacedDocument,
    Work,
    documents_of,
    next_topic,
    titles_of,
    work_of,
)
from workbench.workflow.judging.preferences import TASK_FIELD
from workbench.workflow.judging.submission import sent_text
from workbench.workflow.judging.sync import (
    MOST_EVENTS,
    Event,
    Outcome,
    Receipt,
    Receiver,
    receive,
    receive_preference,
)
from workbench.workflow.judging.training import TrainingGate, TrainingRound
from workbench.workflow.judging.unrecorded import DISCUSSION_FIELD
from workbench.workflow.people.membership import Role


def work_json(work: Work) -> Values:
    """A topic as the desk works through it.

    Answers have the order in which they were recorded, not the numbers of their events: these would tell how
    much others judge meanwhile.
    """
    recorded = sorted(one.event.id for one in (*work.answers, *work.put_off))
    order = {number: at for at, number in enumerate(recorded, 1)}
    return {
        "account": viewer().key,
        "order": [write_id(docno) for docno in work.order],
        "said": [_answer_json(one, order) for one in work.answers],
        "later": [[write_id(one.docno), one.event.client_id, order[one.event.id]] for one in work.put_off],
        "total": work.total,
        "at_most": work.at_most,
        "one_by_one": work.one_by_one,
        "in_batches": work.in_batches,
        "closed": work.closed,
        "seconds": work.seconds,
        "sitting": {
            "here": [write_id(key) for key in work.sitting.here],
            "elsewhere": work.sitting.elsewhere,
            "minutes": round(work.sitting.minutes, 1),
        },
        "break_minutes": work.break_minutes,
        "training": [write_id(key) for key in work.training],
        "goal": goal_words(work.gate),
    }


def document_json(templates: Environment, placed: PlacedDocument) -> Values:
    """A document ready to be shown: its article as HTML that is safe, and what proves what was shown.

    Its place and what is near to it stand beside it.
    """
    # The macro of a page that is made once: rendering a template anew takes as long as its text.
    page: Any = templates.get_template("judging/_article.html").module
    document = placed.document
    return {
        "docno": write_id(document.key),
        "shown": plain_words(document.docno),
        "title": plain_words(document.title) or plain_words(document.docno),
        "sha256": document.sha256,
        "html": page.article(document),
        "position": placed.position,
        "near": near_json(placed.near),
    }


def near_json(near: Iterable[tuple[str, float]]) -> list[list[object]]:
    """Nearly identical documents of the part, each with its resemblance; the desk knows what was said."""
    return [[write_id(key), round(share, 4)] for key, share in near]


def _answer_json(answer: DeskAnswer, order: Mapping[int, int]) -> Values:
    event = answer.event
    return {
        "docno": write_id(answer.docno),
        "answer": event.answer,
        "grade": event.grade,
        "reason": event.reason,
        "comment": event.comment,
        "client_id": event.client_id,
        "number": order[event.id],
        "on_screen": answer.on_screen,
        **answer.extras.columns(),
    }


def asked_json(asked: DeskQuestions) -> Values:
    """What is asked beside the grade."""
    return {
        "required": [question.name for question in asked.questions if question.required],
        "comment_for": list(asked.comment_for),
    }


def goal_words(gate: TrainingGate | None) -> str:
    """What opens the work; nothing where it is open."""
    if gate is None:
        return ""
    now = gate.now
    goal = f"Training first. You can start judging when {_right(now.needed, now.total)} grades."
    if now.number == 1:
        return goal
    before = gate.rounds[-2]
    return f"{goal} Last round: {before.right} of {before.total} correct. This is round {now.number}."


def result_words(found: TrainingRound | None) -> str:
    """What a round came to, and what to do now; nothing while it is not complete."""
    if found is None:
        return ""
    had = f"{found.right} of {found.total} correct"
    if found.passed:
        return f"{had}. You can start judging now."
    return (
        f"{had}; you need {found.needed}. Please repeat the training: "
        "take your time, with the guidelines at hand. All your answers are saved."
    )


def _right(needed: int, total: int) -> str:
    if needed == total:
        return "all your answers match the expected" if total > 1 else "your answer matches the expected"
    return f"{needed} of your {total} answers {'matches' if needed == 1 else 'match'} the expected"


blueprint = Blueprint("desk", __name__)
LONGEST_NUMBER = 18  # digits
IDS = ("topic", "docno")
RECEIVERS: Mapping[str, Receiver] = {TASK_FIELD: receive_preference, DISCUSSION_FIELD: receive_discussed}
"""What receives events that are no judgments, by the field that each of them has."""
OF_ASSIGNMENT = "/c/<slug>/judge/<int:assignment_id>"


@blueprint.post("/desk/events")
@anyone
def events() -> Reply:
    """Take events in order and say of each what became of it.

    They name their assignments, so that what one topic left unsent arrives from any page. 401 where nobody
    is signed in, 409 where it is somebody else: then nothing was taken. A disabled account can still send
    what it said; nothing else opens to it.
    """
    account = viewer_or_none() or disabled_account()
    if account is None:
        return _problem(401, "signed out")
    try:
        key, sent = sent_events()
    except WorkbenchError as error:
        return _problem(422, error.message)
    if key != account.key:
        return _problem(409, "another account is signed in")
    with writing() as db:
        receipts = receive(db, account.id, sent, RECEIVERS)
    for event, receipt in zip(sent, receipts, strict=True):
        # Its page goes on by itself as soon as the answer has arrived.
        if DISCUSSION_FIELD in event and receipt.outcome in {Outcome.RECORDED, Outcome.REPEATED}:
            notices.add(f"Your answer about {plain_words(event['docno'])} is recorded.")
    return jsonify(receipts=[receipt_json(receipt) for receipt in receipts])


@blueprint.get(f"{OF_ASSIGNMENT}/work")
@member(Role.ASSESSOR)
def work(assignment_id: int) -> Response:
    """The topic as it stands; of an adaptive pool the next document is handed out, and comes with it."""
    with _problems():
        prepare_desk(assignment_id)
        with reading() as db:
            found = work_of(db, assignment_id, viewer().id)
        if found.one_by_one:
            make_sketches(assignment_id)
        with reading() as db:
            waiting = set(found.order) - {one.docno for one in found.answers}
            ahead = [docno for docno in found.order if docno in waiting][:1] if found.one_by_one else []
            placed = documents_of(db, assignment_id, viewer().id, ahead)
    documents = [document_json(current_app.jinja_env, one) for one in placed]
    return jsonify(work_json(found) | {"documents": documents})


@blueprint.get(f"{OF_ASSIGNMENT}/documents")
@member(Role.ASSESSOR)
def documents(assignment_id: int) -> Response:
    """The documents of `?docno=`, which may be repeated; all of them in the assessor's own part."""
    requested = [read_id(text) for text in request.args.getlist("docno")]
    with _problems():
        make_sketches(assignment_id, first=requested)
        with reading() as db:
            placed = documents_of(db, assignment_id, viewer().id, requested)
    return jsonify(documents=[document_json(current_app.jinja_env, one) for one in placed])


@blueprint.get(f"{OF_ASSIGNMENT}/titles")
@member(Role.ASSESSOR)
def titles(assignment_id: int) -> Response:
    """The titles of the documents of the topic that this assessor has, for the list of judgments."""
    with _problems(), reading_of(assignment_id) as db:
        found = titles_of(db, assignment_id, viewer().id)
    return jsonify(titles={write_id(docno): plain_words(title) for docno, title in found.items()})


@blueprint.get(f"{OF_ASSIGNMENT}/next-topic")
@member(Role.ASSESSOR)
def following(assignment_id: int) -> Response:
    """The topic to go to when this one is done, or null."""
    with reading() as db:
        line = next_topic(db, here().id, assignment_id, viewer().id)
    if line is None:
        return jsonify(topic=None)
    address = url_for("judging.desk", assignment_id=line.assignment_id)
    return jsonify(topic={"title": plain_words(line.title) or line.topic, "address": address})


@contextmanager
def _problems() -> Iterator[None]:
    """Answer what cannot be with why."""
    try:
        yield
    except WorkbenchError as error:
        abort(make_response(_problem(404 if isinstance(error, NotFound) else 409, error.message)))


def _problem(status: int, why: Any) -> Reply:
    return jsonify(why=why), status


def sent_events() -> tuple[str, tuple[Event, ...]]:
    """The account's key and the events of a request; raises WorkbenchError where it is no such request."""
    # Whatever content type it states.
    request.max_content_length = min(request.max_content_length or BYTES_OF_A_FORM, BYTES_OF_A_FORM)
    return read_events(request.get_data())


def read_events(body: bytes) -> tuple[str, tuple[Event, ...]]:
    """The account's key and the events of the body of a request; raises WorkbenchError as `sent_events`."""
    try:
        # A number of thousands of digits is no reason to refuse what stands beside it.
        sent = json.loads(body, parse_constant=lambda _: None, parse_int=_number)
    except (ValueError, RecursionError):
        raise WorkbenchError("this is not JSON") from None
    if not isinstance(sent, dict) or not isinstance(sent.get("events"), list):
        raise WorkbenchError('this is not an object with "account" and "events"')
    events = sent["events"]
    if len(events) > MOST_EVENTS or not all(isinstance(event, dict) for event in events):
        raise WorkbenchError(f"events are objects, at most {MOST_EVENTS}")
    # As they were sent, but with the ids as everybody else knows them.
    return sent_text(sent, "account"), tuple(
        {**event, **{name: read_id(sent_text(event, name)) for name in IDS if name in event}}
        for event in events
    )


def _number(digits: str) -> int | None:
    return int(digits) if len(digits) <= LONGEST_NUMBER else None


def receipt_json(receipt: Receipt) -> Values:
    """What became of an event."""
    found: Values = {"client_id": receipt.client_id, "outcome": receipt.outcome, "why": receipt.why}
    for name in ("ends", "outdated"):
        if getattr(receipt, name):
            found[name] = True
    if receipt.elsewhere is not None:
        found["elsewhere"] = {
            "answer": receipt.elsewhere.answer,
            "grade": receipt.elsewhere.grade,
            "seconds_ago": round((datetime.now(UTC) - receipt.elsewhere.recorded_at).total_seconds()),
        }
    if receipt.feedback is not None:
        found["feedback"] = {
            "grade": receipt.feedback.grade,
            "label": plain_words(receipt.feedback.label),
            "same": receipt.feedback.same,
            "why": plain_words(receipt.feedback.why),
            "result": result_words(receipt.feedback.round),
        }
    return found
