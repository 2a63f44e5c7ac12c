"""The message by which an administrator tries whether mail arrives."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from workbench.storage.tables import MailMessageRow
from workbench.workflow.mail.message import Message


def write(_db: Session, row: MailMessageRow, site: str, now: datetime) -> Message | None:
    """The message; there is always need of it."""
    return message(row.address, site, now)


def message(address: str, site: str, now: datetime) -> Message:
    """The message to an address, sent at this time."""
    body = (
        f"This is a test message from {site},\nsent at {now:%Y-%m-%d %H:%M} UTC.\n\n"
        "If you can read it, mail from this site arrives.\n"
    )
    return Message(address, "Test message from Workbench", body)
