"""Reminders: assessors with open work, and those that an organiser has a message sent to."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput
from workbench.storage.engine import Database, Writing
from workbench.storage.tables import AccountRow, AssessorRow, CampaignRow, MailAddressRow, MailMessageRow
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.assigned_work import all_left_to_judge
from workbench.workflow.judging.preference_tasks import all_left_to_compare
from workbench.workflow.mail.queue import DeliveryState, MessageKind, add_reminder
from workbench.workflow.people.assessors import able_ids

APART = timedelta(days=1)


@dataclass(frozen=True, slots=True)
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
        select(AssessorRow.id, AssessorRow.account_id, AssessorRow.name, MailAddressRow.address)
        .join(AccountRow, AccountRow.id == AssessorRow.account_id)
        .outerjoin(MailAddressRow, MailAddressRow.account_id == AssessorRow.account_id)
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
