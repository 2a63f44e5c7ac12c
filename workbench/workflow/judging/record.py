"""Recording: a submission becomes a judgment event, once, in the task that it belongs to.

Every answer that somebody gives to a document goes through here: at the desk, by its form, in a discussion.
Files of judgments (`importing`) and releases append their events by `storage.events` themselves. Nothing here
knows of ranks, scores, runs or colleagues: an assessor is blind.

A submission names its document by the docno, or by the opaque key that stands for it where a campaign has
quality checks (`task.Slot`).
"""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from workbench.errors import Conflict, Ended, NotFound
from workbench.frozen import frozen_dataclass
from workbench.records import Answer
from workbench.storage.events import (
    CURRENT_PURPOSES,
    JUDGING,
    SCREEN,
    TRAINING,
    CurrentEvent,
    append_event,
    recorded_event,
)
from workbench.storage.tables import AssignmentRow
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.clock import shared_now
from workbench.workflow.judging.quality_checks import desk_task, shown_task, whole_task
from workbench.workflow.judging.submission import (
    NO_ANNOTATIONS,
    Submission,
    SubmissionKind,
    checked_client_id,
)
from workbench.workflow.judging.task import (
    OwnAssignment,
    Slot,
    Task,
    annotations_of_event,
    last_answered,
    own_assignment,
    shown_with,
    tell_pools,
)


@frozen_dataclass
class Place:
    """Whose judgment of which pair it is, what it is for, and where in which order the document came."""

    campaign_id: int
    assessor_id: int
    topic: str
    docno: str
    source: str
    purpose: str = JUDGING
    assignment_id: int | None = None
    position: int | None = None
    order_rule: str | None = None
    seed: int | None = None


@frozen_dataclass
class Recorded:
    """The event that a submission became; `repeated` when this client id had been recorded before.

    `before` is the answer that stood there, None where there was none; of a repeated one it is not looked up.
    """

    event: CurrentEvent
    repeated: bool
    before: CurrentEvent | None = None


def record(db: Session, assignment_id: int, account_id: int, submission: Submission) -> Recorded:
    """Record what an assessor says of a document; the same client id again changes nothing.

    Raises NotFound for a document that is not this account's, WorkbenchError for a grade outside the scale,
    and Conflict for a closed pool, a client id that was used for another answer, a document put off that has
    an answer or an amendment of one that has none, and work that the training still withholds.
    """
    return record_own(db, own_assignment(db, assignment_id, account_id, writing=True), submission)


def record_own(db: Session, own: OwnAssignment, submission: Submission) -> Recorded:
    """Record what an assessor says of a document of an own assignment; as `record`."""
    task = shown_task(db, own, only=submission.docno)
    key = task.key_of(submission.docno)
    if key is None and task.kind.in_batches:
        key = submission.docno
    if key is None:
        raise NotFound("this document is not in your part of the pool")
    if task.gate is not None and key in task.gate.withheld:
        raise Conflict("the training of this topic comes first", remedy="finish it, or ask the organiser")
    return _record(db, task, key, submission)


def recorded_before(db: Session, assignment_id: int, submission: Submission) -> CurrentEvent | None:
    """The event that a submission has become already, whatever has become of its assignment since."""
    assignment = db.get_one(AssignmentRow, assignment_id)
    known = recorded_event(db, assignment.assessor_id, submission.client_id)
    if known is None:
        return None
    task = whole_task(db, assignment)
    key = task.key_of(submission.docno)
    slot = Slot(submission.docno, known.purpose) if key is None else task.slot(key)
    return known if _is_same(assignment, slot, submission, known) else None


def undo_last(db: Session, assignment_id: int, account_id: int, *, client_id: str) -> str | None:
    """Withdraw the latest answer given at the desk in this topic and return its docno, if there is one.

    The withdrawn event stays in the history; repeated with the same client id it withdraws no second answer.
    """
    task = desk_task(db, assignment_id, account_id, writing=True)
    if recorded_event(db, task.assignment.assessor_id, checked_client_id(client_id)) is not None:
        return None
    last = last_answered(task)
    if last is not None:
        _record(db, task, last, Submission(last, client_id, SubmissionKind.UNDO))
    return last


def record_late(db: Session, task: Task, key: str, submission: Submission) -> None:
    """Record what could not be recorded when it was sent, whatever has become of its pool since.

    Raises WorkbenchError for a grade outside the scale, Conflict for an amendment of no answer.
    """
    _check_grade(task, submission)
    if recorded_event(db, task.assignment.assessor_id, submission.client_id) is None:
        append(db, _place(task, key), _completed(db, submission, task.answers.get(key)))


