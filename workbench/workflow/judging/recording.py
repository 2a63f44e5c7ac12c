"""What becomes of what is said at the desk: an event, each once, in the task that it belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.storage.events import (
    JUDGING,
    LATER,
    TRAINING,
    WITHDRAWN,
    CurrentEvent,
    append_event,
    recorded_event,
)
from workbench.workflow.checks import storable
from workbench.workflow.judging.adaptive_handout import take_answer
from workbench.workflow.judging.annotations import NO_ANNOTATIONS, Annotations
from workbench.workflow.judging.quality_checks import desk_task
from workbench.workflow.judging.queue_handout import admit, is_queue
from workbench.workflow.judging.task import Task

LONGEST_REASON = 2000
LONGEST_COMMENT = 4000
LONGEST_ACTIVE_MS = 24 * 3600 * 1000
SHA256 = re.compile(r"[0-9a-f]{64}")
CLIENT_ID = re.compile(r"[A-Za-z0-9-]{8,64}")


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of one pair: an answer, that it is put off, or that what was said is taken back.

    `docno` is what the desk calls the document: a key of the task's order.
    """

    docno: str
    answer: str
    grade: int | None
    client_id: str
    reason: str = ""
    comment: str = ""
    active_ms: int | None = None
    shown_sha256: str | None = None
    said_at: datetime | None = None
    extras: Annotations = NO_ANNOTATIONS


@dataclass(frozen=True, slots=True)
class Recorded:
    """The event that an answer became; `repeated` when this client id had been recorded before."""

    event: CurrentEvent
    repeated: bool


def task_with(db: Session, assignment_id: int, account_id: int, docno: str) -> tuple[Task, str]:
    """The task, to be written to, and where the document stands in it; raises NotFound."""
    task = desk_task(db, assignment_id, account_id, writing=True, only=docno)
    key = task.key_of(docno)
    # Of a queue's pair an answer may come after its lease: `admit` says whether it finds a place.
    if key is None and is_queue(task.pool):
        key = docno
    if key is None:
        raise NotFound("this document is not in your part of the pool")
    if task.gate is not None and key in task.gate.withheld:
        raise Conflict("the training of this topic comes first", remedy="finish it, or ask the organiser")
    return task, key


def once(db: Session, task: Task, said: Said) -> Recorded:
    """Append what was said unless this client id recorded it before."""
    known = recorded_event(db, task.assignment.assessor_id, checked_id(said.client_id))
    slot = task.slot(said.docno)
    if known is not None:
        before = (known.topic, known.docno, known.purpose, known.answer, known.grade)
        if before != (task.assignment.topic, slot.docno, slot.purpose, said.answer, said.grade):
            raise Conflict(
                "this page's answer was recorded before, and was another one", remedy="load it again"
            )
        return Recorded(known, repeated=True)
    if task.closed:
        raise Conflict("this pool is closed", remedy="ask the organiser")
    if slot.purpose == TRAINING:
        held = task.answers.get(said.docno)
        if said.answer in (LATER, WITHDRAWN) or (
            held and (held.answer, held.grade) != (said.answer, said.grade)
        ):
            raise Conflict("in training the first answer counts", remedy="go on to the next document")
    if is_queue(task.pool):
        admit(db, task.pool, task.assignment, said.docno, said.answer)
    return append_said(db, task, said)


def append_said(db: Session, task: Task, said: Said) -> Recorded:
    """Append an event as it was said, whatever has become of its pool; adaptive pools are told."""
    if said.shown_sha256 is not None and not SHA256.fullmatch(said.shown_sha256):
        raise WorkbenchError("the hash of the text that was shown is no SHA-256")
    active_ms, slot = said.active_ms, task.slot(said.docno)
    event, new = append_event(
        db,
        {
            "campaign_id": task.campaign.id,
            "assessor_id": task.assignment.assessor_id,
            "topic": task.assignment.topic,
            "docno": slot.docno,
            "purpose": slot.purpose,
            "answer": said.answer,
            "grade": said.grade,
            "reason": storable(said.reason.strip())[:LONGEST_REASON],
            "comment": storable(said.comment.strip())[:LONGEST_COMMENT],
            "client_id": said.client_id,
            "source": "screen",
            "assignment_id": task.assignment.id,
            "document_sha256": said.shown_sha256,
            "position": task.order.index(said.docno) + 1 if said.docno in task.order else None,
            "order_rule": task.assignment.order_rule,
            "seed": task.assignment.seed + slot.round - 1,
            "active_ms": None if active_ms is None else max(0, min(active_ms, LONGEST_ACTIVE_MS)),
            "recorded_at": datetime.now(UTC),
            "said_at": said.said_at,
            **said.extras.columns(),
        },
    )
    if new and slot.purpose == JUDGING:
        take_answer(db, task.campaign.id, event)
    return Recorded(event, repeated=not new)


def checked_id(client_id: str) -> str:
    """The sender's own id of an event; raises WorkbenchError for what is none."""
    if not CLIENT_ID.fullmatch(client_id):
        raise WorkbenchError("the answer carries no proper id of its own", remedy="load the page again")
    return client_id
