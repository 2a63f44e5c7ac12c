"""Judging: what an assessor sees, and what becomes of each answer.

Nothing here knows of ranks, scores, runs or colleagues: an assessor is blind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import Answer, Scale, Topic
from workbench.storage.events import JUDGING, LATER, WITHDRAWN, CurrentEvent, append_events, recorded_event
from workbench.storage.tables import DocumentRow, PoolRow, TopicRow
from workbench.workflow.adaptive.handing_out import take_answer
from workbench.workflow.adaptive.ledgers import is_adaptive
from workbench.workflow.campaigns.collecting import as_topic
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.checks import storable
from workbench.workflow.desk.extras import NO_EXTRAS, Extras, extras_of
from workbench.workflow.desk.probe_places import TRAINING
from workbench.workflow.desk.questions import AskedToo, asked_too
from workbench.workflow.desk.screens import Feedback, feedback_of, screen_task
from workbench.workflow.desk.tasks import Task, counts, last_on_screen
from workbench.workflow.queue.queue_handing import admit
from workbench.workflow.queue.queue_topics import is_queue

LONGEST_REASON = 2000
LONGEST_COMMENT = 4000
SHA256 = re.compile(r"[0-9a-f]{64}")
CLIENT_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
LONGEST_ACTIVE_MS = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """The document on the desk; where its text is not loaded `missing` is true and the text is empty.

    `key` is what the desk calls it: the docno, but where a campaign has probes.
    """

    docno: str
    title: str
    text: str
    sha256: str | None
    missing: bool
    key: str = ""


@dataclass(frozen=True, slots=True)
class CurrentAnswer:
    """What this assessor said of the pair before."""

    answer: Answer
    grade: int | None
    reason: str
    comment: str
    extras: Extras = NO_EXTRAS


@dataclass(frozen=True, slots=True)
class Desk:
    """One pair before its assessor; `document` is None where all is answered. `position` counts from 1."""

    assignment_id: int
    topic: Topic
    scale: Scale
    guidelines: str
    document: ShownDocument | None
    position: int
    total: int
    judged: int
    unsure: int
    cannot_judge: int
    current: CurrentAnswer | None
    previous_docno: str | None
    next_docno: str | None
    may_undo: bool
    closed: bool
    training: bool
    feedback: Feedback | None
    asked: AskedToo = field(default_factory=AskedToo)

    @property
    def answered(self) -> int:
        """How many pairs have an answer of any kind."""
        return self.judged + self.unsure + self.cannot_judge

    @property
    def waits(self) -> bool:
        """Whether the next document is still to be handed out."""
        return self.document is None and self.answered < self.total and not self.closed


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
    extras: Extras = NO_EXTRAS


@dataclass(frozen=True, slots=True)
class Recorded:
    """The event that an answer became; `repeated` when this client id had been recorded before."""

    event_id: int
    repeated: bool


def desk(db: Session, assignment_id: int, account_id: int, *, docno: str | None = None) -> Desk:
    """The pair to judge now: the named one, else the first without an answer.

    Raises NotFound where the assignment is not this account's, was taken back, or has no such document.
    """
    task = screen_task(db, assignment_id, account_id)
    asked = docno
    docno = task.coming if asked is None else task.key_of(asked)
    if asked is not None and docno not in task.order:
        raise NotFound("this document is not in your part of the pool")
    topic = db.get_one(TopicRow, (task.campaign.id, task.assignment.topic))
    judged, unsure, cannot_judge = counts(task)
    index = task.order.index(docno) if docno is not None else len(task.order)
    before = task.answers.get(docno) if docno is not None else None
    return Desk(
        assignment_id=assignment_id,
        topic=as_topic(topic),
        scale=scale_from_json(task.campaign.scale),
        guidelines=task.campaign.guidelines,
        document=shown_document(db, task, docno) if docno is not None else None,
        position=min(index + 1, task.total),
        total=task.total,
        judged=judged,
        unsure=unsure,
        cannot_judge=cannot_judge,
        current=_current(db, before) if before else None,
        previous_docno=task.order[index - 1] if index > 0 else None,
        next_docno=task.order[index + 1] if index + 1 < len(task.order) else None,
        may_undo=last_on_screen(task) is not None,
        closed=task.closed,
        training=docno is not None and task.slot(docno).purpose == TRAINING,
        feedback=feedback_of(db, before) if before else None,
        asked=asked_too(task.campaign.desk_rules),
    )


def record(
    db: Session,
    assignment_id: int,
    account_id: int,
    *,
    docno: str,
    answer: Answer,
    grade: int | None,
    client_id: str,
    reason: str = "",
    comment: str = "",
    active_ms: int | None = None,
    shown_sha256: str | None = None,
    said_at: datetime | None = None,
    extras: Extras = NO_EXTRAS,
) -> Recorded:
    """Append one answer; the same client id again changes nothing and gives the first event back.

    `said_at` is the moment by the sender's clock: kept, and never ordered by. Raises NotFound for a pair that
    is not this account's, Conflict for a closed pool or a client id that said something else before,
    WorkbenchError for a grade outside the scale.
    """
    task, docno = task_with(db, assignment_id, account_id, docno)
    if answer is Answer.GRADE:
        if grade is None:
            raise WorkbenchError("the answer is a grade, but no grade was given")
        scale_from_json(task.campaign.scale).grade(grade)
    elif grade is not None:
        raise WorkbenchError(f"{answer} carries no grade")
    said = Said(docno, str(answer), grade, client_id, reason, comment, active_ms, shown_sha256, said_at)
    return once(db, task, replace(said, extras=_with_passages(db, task, docno, extras)))


def is_training(db: Session, assignment_id: int, account_id: int, *, docno: str) -> bool:
    """Whether a document of an assignment is one of training; raises NotFound as `own_task`."""
    task = screen_task(db, assignment_id, account_id)
    key = task.key_of(docno)
    return key is not None and task.slot(key).purpose == TRAINING


def put_off(
    db: Session,
    assignment_id: int,
    account_id: int,
    *,
    docno: str,
    client_id: str,
    active_ms: int | None = None,
    said_at: datetime | None = None,
) -> Recorded:
    """Put a document to the end of its topic; this is no answer, and takes none back.

    Raises as `record`, and Conflict where the pair has an answer or the pool is adaptive: there the next
    document is chosen by the answer to this one.
    """
    task, docno = task_with(db, assignment_id, account_id, docno)
    known = recorded_event(db, task.assignment.assessor_id, checked_id(client_id))
    if known is None and docno in task.answers:
        raise Conflict("the document has an answer already", remedy="undo it first")
    if is_adaptive(db.get_one(PoolRow, task.assignment.pool_id)):
        raise Conflict("in an adaptive pool nothing is put off", remedy="say unsure")
    said = Said(docno, LATER, None, client_id, active_ms=active_ms, said_at=said_at)
    return once(db, task, said)


def withdraw(
    db: Session,
    assignment_id: int,
    account_id: int,
    *,
    docno: str,
    client_id: str,
    said_at: datetime | None = None,
) -> Recorded:
    """Take back what is said of a pair, or that it was put off; what was said stays in the history.

    Raises as `record`.
    """
    task, docno = task_with(db, assignment_id, account_id, docno)
    return once(db, task, Said(docno, WITHDRAWN, None, client_id, said_at=said_at))


def undo(db: Session, assignment_id: int, account_id: int, *, client_id: str) -> str | None:
    """Withdraw the latest answer given on the screen in this topic and return its docno, if there is one.

    The withdrawn event stays in the history; repeated with the same client id it withdraws no second answer.
    """
    task = screen_task(db, assignment_id, account_id, writing=True)
    if recorded_event(db, task.assignment.assessor_id, checked_id(client_id)) is not None:
        return None
    last = last_on_screen(task)
    if last is None:
        return None
    once(db, task, Said(last, WITHDRAWN, None, client_id))
    return last


def task_with(db: Session, assignment_id: int, account_id: int, docno: str) -> tuple[Task, str]:
    """The task, to be written to, and where the document stands in it; raises NotFound."""
    task = screen_task(db, assignment_id, account_id, writing=True)
    key = task.key_of(docno)
    # Of a queue's pair an answer may come after its lease: `admit` says whether it finds a place.
    if key is None and is_queue(db.get_one(PoolRow, task.assignment.pool_id)):
        key = docno
    if key is None:
        raise NotFound("this document is not in your part of the pool")
    return task, key


def _current(db: Session, event: CurrentEvent) -> CurrentAnswer:
    extras = extras_of(db, event.assessor_id, event.topic).get(event.id, NO_EXTRAS)
    return CurrentAnswer(Answer(event.answer), event.grade, event.reason, event.comment, extras)


def _with_passages(db: Session, task: Task, docno: str, extras: Extras) -> Extras:
    """Extras whose sender knows nothing of passages keep those that hold."""
    if extras.evidence is not None:
        return extras
    held = task.answers.get(docno)
    known = extras_of(db, held.assessor_id, held.topic).get(held.id, NO_EXTRAS) if held else NO_EXTRAS
    return replace(extras, evidence=known.evidence)


def shown_document(db: Session, task: Task, key: str) -> ShownDocument:
    """A document of a task as its assessor sees it."""
    docno = task.slot(key).docno
    row = db.get(DocumentRow, (task.campaign.id, docno))
    if row is None:
        return ShownDocument(docno, "", "", None, missing=True, key=key)
    return ShownDocument(docno, row.title, row.text, row.sha256, missing=False, key=key)


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
        return Recorded(known.id, repeated=True)
    if task.closed:
        raise Conflict("this pool is closed", remedy="ask the organiser")
    if slot.purpose == TRAINING:
        held = task.answers.get(said.docno)
        if said.answer in (LATER, WITHDRAWN) or (
            held and (held.answer, held.grade) != (said.answer, said.grade)
        ):
            raise Conflict("in training the first answer counts", remedy="go on to the next document")
    pool = db.get_one(PoolRow, task.assignment.pool_id)
    if is_queue(pool):
        admit(db, pool, task.assignment, said.docno, said.answer)
    return append_said(db, task, said)


def append_said(db: Session, task: Task, said: Said) -> Recorded:
    """Append an event as it was said, whatever has become of its pool; adaptive pools are told."""
    if said.shown_sha256 is not None and not SHA256.fullmatch(said.shown_sha256):
        raise WorkbenchError("the hash of the text that was shown is no SHA-256")
    active_ms, slot = said.active_ms, task.slot(said.docno)
    added = append_events(
        db,
        [
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
                "seed": task.assignment.seed,
                "active_ms": None if active_ms is None else max(0, min(active_ms, LONGEST_ACTIVE_MS)),
                "recorded_at": datetime.now(UTC),
                "said_at": said.said_at,
                **said.extras.columns(),
            }
        ],
    )
    recorded = recorded_event(db, task.assignment.assessor_id, said.client_id)
    if recorded is None:
        raise RuntimeError("an appended event cannot be read back")
    if added and slot.purpose == JUDGING:
        take_answer(db, task.campaign.id, recorded)
    return Recorded(recorded.id, repeated=added == 0)


def checked_id(client_id: str) -> str:
    """The sender's own id of an event; raises WorkbenchError for what is none."""
    if not CLIENT_ID.fullmatch(client_id):
        raise WorkbenchError("the answer carries no proper id of its own", remedy="load the page again")
    return client_id
