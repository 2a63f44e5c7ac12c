"""What a desk sends: events in the order in which they were made, each recorded once.

What cannot be recorded is stored for the organiser; no answer is dropped. Judgments and preferences are
received here; answers in discussions have a receiver of their own, which builds on `receive_other`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy import bindparam, select
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.orm import Session

from workbench.errors import Ended, InvalidInput, NotFound, TooLate, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Answer
from workbench.storage import locks
from workbench.storage.events import (
    LATER,
    TRAINING,
    WITHDRAWN,
    Pair,
    event_before,
)
from workbench.storage.tables import AccountRow, CampaignRow, MemberRow, PreferenceEventRow
from workbench.workflow.judging.desk_rules import desk_questions
from workbench.workflow.judging.preference_desk import record_choice, task_of_account
from workbench.workflow.judging.preferences import TASK_FIELD, read_side_answer
from workbench.workflow.judging.record import Recorded, record_own, recorded_before
from workbench.workflow.judging.submission import (
    Submission,
    checked_client_id,
    read_submission,
    sent_number,
    sent_text,
)
from workbench.workflow.judging.task import AssignmentStanding, standing_of
from workbench.workflow.judging.trainees import Feedback, feedback_of
from workbench.workflow.judging.unrecorded import store_unrecorded
from workbench.workflow.people.membership import Role

MOST_EVENTS = 50
LOG = logging.getLogger(__name__)
Event = Mapping[str, Any]
"""One event as the desk sends it: `assignment`, `client_id`, and what `read_submission` reads."""
T = TypeVar("T")


class Outcome(StrEnum):
    """What became of an event."""

    RECORDED = "recorded"
    REPEATED = "repeated"
    UNRECORDED = "kept_aside"
    REFUSED = "refused"


@frozen_dataclass
class Elsewhere:
    """The same person's answer to the pair on another screen, which this one did not know."""

    answer: Answer
    grade: int | None
    recorded_at: datetime


@frozen_dataclass
class Receipt:
    """What became of one event; `why` says what kept it from being recorded.

    `ends` says that nothing more of its assignment will be recorded. `feedback` has the expected grade, after
    an answer in training. `outdated` says that guidelines or scale are others than the sender was shown.
    """

    client_id: str
    outcome: Outcome
    why: str = ""
    elsewhere: Elsewhere | None = None
    feedback: Feedback | None = None
    ends: bool = False
    outdated: bool = False


Receiver = Callable[[Session, int, Event], Receipt]
"""Records one event of an account, whose client id is one, or stores it."""


def receive(
    db: Session,
    account_id: int,
    events: Sequence[Event],
    others: Mapping[str, Receiver] = MappingProxyType({}),
) -> tuple[Receipt, ...]:
    """Record events in their order; each becomes a judgment event, or is stored where that cannot be.

    An event with a field that `others` names goes to its receiver instead. Refused is only what was never
    this account's to say. All events of a disabled account are stored.
    """
    locks.answer(db, account_id, {sent_number(event, "assignment") or 0 for event in events})
    return tuple(_received(db, account_id, event, others) for event in events)


def _received(db: Session, account_id: int, event: Event, others: Mapping[str, Receiver]) -> Receipt:
    client_id = sent_text(event, "client_id")
    try:
        checked_client_id(client_id)
    except WorkbenchError as error:
        return Receipt(client_id, Outcome.REFUSED, error.message)
    receiver = next((receiver for name, receiver in others.items() if name in event), _receive)
    return receiver(db, account_id, event)


def receive_other(
    db: Session, campaign_id: int, account_id: int, event: Event, act: Callable[[], bool]
) -> Receipt:
    """Record what is no judgment by `act`, which tells whether it is new, or store it for the organiser."""
    locks.judge(db, campaign_id, account_id)
    client_id, found = sent_text(event, "client_id"), _attempt(db, act)
    if isinstance(found, WorkbenchError):
        return _stored(db, campaign_id, account_id, event, found)
    return Receipt(client_id, Outcome.RECORDED if found else Outcome.REPEATED)


def require_assessor(db: Session, campaign_id: int, account_id: int) -> None:
    """Raise WorkbenchError where an account may answer nothing in a campaign any more."""
    row = db.execute(_ASSESSOR, {"campaign_id": campaign_id, "account_id": account_id}).one()
    _require_account(row.disabled_at, row.role)
    if row.archived_at is not None:
        raise _NoStanding("the campaign is archived")


def receive_form(db: Session, account_id: int, assignment_id: int, submission: Submission) -> Receipt:
    """Record what a form says; what comes too late is stored, as the desk's events are.

    What the person can still put right is raised: InvalidInput where the grade needs more, WorkbenchError for
    one outside the scale, NotFound for what was never assigned to this account, Conflict as `record`.
    """
    locks.answer(db, account_id, [assignment_id])
    standing = standing_of(db, assignment_id, account_id)
    if standing is None:
        raise NotFound("this is not assigned to you", remedy="see My topics")
    desk_questions(standing.own.campaign.desk_rules).require(submission)
    try:
        _require_standing(standing)
        return _receipt(db, standing.own.campaign, submission, record_own(db, standing.own, submission))
    except (NotFound, TooLate, _NoStanding) as error:
        if not submission.docno:
            raise
        event = {**submission.as_event(), "assignment": assignment_id}
        return _too_late(db, standing, account_id, (event, submission), error)