def append(db: Session, place: Place, submission: Submission) -> Recorded:
    """Append one judgment event unless its client id was recorded before, and tell the pools."""
    # By the database's clock: in a queue the time of an answer renews the assessor's lease.
    event, new = append_event(db, event_columns(place, submission, shared_now(db)))
    if new and place.purpose in CURRENT_PURPOSES:
        tell_pools(db, place.campaign_id, event)
    return Recorded(event, repeated=not new)


def _record(db: Session, task: Task, key: str, submission: Submission) -> Recorded:
    slot, current = task.slot(key), task.answers.get(key)
    _check_grade(task, submission)
    known = recorded_event(db, task.assignment.assessor_id, submission.client_id)
    if known is not None:
        if not _is_same(task.assignment, slot, submission, known):
            raise Conflict("this page already recorded another answer", remedy="reload the page")
        return Recorded(known, repeated=True)
    if submission.kind is SubmissionKind.LATER and current is not None:
        raise Conflict("the document already has an answer", remedy="undo it first")
    completed = _completed(db, submission, current)
    if task.closed:
        closed = "pool is closed" if task.campaign.archived_at is None else "campaign is archived"
        raise Ended(f"this {closed}", remedy="ask the organiser")
    if slot.purpose == TRAINING and not _is_first(completed, current):
        raise Conflict("in training the first answer counts", remedy="go on to the next document")
    task.kind.accept(db, task.pool, task.assignment, key, completed.stored_answer)
    return replace(append(db, _place(task, key), completed), before=current)


def _is_same(assignment: AssignmentRow, slot: Slot, submission: Submission, known: CurrentEvent) -> bool:
    if (assignment.topic, slot.docno) != (known.topic, known.docno):
        return False
    says = (slot.purpose, submission.stored_answer, submission.grade)
    return submission.amends or says == (known.purpose, known.answer, known.grade)


def _check_grade(task: Task, submission: Submission) -> None:
    if submission.grade is not None:
        scale_from_json(task.campaign.scale).grade(submission.grade)


def _is_first(submission: Submission, current: CurrentEvent | None) -> bool:
    if submission.kind is not SubmissionKind.ANSWER:
        return False
    return current is None or (current.answer, current.grade) == (submission.answer, submission.grade)


def _completed(db: Session, submission: Submission, current: CurrentEvent | None) -> Submission:
    """A submission with what it leaves as it is: passages, or all of the current answer that it amends."""
    kind = submission.kind
    if kind in {SubmissionKind.LATER, SubmissionKind.UNDO}:
        active_ms = submission.active_ms if kind is SubmissionKind.LATER else None
        whose = submission.docno, submission.client_id, kind
        return Submission(*whose, active_ms=active_ms, said_at=submission.said_at)
    if submission.amends and current is None:
        raise Conflict("there is no answer to amend", remedy="judge the document")
    annotations = submission.annotations
    keeps = annotations is None or annotations.evidence is None
    before = NO_ANNOTATIONS
    if current is not None and keeps:
        before = annotations_of_event(db, current.id)
    if annotations is None:
        annotations = before
    elif annotations.evidence is None:
        annotations = replace(annotations, evidence=before.evidence)
    if not submission.amends or current is None:
        comment = submission.comment
        if current is not None and not comment and submission.before not in ("", current.client_id):
            # Its sender, on another screen, has not seen the comment that it would remove.
            comment = current.comment
        return replace(submission, annotations=annotations, comment=comment)
    # The offsets of passages belong to the text that was shown with the answer.
    shown_sha256, version = shown_with(db, current.id)
    return Submission(
        submission.docno,
        submission.client_id,
        answer=Answer(current.answer),
        grade=current.grade,
        reason=current.reason,
        comment=submission.comment if kind is SubmissionKind.COMMENT else current.comment,
        annotations=annotations,
        shown_sha256=shown_sha256,
        said_at=submission.said_at,
        instructions=version,
    )


def _place(task: Task, key: str) -> Place:
    assignment, slot = task.assignment, task.slot(key)
    return Place(
        campaign_id=task.campaign.id,
        assessor_id=assignment.assessor_id,
        topic=assignment.topic,
        docno=slot.docno,
        source=SCREEN,
        purpose=slot.purpose,
        assignment_id=assignment.id,
        position=task.order.index(key) + 1 if key in task.order else None,
        order_rule=assignment.order_rule,
        seed=assignment.seed + slot.round - 1,
    )


def event_columns(place: Place, submission: Submission, now: datetime) -> dict[str, Any]:
    """The columns of the event that a submission becomes."""
    return {**asdict(place), "recorded_at": now, **submission.columns()}
