"""Messages in plain text: who each is for, its subject and body, and the link that it is about."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.storage.tables import AccountRow, CampaignRow, MailMessageRow
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.assigned_work import left_to_judge
from workbench.workflow.judging.preference_tasks import left_to_compare
from workbench.workflow.people.invitations import invitation_text, renew_for_message
from workbench.workflow.people.mail_addresses import address_of, make_confirmation
from workbench.workflow.people.signing_in import make_reset

FIRST_STRONG, POP = "\u2068", "\u2069"
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that turn the text after them, and halves of characters; joiners are part of names and stay."""
LONGEST_SUBJECT = 150


@frozen_dataclass
class Message:
    """A message to one address; `secret` says that its body has a link that opens something."""

    to: str
    subject: str
    body: str
    secret: bool = False


def one_line(text: str) -> str:
    """A text as one line without control characters, such as those that would begin a new header."""
    plain = DIRECTIONS.sub("", text)
    return " ".join("".join(" " if unicodedata.category(one) == "Cc" else one for one in plain).split())


def isolated(text: str) -> str:
    """A name within a sentence: what is read from the right does not turn the words around it."""
    text = one_line(text)
    if any(unicodedata.bidirectional(one) in RIGHT_TO_LEFT for one in text):
        return f"{FIRST_STRONG}{text}{POP}"
    return text


def subject_of(*parts: str) -> str:
    """A subject of one line; a name that is too long for it is cut."""
    line = one_line(" ".join(parts))
    return line if len(line) <= LONGEST_SUBJECT else f"{line[: LONGEST_SUBJECT - 1].rstrip()}…"


def invitation(db: Session, row: MailMessageRow, site: str) -> Message | None:
    """The message with a new link; None once the invitation was accepted or withdrawn, or has expired."""
    renewed = renew_for_message(db, row.invitation_id or 0, row.address)
    if renewed is None:
        return None
    invited, campaign = renewed
    text = invitation_text(invited, campaign=isolated(campaign), link=f"{site}/invitation/{invited.token}")
    return Message(row.address, subject_of("Invitation to", campaign), text, secret=True)


def confirmation(db: Session, row: MailMessageRow, site: str) -> Message | None:
    """The message with a new link; None where the account no longer proposes this address."""
    account = db.get(AccountRow, row.account_id) if row.account_id is not None else None
    token = make_confirmation(db, account.id, row.address) if account is not None else None
    if account is None or token is None:
        return None
    body = (
        f"This e-mail address was entered for the account {account.login}\nat {site}.\n\n"
        f"To confirm it, open this link within two days:\n{site}/account/address/confirm/{token}\n\n"
        "If this is not your account, ignore this message: nothing else will be sent to you.\n"
    )
    return Message(row.address, subject_of("Confirm your e-mail address"), body, secret=True)


def new_password(db: Session, row: MailMessageRow, site: str) -> Message | None:
    """The message with a new link; None for a disabled account, or one with another address by now."""
    if row.account_id is None or address_of(db, row.account_id).address != row.address:
        return None
    try:
        link = make_reset(db, row.account_id)
    except (NotFound, Conflict):
        return None
    body = (
        f"Somebody, probably you, asked for a new password for the account {link.account.login}\n"
        f"at {site}.\n\n"
        f"To choose one, open this link within 24 hours:\n{site}/reset/{link.token}\n\n"
        "The link works once. If you did not ask for it, ignore this message: your password stays the same.\n"
    )
    return Message(row.address, subject_of("Your new password for Workbench"), body, secret=True)


@frozen_dataclass
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


def reminder(db: Session, row: MailMessageRow, site: str, *, work: WorkLeft | None = None) -> Message | None:
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
    parts = ((documents, "document"), (comparisons, "comparison"))
    return " and ".join(counted(number, what) for number, what in parts if number)


def long_date(day: date) -> str:
    """A date in words: 5 December 2026."""
    return f"{day:%d %B %Y}".removeprefix("0")


def trial(_db: Session, row: MailMessageRow, site: str) -> Message | None:
    """The message; there is always need of it."""
    return message(row.address, site)


def message(address: str, site: str) -> Message:
    """The message to an address, sent now."""
    body = (
        f"This is a test message from {site},\nsent at {utc_now():%Y-%m-%d %H:%M} UTC.\n\n"
        "If you can read it, mail from this site arrives.\n"
    )
    return Message(address, "Test message from Workbench", body)
