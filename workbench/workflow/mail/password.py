"""The message to whoever forgot a password: a link by which another is chosen."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.storage.tables import MailMessageRow
from workbench.workflow.mail.message import Message, subject_of
from workbench.workflow.people.mail_addresses import address_of
from workbench.workflow.people.resets import make_reset


def write(db: Session, row: MailMessageRow, site: str, now: datetime) -> Message | None:
    """The message with a new link; None for a disabled account, or one with another address by now."""
    if row.account_id is None or address_of(db, row.account_id).address != row.address:
        return None
    try:
        link = make_reset(db, row.account_id, now=now)
    except (NotFound, Conflict):
        return None
    body = (
        f"Somebody, probably you, asked for a new password for the account {link.account.login}\n"
        f"at {site}.\n\n"
        f"To choose one, open this link within 24 hours:\n{site}/reset/{link.token}\n\n"
        "The link works once. If you did not ask for it, ignore this message: your password stays the same.\n"
    )
    return Message(row.address, subject_of("Your new password for Workbench"), body, secret=True)
