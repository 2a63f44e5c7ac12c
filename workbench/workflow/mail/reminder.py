"""The message that reminds an assessor of open work: how much is left, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy.orm import Session

from workbench.storage.tables import AccountRow, CampaignRow, MailMessageRow
from workbench.workflow.judging.assigned_work import left_to_judge
from workbench.workflow.judging.preference_tasks import left_to_compare
from workbench.workflow.mail.message import Message, isolated, subject_of
from workbench.workflow.people.mail_addresses import address_of


@dataclass(frozen=True, slots=True)
class WorkLeft:
    """How much an account has left to judge and to compare in a campaign."""

    campaign_id: int
    account_id: int
    documents: int
    comparisons: int


def work_of(db: Session, campaign_id: int, account_id: int) -> WorkLeft:
    """How much an account has left in a campaign, which may be gone."""
    documents = left_to_judge(db, campaign_id, account_id)
    return WorkLeft(campaign_id, account_id, documents, left_to_compare(db, campaign_id, account_id))


def write(
    db: Session, row: MailMessageRow, site: str, _now: datetime, *, work: WorkLeft | None = None
) -> Message | None:
    """The message; None where nothing is left to judge, or the campaign is over.

    How much is left is counted here only where `work` is of another message.
    """
    campaign, account = db.get(CampaignRow, row.campaign_id or 0), db.get(AccountRow, row.account_id or 0)
    if campaign is None or campaign.archived_at is not None or account is None:
        return None
    if account.disabled_at is not None or address_of(db, account.id).address != row.address:
        return None
    if work is None or (work.campaign_id, work.account_id) != (campaign.id, account.id):
        work = work_of(db, campaign.id, account.id)
    if not work.documents and not work.comparisons:
        return None
    due = f"\nPlease finish by {long_date(row.deadline)}.\n" if row.deadline is not None else ""
    body = (
        f"Hello {isolated(account.name)},\n\n"
        f"you have {work_left(work.documents, work.comparisons)} left to judge in the campaign\n"
        f"“{isolated(campaign.name)}”.\n{due}\n"
        f"Continue here:\n{site}/c/{campaign.slug}/judge\n\n"
        "The organisers of the campaign sent you this reminder.\n"
    )
    return Message(row.address, subject_of("Documents left to judge:", campaign.name), body)


def work_left(documents: int, comparisons: int) -> str:
    """How much is left, in words."""
    parts = []
    if documents:
        parts.append("1 document" if documents == 1 else f"{documents:,} documents")
    if comparisons:
        parts.append("1 comparison" if comparisons == 1 else f"{comparisons:,} comparisons")
    return " and ".join(parts)


def long_date(day: date) -> str:
    """A date in words: 5 December 2026."""
    return f"{day:%d %B %Y}".removeprefix("0")
