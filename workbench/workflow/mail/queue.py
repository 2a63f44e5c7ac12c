"""The queue of messages: added by pages, claimed one at a time, and noted as sent, failed or not needed.

A page adds a row in the transaction of what it tells, and a thread of the server sends it later. A process
that is killed meanwhile leaves its claim, which ends after ten minutes: so every message is sent at least
once, and twice only if the process ends between the mail server's answer and the next statement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import partial

from sqlalchemy import ColumnElement, Select, delete, func, or_, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.storage.tables import AccountRow, CampaignRow, MailMessageRow
from workbench.workflow.checks import record_of
from workbench.workflow.clock import shared_now
from workbench.workflow.mail.message import Message
from workbench.workflow.mail.messages import (
    WorkLeft,
    confirmation,
    invitation,
    new_password,
    reminder,
    trial,
    work_of,
)
from workbench.workflow.people.mail_addresses import accounts_meant, address_of, checked_address

CLAIM_LASTS = timedelta(minutes=10)
"""Longer than any attempt takes, within its time limits."""
WAITS = tuple(timedelta(minutes=each) for each in (1, 5, 15, 60, 180, 360, 720))
"""Before the second attempt, the third and so on; after the last of them a message has failed."""
KEPT = timedelta(days=30)
"""How long a message is listed once it is sent, or will not be."""
LONGEST_REASON = 300
RESETS_APART, MOST_RESETS_A_DAY = timedelta(minutes=5), 5


class DeliveryState(StrEnum):
    """What became of a message."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"
    NOT_NEEDED = "not needed"


class MessageKind(StrEnum):
    """What a message is for; the name that administrators read."""

    INVITATION = "invitation"
    PASSWORD = "new password"  # noqa: S105 - a name
    CONFIRMATION = "confirmation"
    REMINDER = "reminder"
    TEST = "test"


Writer = Callable[[Session, MailMessageRow, str], Message | None]
WRITERS: Mapping[MessageKind, Writer] = {
    MessageKind.INVITATION: invitation,
    MessageKind.PASSWORD: new_password,
    MessageKind.CONFIRMATION: confirmation,
    MessageKind.TEST: trial,
}


@dataclass(frozen=True, slots=True)
class ClaimedMessage:
    """A message that this process sends now; `attempt` counts from 1."""

    id: int
    kind: MessageKind
    attempt: int
    message: Message


@dataclass(frozen=True, slots=True)
class MessageLine:
    """A message in the administrator's list; login and campaign are empty where it has none."""

    id: int
    kind: MessageKind
    state: DeliveryState
    address: str
    login: str
    campaign: str
    created_at: datetime
    due_at: datetime
    sent_at: datetime | None
    tries: int
    reason: str


def add_invitation(db: Session, campaign_id: int, invitation_id: int, address: str) -> None:
    """Have an invitation sent to a checked address."""
    row = MailMessageRow(campaign_id=campaign_id, invitation_id=invitation_id, address=address)
    _add(db, MessageKind.INVITATION, row)


def add_password_request(db: Session, typed: str) -> None:
    """Have a link sent to the owner of a login name or an address that somebody typed, if there is one."""
    _add(db, MessageKind.PASSWORD, MailMessageRow(asked=typed))


def add_confirmation(db: Session, account_id: int, address: str) -> None:
    """Have the owner of a proposed address asked to confirm it."""
    _add(db, MessageKind.CONFIRMATION, MailMessageRow(account_id=account_id, address=address))


def add_reminder(
    db: Session,
    campaign_id: int,
    account_id: int,
    deadline: date | None,
) -> None:
    """Have an assessor reminded, who has an address."""
    address = address_of(db, account_id).address
    row = MailMessageRow(campaign_id=campaign_id, account_id=account_id, address=address, deadline=deadline)
    _add(db, MessageKind.REMINDER, row)


def add_test(db: Session, address: str) -> None:
    """Have a test message sent; raises InvalidInput for what is no address."""
    _add(db, MessageKind.TEST, MailMessageRow(address=checked_address(address)))


def work_of_next(db: Session) -> WorkLeft | None:
    """How much is left of what the message that is due first reminds of; None where it is no reminder."""
    row = db.scalar(_next_due(shared_now(db)))
    if row is None or row.kind != MessageKind.REMINDER:
        return None
    return work_of(db, row.campaign_id or 0, row.account_id or 0)


def claim_next(db: Session, site: str, *, work: WorkLeft | None = None) -> ClaimedMessage | bool:
    """Write the message that is due first, and claim it; False if none is due.

    True if the one that was due needs no sending, so that another may be. `work` is what `work_of_next`
    counted before this transaction, for which others wait.
    """
    moment = shared_now(db)
    row = db.scalar(_next_due(moment).with_for_update(skip_locked=True))
    if row is None:
        return False
    if row.asked and not _find_owner(db, row, moment):
        db.delete(row)
        return True
    kind = MessageKind(row.kind)
    write = partial(reminder, work=work) if kind is MessageKind.REMINDER else WRITERS[kind]
    written = write(db, row, site)
    if written is None:
        row.state = DeliveryState.NOT_NEEDED
        db.flush()
        return True
    row.tries += 1
    row.claimed_until = moment + CLAIM_LASTS
    db.flush()
    return ClaimedMessage(row.id, kind, row.tries, written)


