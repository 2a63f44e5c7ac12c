"""What the judging desk sends: events in the order in which they were made, each recorded once.

What cannot be recorded is stored for the organiser; no answer is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from workbench.errors import InvalidInput, WorkbenchError
from workbench.records import Answer
from workbench.storage.events import CURRENT_PURPOSES, LATER, TRAINING, WITHDRAWN, CurrentEvent, event_before
from workbench.storage.tables import AccountRow, AssessorRow, AssignmentRow, MemberRow
from workbench.workflow.checks import checked_client_id
from workbench.workflow.judging.record import record
from workbench.workflow.judging.submission import read_submission, sent_number, sent_text
from workbench.workflow.judging.trainees import Feedback, feedback_of
from workbench.workflow.judging.unrecorded import store_unrecorded
from workbench.workflow.people.roles import Role

MOST_EVENTS = 50
Event = Mapping[str, Any]
"""One event as the desk sends it: `assignment`, `client_id`, and what `read_submission` reads."""


class Outcome(StrEnum):
    """What became of an event."""

    RECORDED = "recorded"
    REPEATED = "repeated"
    UNRECORDED = "kept_aside"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The same person's answer to the pair on another screen, which this one did not know."""

    answer: Answer
    grade: int | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of one event; `why` says what kept it from being recorded.

    `feedback` has the expected grade, after an answer in training.
    """

    client_id: str
    outcome: Outcome
    why: str = ""
    elsewhere: Elsewhere | None = None
    feedback: Feedback | None = None


def receive(db: Session, account_id: int, events: Sequence[Event]) -> tuple[Receipt, ...]:
    """Record events in their order; each becomes a judgment event, or is stored where that cannot be.

    Refused is only what was never this account's to say. All events of a disabled account are stored.
    """
    return tuple(_receive(db, account_id, event) for event in events)


def _receive(db: Session, account_id: int, event: Event) -> Receipt:
    client_id, assignment_id = sent_text(event, "client_id"), sent_number(event, "assignment") or 0
    try:
        checked_client_id(client_id)
    except WorkbenchError as error:
        return Receipt(client_id, Outcome.REFUSED, error.message)
    whose = {"assignment_id": assignment_id, "account_id": account_id}
    row = db.execute(_STANDING, whose).one_or_none()
    if row is None:
        return Receipt(client_id, Outcome.REFUSED, "this topic was never assigned to you")
    try:
        if row.disabled_at is not None:
            raise WorkbenchError("the account is disabled")
        if row.role is None:
            raise WorkbenchError("no longer an assessor of this campaign")
        # Whatever fails half-way leaves nothing behind, and the events after it are recorded all the same.
        with db.begin_nested():
            submission = read_submission(event)
            recorded = record(db, assignment_id, account_id, submission)
    except WorkbenchError as error:
        why = "; ".join(each.message for each in error.findings) if isinstance(error, InvalidInput) else ""
        why = why or error.message
        store_unrecorded(db, row.campaign_id, account_id, event, why=why)
        return Receipt(client_id, Outcome.UNRECORDED, why)
    outcome = Outcome.REPEATED if recorded.repeated else Outcome.RECORDED
    if recorded.event.purpose == TRAINING:
        # Of each round the first answer counts; an earlier round is no other screen.
        return Receipt(client_id, outcome, feedback=feedback_of(db, recorded.event))
    return Receipt(client_id, outcome, elsewhere=_elsewhere(db, submission.before, recorded.event))


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


def _elsewhere(db: Session, before: str, now: CurrentEvent) -> Elsewhere | None:
    purposes = CURRENT_PURPOSES if now.purpose in CURRENT_PURPOSES else (now.purpose,)
    previous = event_before(db, now.assessor_id, now.topic, now.docno, number=now.id, purposes=purposes)
    if previous is None or previous.client_id == before or previous.answer in {WITHDRAWN, LATER}:
        return None
    return Elsewhere(Answer(previous.answer), previous.grade, previous.recorded_at)
