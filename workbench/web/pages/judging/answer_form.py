"""The form of the desk: an answer, what goes with it, and what a grade still needs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flask import request

from workbench.errors import Finding, InvalidInput
from workbench.records import Answer
from workbench.web.forms import whole_number
from workbench.web.ids import read_id
from workbench.workflow.judging.annotations import Annotations, read_annotations
from workbench.workflow.judging.desk_rules import DeskQuestions

LATER = "later"
RATING = "rating:"
"""Before the name of a question: a field of the form."""


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer as a form brings it; None puts the document off."""

    docno: str
    answer: Answer | None
    grade: int | None
    reason: str
    comment: str
    client_id: str
    active_ms: int | None
    shown_sha256: str | None
    extras: Annotations


def sent_answer() -> Sent:
    """The answer that a form brings; raises InvalidInput where it has none."""
    form = request.form
    said = form.get("answer", "")
    kind: Answer | None = None
    grade: int | None = None
    if said.isascii() and said.isdigit() and len(said) < 6:
        kind, grade = Answer.GRADE, int(said)
    elif said in {Answer.UNSURE, Answer.CANNOT_JUDGE}:
        kind = Answer(said)
    elif said != LATER:
        raise InvalidInput([Finding("Answer", None, "answer", "the form has no answer", "use its buttons")])
    active = form.get("active_ms", "")
    return Sent(
        docno=read_id(form.get("docno", "")),
        answer=kind,
        grade=grade,
        comment=form.get("comment", ""),
        reason=form.get("reason", "").strip() or ("other" if kind is Answer.CANNOT_JUDGE else ""),
        client_id=form.get("client_id", ""),
        active_ms=int(active) if active.isascii() and active.isdigit() and len(active) < 12 else None,
        shown_sha256=form.get("shown_sha256") or None,
        extras=sent_extras(),
    )


def sent_extras() -> Annotations:
    """What was answered and ticked beside the grade; forms know nothing of passages, so those stay."""
    answers = {
        name.removeprefix(RATING): whole_number(value)
        for name, value in request.form.items()
        if name.startswith(RATING) and value
    }
    ticked = request.form.getlist("subtopic")
    return replace(read_annotations(None, answers or None, ticked or None), evidence=None)


def require_all_said(asked: DeskQuestions, sent: Sent, grade: int) -> None:
    """Raise InvalidInput where a grade needs a comment or more answers than the form has."""
    missing = asked.missing(grade, sent.comment, sent.extras.ratings)
    if missing:
        message = f"this grade needs more: {', '.join(missing)}"
        remedy = "go back, nothing that you typed is lost, and give the grade again"
        raise InvalidInput([Finding("Answer", None, "answer", message, remedy)])