def any_due(db: Session) -> bool:
    """Whether a message waits that could be sent now."""
    due = select(MailMessageRow.id).where(*_due(shared_now(db))).limit(1)
    return db.scalar(due) is not None


def note_sent(db: Session, message_id: int) -> None:
    """Note that a mail server has accepted a message; forgets messages that are a month old."""
    moment, rows = shared_now(db), MailMessageRow
    row = db.get(rows, message_id)
    if row is not None:
        row.state, row.sent_at, row.reason, row.claimed_until = DeliveryState.SENT, moment, "", None
    over = rows.state != DeliveryState.WAITING, rows.created_at < moment - KEPT
    db.execute(delete(rows).where(*over))


def note_failed(db: Session, message_id: int, reason: str, *, for_good: bool) -> None:
    """Note why a message was not sent: it is tried again later, unless it failed `for_good` or too often."""
    row = db.get(MailMessageRow, message_id)
    if row is None:
        return
    row.reason, row.claimed_until = reason[:LONGEST_REASON], None
    if for_good or row.tries > len(WAITS):
        row.state = DeliveryState.FAILED
    else:
        row.due_at = shared_now(db) + WAITS[row.tries - 1]
    db.flush()


def try_again(db: Session, message_id: int) -> None:
    """Send a failed message after all; raises NotFound, Conflict for one that has not failed."""
    row = db.get(MailMessageRow, message_id, with_for_update=True)
    if row is None:
        raise NotFound("there is no such message", remedy="see the list")
    if row.state != DeliveryState.FAILED:
        raise Conflict("only a failed message can be sent again")
    row.state, row.tries, row.due_at = DeliveryState.WAITING, 0, shared_now(db)
    row.claimed_until = None
    db.flush()


def count_messages(db: Session) -> dict[DeliveryState, int]:
    """How many messages are in each state."""
    by_state = select(MailMessageRow.state, func.count()).group_by(MailMessageRow.state)
    found = dict(db.execute(by_state).all())
    return {state: found.get(state, 0) for state in DeliveryState}


def messages(db: Session, *, start: int = 0, most: int | None = None) -> tuple[MessageLine, ...]:
    """The messages, the latest first."""
    rows = db.execute(
        select(MailMessageRow, AccountRow.login, CampaignRow.slug)
        .outerjoin(AccountRow, AccountRow.id == MailMessageRow.account_id)
        .outerjoin(CampaignRow, CampaignRow.id == MailMessageRow.campaign_id)
        .order_by(MailMessageRow.id.desc())
        .offset(start)
        .limit(most)
    )
    return tuple(
        record_of(
            MessageLine,
            row,
            kind=MessageKind(row.kind),
            state=DeliveryState(row.state),
            login=login or "",
            campaign=slug or "",
        )
        for row, login, slug in rows
    )


def _due(moment: datetime) -> tuple[ColumnElement[bool], ...]:
    return MailMessageRow.state == DeliveryState.WAITING, MailMessageRow.due_at <= moment


def _next_due(moment: datetime) -> Select[MailMessageRow]:
    """The message that is due first and that no process sends now."""
    rows = MailMessageRow
    free = or_(rows.claimed_until.is_(None), rows.claimed_until <= moment)
    return select(rows).where(*_due(moment), free).order_by(rows.due_at, rows.id).limit(1)


def _add(db: Session, kind: MessageKind, row: MailMessageRow) -> None:
    row.kind, row.created_at = kind, shared_now(db)
    row.due_at = row.created_at
    db.add(row)
    db.flush()


def _find_owner(db: Session, row: MailMessageRow, moment: datetime) -> bool:
    """Whether somebody who can be reached is meant by what was typed; of several all get a message."""
    typed, row.asked = row.asked, ""
    owners = [one for one in accounts_meant(db, typed) if _may_have_link(db, one.id, moment)]
    for number, owner in enumerate(owners):
        one = row if number == 0 else MailMessageRow()
        one.account_id, one.address = owner.id, address_of(db, owner.id).address
        if number:
            _add(db, MessageKind.PASSWORD, one)
    db.flush()
    return bool(owners)


def _may_have_link(db: Session, account_id: int, moment: datetime) -> bool:
    """Whether an account has an address and was not just sent a link, lest strangers fill its mailbox."""
    if not address_of(db, account_id).address:
        return False
    before = db.scalars(
        select(MailMessageRow.created_at).where(
            MailMessageRow.kind == MessageKind.PASSWORD,
            MailMessageRow.account_id == account_id,
            MailMessageRow.created_at > moment - timedelta(days=1),
        )
    ).all()
    return len(before) < MOST_RESETS_A_DAY and all(at <= moment - RESETS_APART for at in before)
