"""Judging: an answer, one that is put off, one that is taken back.

Nothing here knows of ranks, scores, runs or colleagues: an assessor is blind.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from workbench.errors import Conflict, WorkbenchError
from workbench.records import Answer
from workbench.storage.events import LATER, WITHDRAWN, recorded_event
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.annotations import NO_ANNOTATIONS, Annotations, annotations_of
from workbench.workflow.judging.quality_checks import desk_task
from workbench.workflow.judging.recording import Recorded, Said, checked_id, once, task_with
from workbench.workflow.judging.task import Task, last_answered
from workbench.workflow.pools.adaptive_pools import is_adaptive


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
    extras: Annotations = NO_ANNOTATIONS,
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
    if is_adaptive(task.pool):
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
    task = desk_task(db, assignment_id, account_id, writing=True)
    if recorded_event(db, task.assignment.assessor_id, checked_id(client_id)) is not None:
        return None
    last = last_answered(task)
    if last is None:
        return None
    once(db, task, Said(last, WITHDRAWN, None, client_id))
    return last


def _with_passages(db: Session, task: Task, docno: str, extras: Annotations) -> Annotations:
    """Extras whose sender knows nothing of passages keep those that hold."""
    if extras.evidence is not None:
        return extras
    held = task.answers.get(docno)
    known = (
        annotations_of(db, held.assessor_id, held.topic).get(held.id, NO_ANNOTATIONS)
        if held
        else NO_ANNOTATIONS
    )
    return replace(extras, evidence=known.evidence)
