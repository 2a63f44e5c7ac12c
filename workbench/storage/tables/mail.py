"""Tables of mail: the addresses of accounts, and the messages that wait or were sent."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, RowId


class MailAddressRow(Base):
    """The address of an account, None until one is confirmed, and a new one that waits for that.

    Of the token in the message that asks for confirmation only the hash is stored.
    """

    __tablename__ = "mail_address"
    account_id: Mapped[int] = mapped_column(
        ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    address: Mapped[str | None] = mapped_column(String(254), index=True)
    new_address: Mapped[str | None] = mapped_column(String(254))
    token_hash: Mapped[str | None] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime | None]


class MailMessageRow(Base):
    """A message to be sent, and later that it was; it is written as it is sent, so no secret stands here.

    `asked` is what a person who forgot the password typed, until it is known whose it is. A message that is
    being sent is `claimed_until` then; `reason` is why the last attempt failed.
    """

    __tablename__ = "mail_message"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    kind: Mapped[str] = mapped_column(String(20))
    address: Mapped[str] = mapped_column(String(254), default="")
    asked: Mapped[str] = mapped_column(String(254), default="")
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    invitation_id: Mapped[int | None] = mapped_column(
        ForeignKey("invitation.id", ondelete="CASCADE"), index=True
    )
    campaign_id: Mapped[int | None] = mapped_column(ForeignKey("campaign.id", ondelete="CASCADE"), index=True)
    deadline: Mapped[date | None]
    state: Mapped[str] = mapped_column(String(20), default="waiting")
    created_at: Mapped[datetime]
    due_at: Mapped[datetime] = mapped_column(index=True)
    claimed_until: Mapped[datetime | None]
    tries: Mapped[int] = mapped_column(default=0)
    reason: Mapped[str] = mapped_column(String(300), default="")
    sent_at: Mapped[datetime | None]
    __table_args__ = (CheckConstraint("state in ('waiting','sent','failed','not needed')", "state"),)
