"""The judging desk's JSON: events as they come in, and what the desk works with as it goes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Environment

from workbench.web.access import viewer
from workbench.web.rendering import plain_words
from workbench.web.requests import Values, write_id
from workbench.workflow.judging.desk_rules import DeskQuestions
from workbench.workflow.judging.desk_view import DeskAnswer, PlacedDocument, Work
from workbench.workflow.judging.training import TrainingGate, TrainingRound


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