def _receive(db: Session, account_id: int, event: Event) -> Receipt:
    standing = standing_of(db, sent_number(event, "assignment") or 0, account_id)
    if standing is None:
        client_id = sent_text(event, "client_id")
        return Receipt(client_id, Outcome.REFUSED, "this topic was never assigned to you")
    submission: Submission | None = None

    def act() -> tuple[Submission, Recorded]:
        nonlocal submission
        submission = read_submission(event)
        _require_standing(standing)
        return submission, record_own(db, standing.own, submission)

    found = _attempt(db, act)
    if isinstance(found, _Fault):
        return _too_late(db, standing, account_id, (event, None), found)
    if isinstance(found, WorkbenchError):
        return _too_late(db, standing, account_id, (event, submission), found)
    return _receipt(db, standing.own.campaign, *found)


class _Fault(WorkbenchError):
    """A fault of the program that one event brought about."""


def _attempt(db: Session, act: Callable[[], T]) -> T | WorkbenchError:
    """What `act` gives, or why its event cannot be recorded; then nothing of it is left behind."""
    try:
        # The events after it are recorded all the same.
        with db.begin_nested():
            return act()
    except WorkbenchError as error:
        return error
    except (OperationalError, InterfaceError, InternalError):
        # The database is locked or gone: that is no fault of the event.
        raise
    except Exception as error:  # one event must not keep those behind it from being saved
        LOG.exception("an event of a desk could not be recorded")
        return _Fault(f"it cannot be recorded ({type(error).__name__})")


class _NoStanding(WorkbenchError):
    """The account may not judge here any more."""


def _require_account(disabled_at: datetime | None, role: str | None) -> None:
    if disabled_at is not None:
        raise _NoStanding("the account is disabled")
    if role is None:
        raise _NoStanding("no longer an assessor of this campaign")


def _require_standing(standing: AssignmentStanding) -> None:
    _require_account(standing.disabled_at, standing.role)
    if standing.own.assignment.revoked_at is not None:
        raise _NoStanding("this is no longer assigned to you")


def _receipt(db: Session, campaign: CampaignRow, submission: Submission, recorded: Recorded) -> Receipt:
    outcome = Outcome.REPEATED if recorded.repeated else Outcome.RECORDED
    event, before = recorded.event, recorded.before
    if event.purpose == TRAINING:
        # Of each round the first answer counts; an earlier round is no other screen.
        return Receipt(submission.client_id, outcome, feedback=feedback_of(db, event))
    if recorded.repeated:
        pair = Pair(campaign.id, event.assessor_id, event.topic, event.docno)
        before = event_before(db, pair, number=event.id, purpose=event.purpose)
    outdated = submission.instructions not in {None, campaign.instructions}
    elsewhere = None
    # The screen that sent this one believed another answer to be current.
    if (
        before is not None
        and before.client_id != submission.before
        and before.answer not in {WITHDRAWN, LATER}
    ):
        elsewhere = Elsewhere(Answer(before.answer), before.grade, before.recorded_at)
    return Receipt(submission.client_id, outcome, elsewhere=elsewhere, outdated=outdated)


def _too_late(
    db: Session,
    standing: AssignmentStanding,
    account_id: int,
    sent: tuple[Event, Submission | None],
    error: WorkbenchError,
) -> Receipt:
    """Store what could not be recorded, unless it was recorded when it was sent before."""
    (event, submission), campaign = sent, standing.own.campaign
    if submission is not None:
        known = recorded_before(db, sent_number(event, "assignment") or 0, submission)
        if known is not None:
            return _receipt(db, campaign, submission, Recorded(known, repeated=True))
    return _stored(db, campaign.id, account_id, event, error)


def _stored(db: Session, campaign_id: int, account_id: int, event: Event, error: WorkbenchError) -> Receipt:
    found = "; ".join(each.message for each in error.findings) if isinstance(error, InvalidInput) else ""
    why = found or error.message
    cause = error.cause if isinstance(error, TooLate) else why
    store_unrecorded(db, campaign_id, account_id, event, why=cause)
    ends = isinstance(error, _NoStanding | Ended)
    return Receipt(sent_text(event, "client_id"), Outcome.UNRECORDED, why, ends=ends)


# Whether an account may still answer in a campaign.
_ASSESSOR = (
    select(AccountRow.disabled_at, CampaignRow.archived_at, MemberRow.role)
    .select_from(AccountRow)
    .join(CampaignRow, CampaignRow.id == bindparam("campaign_id"))
    .outerjoin(
        MemberRow,
        (MemberRow.campaign_id == CampaignRow.id)
        & (MemberRow.account_id == AccountRow.id)
        & (MemberRow.role == Role.ASSESSOR),
    )
    .where(AccountRow.id == bindparam("account_id"))
)


def receive_preference(db: Session, account_id: int, event: Event) -> Receipt:
    """Record what an assessor said of a pair, or that it was undone; refuse what was never this account's."""
    client_id = sent_text(event, "client_id")
    task = task_of_account(db, sent_number(event, TASK_FIELD) or 0, account_id, writing=True)
    if task is None:
        return Receipt(client_id, Outcome.REFUSED, "this comparison was never assigned to you")

    def act() -> bool:
        known = select(PreferenceEventRow.id).where(
            PreferenceEventRow.task_id == task.id, PreferenceEventRow.client_id == client_id
        )
        # What was recorded before is recognised whatever has become of the task since.
        if db.scalar(known) is None:
            require_assessor(db, task.campaign_id, account_id)
            if task.revoked_at is not None:
                raise NotFound("this comparison is no longer assigned to you")
        return record_choice(db, task, read_side_answer(event))

    return receive_other(db, task.campaign_id, account_id, event, act)
