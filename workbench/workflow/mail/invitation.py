"""The message of an invitation: what somebody is invited to, and the link."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from workbench.storage.tables import MailMessageRow
from workbench.workflow.mail.message import Message, isolated, subject_of
from workbench.workflow.people.invitations import invitation_text, renew_for_message


def write(db: Session, row: MailMessageRow, site: str, now: datetime) -> Message | None:
    """The message with a new link; None once the invitation was accepted or withdrawn, or has expired."""
    renewed = renew_for_message(db, row.invitation_id or 0, row.address, now=now)
    if renewed is None:
        return None
    invited, campaign = renewed
    text = invitation_text(invited, campaign=isolated(campaign), link=f"{site}/invitation/{invited.token}")
    return Message(row.address, subject_of("Invitation to", campaign), text, secret=True)
