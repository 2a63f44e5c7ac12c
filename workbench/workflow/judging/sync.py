"""What the judging desk sends: events in the order in which they were made, each recorded once.

What cannot be recorded is kept aside for the organiser; nothing that an assessor said is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any, Protocol

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from workbench.errors import InvalidInput, WorkbenchError
from workbench.records import Answer
from workbench.storage.events import HOLDING, LATER, TRAINING, WITHDRAWN, event_before
from workbench.storage.tables import AccountRow, AssessorRow, AssignmentRow, MemberRow
from workbench.workflow.judging.amending import amend, comment_on
from workbench.workflow.judging.annotations import Annotations, read_annotations
from workbench.workflow.judging.judging import put_off, record, withdraw
from workbench.workflow.judging.recording import CLIENT_ID, Recorded
from workbench.workflow.judging.trainees import Feedback, feedback_of
from workbench.workflow.judging.unrecorded import keep_unrecorded
from workbench.workflow.people.roles import Role

MOST_EVENTS = 50


class Outcome(StrEnum):
    """What became of an event."""

    RECORDED = "recorded"
    REPEATED = "repeated"
    KEPT_ASIDE = "kept_aside"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the same person had said of the pair on another screen, which this one did not know."""

    answer: Answer
    grade: int | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of one event; `why` says what kept it from being recorded.

    `feedback` tells the known answer, after one in training.
    """

    client_id: str
    outcome: Outcome
    why: str = ""
    elsewhere: Elsewhere | None = None
    feedback: Feedback | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One event as the desk sends it: what happened to which document.

    `before` is the client id of what the screen believed to hold of the pair; `sent` is all of it. What goes
    with a grade (`evidence`, `ratings`, `subtopics`) is as it was sent, of whatever shape.
    """

    kind: str
    assignment_id: int
    docno: str
    client_id: str
    sent: Mapping[str, Any]
    answer: str = ""
    grade: int | None = None
    reason: str = ""
    comment: str = ""
    before: str = ""
    active_ms: int | None = None
    shown_sha256: str | None = None
    said_at: datetime | None = None
    evidence: object = None
    ratings: object = None
    subtopics: object = None

    def extras(self) -> Annotations:
        """What goes with it beside the grade; raises WorkbenchError for what has no such shape."""
        return read_annotations(self.evidence, self.ratings, self.subtopics)


def receive(db: Session, account_id: int, events: Sequence[Event]) -> tuple[Receipt, ...]:
    """Take events in their order; each becomes a judgment event, or is kept aside where that cannot be.

    Refused is only what was never this account's to say. A disabled account's events are all kept aside.
    """
    return tuple(_receive(db, account_id, event) for event in events)


def _receive(db: Session, account_id: int, event: Event) -> Receipt:
    if not CLIENT_ID.fullmatch(event.client_id):
        return Receipt(event.client_id, Outcome.REFUSED, "it carries no proper id of its own")
    whose = {"assignment_id": event.assignment_id, "account_id": account_id}
    row = db.execute(_STANDING, whose).one_or_none()
    if row is None:
        return Receipt(event.client_id, Outcome.REFUSED, "it belongs to no topic that was ever yours")
    try:
        if row.disabled_at is not None:
            raise WorkbenchError("the account is disabled")
        if row.role is None:
            raise WorkbenchError("no longer an assessor of this campaign")
        # Whatever fails half-way leaves nothing behind, and the events after it are taken all the same.
        with db.begin_nested():
            recorded = _record(db, account_id, event)
    except WorkbenchError as error:
        why = "; ".join(each.message for each in error.findings) if isinstance(error, InvalidInput) else ""
        why = why or error.message
        keep_unrecorded(db, row.campaign_id, account_id, event, why=why)
        return Receipt(event.client_id, Outcome.KEPT_ASIDE, why)
    outcome = Outcome.REPEATED if recorded.repeated else Outcome.RECORDED
    return Receipt(
        event.client_id,
        outcome,
        elsewhere=_elsewhere(db, event, recorded),
        feedback=feedback_of(db, recorded.event),
    )


def _record(db: Session, account_id: int, event: Event) -> Recorded:
    act = KINDS.get(event.kind)
    if act is None:
        raise WorkbenchError(f"nobody knows what {event.kind[:40]!r} means")
    return act(event)(
        db,
        event.assignment_id,
        account_id,
        docno=event.docno,
        client_id=event.client_id,
        said_at=event.said_at,
    )


class Act(Protocol):
    """What an event does to a document of an assignment; whatever else it carries is filled in already."""

    def __call__(
        self,
        db: Session,
        assignment_id: int,
        account_id: int,
        /,
        *,
        docno: str,
        client_id: str,
        said_at: datetime | None,
    ) -> Recorded: ...


def _answer(event: Event) -> Act:
    if event.answer not in set(Answer):
        raise WorkbenchError(f"{event.answer[:40]!r} is no answer")
    return partial(
        record,
        answer=Answer(event.answer),
        grade=event.grade,
        reason=event.reason,
        comment=event.comment,
        active_ms=event.active_ms,
        shown_sha256=event.shown_sha256,
        extras=event.extras(),
    )


KINDS: Mapping[str, Callable[[Event], Act]] = {
    "answer": _answer,
    "comment": lambda event: partial(comment_on, comment=event.comment),
    "extras": lambda event: partial(amend, extras=event.extras()),
    "later": lambda event: partial(put_off, active_ms=event.active_ms),
    "undo": lambda _event: withdraw,
}


# The campaign of an assignment that is or was an account's, and whether it may still judge there.
_STANDING = (
    select(AssessorRow.campaign_id, AccountRow.disabled_at, MemberRow.role)
    .join(AssignmentRow, AssignmentRow.assessor_id == AssessorRow.id)
    .join(AccountRow, AccountRow.id == AssessorRow.account_id)
    .outerjoin(
        MemberRow,
        (MemberRow.campaign_id == AssessorRow.campaign_id)
        & (MemberRow.account_id == AssessorRow.account_id)
        & (MemberRow.role == Role.ASSESSOR),
    )
    .where(AssignmentRow.id == bindparam("assignment_id"), AssessorRow.account_id == bindparam("account_id"))
)


def _elsewhere(db: Session, event: Event, recorded: Recorded) -> Elsewhere | None:
    now = recorded.event
    if now.purpose == TRAINING:
        return None  # of each round the first answer counts; an earlier round is no other screen
    purposes = HOLDING if now.purpose in HOLDING else (now.purpose,)
    held = event_before(db, now.assessor_id, now.topic, now.docno, number=now.id, purposes=purposes)
    if held is None or held.client_id == event.before or held.answer in {WITHDRAWN, LATER}:
        return None
    return Elsewhere(Answer(held.answer), held.grade, held.recorded_at)
