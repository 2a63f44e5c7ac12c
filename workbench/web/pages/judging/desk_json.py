"""The judging desk's JSON: events as they come in, and what the desk works with as it goes out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from flask import render_template, request, url_for

from workbench.errors import WorkbenchError
from workbench.web.access import viewer
from workbench.web.ids import read_id, write_id
from workbench.web.rendering import plain_words
from workbench.workflow.judging.desk_rules import DeskQuestions
from workbench.workflow.judging.desk_view import DeskAnswer, PlacedDocument, Work
from workbench.workflow.judging.submission import sent_text
from workbench.workflow.judging.sync import MOST_EVENTS, Event, Receipt
from workbench.workflow.judging.training import TrainingGate, TrainingRound

Json = dict[str, Any]


def sent_events() -> tuple[str, tuple[Event, ...]]:
    """The account's key and the events of a request; raises WorkbenchError where it is no such request."""
    try:
        sent = json.loads(request.get_data(), parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        raise WorkbenchError("this is no JSON") from None
    if not isinstance(sent, dict) or not isinstance(sent.get("events"), list):
        raise WorkbenchError('this is no object with "account" and "events"')
    events = sent["events"]
    if len(events) > MOST_EVENTS or not all(isinstance(event, dict) for event in events):
        raise WorkbenchError(f"events are objects, at most {MOST_EVENTS}")
    # As they were sent, but with the ids as everybody else knows them.
    return sent_text(sent, "account"), tuple(
        {**event, "docno": read_id(sent_text(event, "docno"))} for event in events
    )


def receipt_json(receipt: Receipt) -> Json:
    """What became of an event."""
    found: Json = {"client_id": receipt.client_id, "outcome": receipt.outcome, "why": receipt.why}
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


def work_json(work: Work) -> Json:
    """A topic as the desk works through it."""
    return {
        "account": viewer().key,
        "order": [write_id(docno) for docno in work.order],
        "said": [_said_json(one) for one in work.said],
        "later": [[write_id(one.docno), one.event.client_id, one.event.id] for one in work.put_off],
        "total": work.total,
        "one_by_one": work.one_by_one,
        "in_batches": work.in_batches,
        "closed": work.closed,
        "seconds": work.seconds,
        "sitting": {"answers": work.sitting.answers, "minutes": round(work.sitting.minutes, 1)},
        "break_minutes": work.break_minutes,
        "training": [write_id(key) for key in work.training],
        "goal": goal_words(work.gate),
    }


def document_json(placed: PlacedDocument) -> Json:
    """A document ready to be shown: its article as HTML that is safe, and what proves what was shown."""
    document = placed.document
    return {
        "docno": write_id(document.key),
        "shown": plain_words(document.docno),
        "title": plain_words(document.title) or plain_words(document.docno),
        "sha256": document.sha256,
        "position": placed.position,
        "near": near_json(placed.near),
        "html": render_template("judging/_article.html", document=document),
    }


def near_json(near: Iterable[tuple[str, float]]) -> list[list[object]]:
    """Nearly identical documents of the part, each with its resemblance; the desk knows what was said."""
    return [[write_id(key), round(share, 4)] for key, share in near]


def topic_json(assignment_id: int, title: str) -> Json:
    """Another topic, and its desk."""
    return {"title": title, "address": url_for("judging.desk", assignment_id=assignment_id)}


def _said_json(said: DeskAnswer) -> Json:
    event = said.event
    return {
        "docno": write_id(said.docno),
        "answer": event.answer,
        "grade": event.grade,
        "reason": event.reason,
        "comment": event.comment,
        "client_id": event.client_id,
        "number": event.id,
        "on_screen": said.on_screen,
        **said.extras.columns(),
    }


def asked_json(asked: DeskQuestions) -> Json:
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
    said = f"Training comes first. The work opens once {_right(now.needed, now.total)} the known one."
    if now.number == 1:
        return said
    before = gate.rounds[-2]
    return f"{said} Last time you had {before.right} of {before.total}; this is round {now.number}."


def result_words(found: TrainingRound | None) -> str:
    """What a round came to, and what to do now; nothing while it is not complete."""
    if found is None:
        return ""
    had = f"You had {found.right} of {found.total} right"
    if found.passed:
        return f"{had}. The work begins now."
    return (
        f"{had}; the work opens with {found.needed}. Please go through the training once more: "
        "take your time, with the guidelines at hand. All your answers are kept."
    )


def _right(needed: int, total: int) -> str:
    if needed == total:
        return "each of your answers is" if total > 1 else "your answer is"
    return f"{needed} of your {total} answers {'is' if needed == 1 else 'are'}"
