"""The message to a new address of an account: a link by which its owner confirms it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from workbench.storage.tables import AccountRow, MailMessageRow
from workbench.workflow.mail.message import Message, subject_of
from workbench.workflow.people.mail_addresses import make_confirmation


def write(db: Session, row: MailMessageRow, site: str, now: datetime) -> Message | None:
    """The message with a new link; None where the account no longer proposes this address."""
    account = db.get(AccountRow, row.account_id) if row.account_id is not None else None
    token = make_confirmation(db, account.id, row.address, now=now) if account is not None else None
    if account is None or token is None:
        return None
    body = (
        f"The account {account.login} at {site}\nis to use this e-mail address.\n\n"
        f"To confirm it, open this link within two days:\n{site}/account/address/confirm/{token}\n\n"
        "If this is not your account, ignore this message: nothing else will be sent to you.\n"
    )
    return Message(row.address, subject_of("Confirm your e-mail address"), body, secret=True)
