"""The queue of messages: added by pages, claimed one at a time, and noted as sent, failed or not needed.

A page adds a row in the transaction of what it tells, and a thread of the server sends it later. A process
that is killed meanwhile leaves its claim, which ends after ten minutes: so every message is sent at least
once, and twice only if the process ends between the mail server's answer and the next statement.

Requests of people who forgot the password are counted like failed sign-ins, the same whatever was typed.
Reminders are for assessors with open work whom an organiser has chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import partial

from sqlalchemy import ColumnElement, Select, delete, func, or_, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.frozen import frozen_dataclass, record_of
from workbench.storage.engine import Database, Writing
from workbench.storage.tables import AccountRow, AssessorRow, CampaignRow, MailMessageRow
from workbench.workflow.clock import shared_now, utc_now
from workbench.workflow.judging.assigned_work import all_left_to_judge
from workbench.workflow.judging.preference_tasks import all_left_to_compare
from workbench.workflow.mail.messages import (
    Message,
    WorkLeft,
    confirmation,
    invitation,
    new_password,
    reminder,
    trial,
    work_of,
)
from workbench.workflow.people.accounts import fold_login
from workbench.workflow.people.mail_addresses import accounts_meant, address_of, checked_address
from workbench.workflow.people.membership import able_ids
from workbench.workflow.people.signing_in import Refused
from workbench.workflow.people.throttling import (
    LINKS,
    LONGEST_COUNTED,
    Guess,
    network_of,
    one_at_a_time,
    record_failure,
    waiting_time,
)

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


@frozen_dataclass
class ClaimedMessage:
    """A message that this process sends now; `attempt` counts from 1."""

    id: int
    kind: MessageKind
    attempt: int
    message: Message


@frozen_dataclass
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


LONGEST_TYPED = 254


def request_link(db: Session, typed: str, address: str | None) -> Refused | None:
    """Have a link sent to the owner of a login name or a mail address, if there is one.

    `address` is where the request comes from. Too many requests have to wait, by what was typed and by where
    they come from.
    """
    moment = utc_now()
    typed = fold_login(typed).replace("\0", "")[:LONGEST_TYPED]
    guess = Guess(f"{LINKS}{typed}"[:LONGEST_COUNTED], LINKS + network_of(address))
    one_at_a_time(db, guess.login)
    wait = waiting_time(db, guess, moment)
    if wait:
        return Refused(wait)
    record_failure(db, guess, moment)
    if typed:
        _add(db, MessageKind.PASSWORD, MailMessageRow(asked=typed))
    return None


APART = timedelta(days=1)


@frozen_dataclass
class OpenWork:
    """An assessor with an account and work left; `reminded_at` is when a message was last asked for.

    `can_be_reminded` without a reminder within the last day, and with an address.
    """

    account_id: int
    name: str
    documents: int
    comparisons: int
    has_address: bool
    reminded_at: datetime | None
    can_be_reminded: bool


def open_work(db: Session, campaign_id: int) -> tuple[OpenWork, ...]:
    """The assessors of a campaign who have something left to judge or to compare, by name."""
    moment, found, able = utc_now(), [], able_ids(db, campaign_id)
    reminded = _latest_reminders(db, campaign_id)
    to_judge, to_compare = all_left_to_judge(db, campaign_id), all_left_to_compare(db, campaign_id)
    people = db.execute(
        select(AssessorRow.id, AssessorRow.account_id, AssessorRow.name, AccountRow.address)
        .join(AccountRow, AccountRow.id == AssessorRow.account_id)
        .where(AssessorRow.id.in_(able))
        .order_by(AssessorRow.name)
    ).all()
    for number, account_id, name, address in people:
        if account_id is None:
            continue
        documents, comparisons = to_judge.get(number, 0), to_compare.get(name, 0)
        if not documents and not comparisons:
            continue
        last = reminded.get(account_id)
        free = bool(address) and _is_over(last, moment)
        found.append(OpenWork(account_id, name, documents, comparisons, bool(address), last, free))
    return tuple(found)


def remind(
    database: Database,
    campaign_id: int,
    account_ids: Collection[int],
    deadline: date | None,
    *,
    writing: Writing | None = None,
) -> int:
    """Have assessors with open work reminded, each at most once a day; gives how many messages wait.

    How much is left is counted before the transaction, which `writing` opens. Raises InvalidInput for a
    deadline in the past, and where nobody can be reminded.
    """
    moment = utc_now()
    findings = []
    if deadline is not None and deadline < moment.date():
        findings.append(Finding("Deadline", None, "deadline", "this day has passed", "choose a later one"))
    with database.reading() as db:
        waiting = [
            one for one in open_work(db, campaign_id) if one.account_id in account_ids and one.can_be_reminded
        ]
    with (database.writing if writing is None else writing)() as db:
        # Locked, so that a second click waits and finds what the first one did.
        db.get_one(CampaignRow, campaign_id, with_for_update=True)
        reminded = _latest_reminders(db, campaign_id)
        chosen = [one for one in waiting if _is_over(reminded.get(one.account_id), moment)]
        if not chosen:
            message, remedy = "nobody was selected who can be reminded now", "select one or more assessors"
            findings.append(Finding("Assessors", None, "assessor", message, remedy))
        if findings:
            raise InvalidInput(findings)
        for one in chosen:
            add_reminder(db, campaign_id, one.account_id, deadline)
    return len(chosen)


def _is_over(last: datetime | None, moment: datetime) -> bool:
    """Whether a day has passed since the last reminder."""
    return last is None or last <= moment - APART


def _latest_reminders(db: Session, campaign_id: int) -> dict[int, datetime]:
    """When each account was last reminded; a message that failed reminded nobody."""
    rows = db.execute(
        select(MailMessageRow.account_id, func.max(MailMessageRow.created_at))
        .where(
            MailMessageRow.campaign_id == campaign_id,
            MailMessageRow.kind == MessageKind.REMINDER,
            MailMessageRow.state.in_([DeliveryState.WAITING, DeliveryState.SENT]),
        )
        .group_by(MailMessageRow.account_id)
    )
    return {account_id: at for account_id, at in rows if account_id is not None}
