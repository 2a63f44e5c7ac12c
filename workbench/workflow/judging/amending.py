"""Saying again what holds of a pair with something else beside it: a comment, passages, further answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.storage.events import recorded_event
from workbench.workflow.judging.annotations import NO_ANNOTATIONS, Annotations, annotations_of, shown_text
from workbench.workflow.judging.recording import Recorded, Said, checked_id, once, task_with


def comment_on(
    db: Session,
    assignment_id: int,
    account_id: int,
    *,
    docno: str,
    comment: str,
    client_id: str,
    said_at: datetime | None = None,
    extras: Annotations | None = None,
) -> Recorded:
    """Say again what holds of a pair, with another comment; without `extras` they stay as they are.

    Raises as `record`, and Conflict where the pair has no answer.
    """
    again = _Again(docno, client_id, said_at, comment, extras)
    return _amend(db, assignment_id, account_id, again)


def amend(
    db: Session,
    assignment_id: int,
    account_id: int,
    *,
    docno: str,
    extras: Annotations,
    client_id: str,
    said_at: datetime | None = None,
) -> Recorded:
    """Say again what holds of a pair, with other passages, further answers and subtopics.

    Raises as `record`, and Conflict where the pair has no answer.
    """
    again = _Again(docno, client_id, said_at, None, extras)
    return _amend(db, assignment_id, account_id, again)


@dataclass(frozen=True, slots=True)
class _Again:
    """What is said again of a pair; None stays as it is."""

    docno: str
    client_id: str
    said_at: datetime | None
    comment: str | None
    extras: Annotations | None


def _amend(db: Session, assignment_id: int, account_id: int, again: _Again) -> Recorded:
    task, key = task_with(db, assignment_id, account_id, again.docno)
    known = recorded_event(db, task.assignment.assessor_id, checked_id(again.client_id))
    if known is not None and (known.topic, known.docno) == (task.assignment.topic, task.slot(key).docno):
        return Recorded(known, repeated=True)
    held = task.answers.get(key)
    if held is None:
        raise Conflict("there is no answer that this belongs to", remedy="judge the document")
    before = annotations_of(db, held.assessor_id, held.topic).get(held.id, NO_ANNOTATIONS)
    extras = before if again.extras is None else again.extras
    said = Said(
        key,
        held.answer,
        held.grade,
        again.client_id,
        held.reason,
        held.comment if again.comment is None else again.comment,
        shown_sha256=shown_text(db, held.id),
        said_at=again.said_at,
        extras=replace(extras, evidence=before.evidence) if extras.evidence is None else extras,
    )
    return once(db, task, said)
