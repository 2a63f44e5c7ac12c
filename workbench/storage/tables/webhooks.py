"""Tables of webhooks: the addresses that are told of events, what is delivered to them, finished topics."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import QUEUED_STATES, Base, Id, QueuedColumns, RowId


class WebhookRow(Base):
    """An address that is told of some events of a campaign, their types separated by spaces.

    The secret has to be known here, since every delivery is signed with it. `failures` counts attempts since
    the last one that succeeded; until `resting_until` there is no other. With `off_at` nothing is sent.
    """

    __tablename__ = "webhook"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id", ondelete="CASCADE"), index=True)
    url: Mapped[str] = mapped_column(String(2000))
    events: Mapped[str] = mapped_column(String(200))
    secret: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime]
    failures: Mapped[int] = mapped_column(default=0)
    resting_until: Mapped[datetime | None]
    off_at: Mapped[datetime | None]
    off_reason: Mapped[str] = mapped_column(String(400), default="")


class WebhookDeliveryRow(QueuedColumns, Base):
    """An event that is delivered to a webhook: the bytes of its body never change.

    `status` and `answer` are the HTTP status of the last attempt, and the beginning of a refusal.
    """

    __tablename__ = "webhook_delivery"
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhook.id", ondelete="CASCADE"))
    event_id: Mapped[str] = mapped_column(String(40))
    type: Mapped[str] = mapped_column(String(40))
    payload: Mapped[str] = mapped_column(Text)
    status: Mapped[int | None]
    answer: Mapped[str] = mapped_column(String(300), default="")
    __table_args__ = (UniqueConstraint("webhook_id", "event_id"), CheckConstraint(QUEUED_STATES, "state"))


class FinishedTopicRow(Base):
    """A topic that was found finished, while a webhook of its campaign is told of finished topics."""

    __tablename__ = "finished_topic"
    campaign_id: Mapped[int] = mapped_column(
        ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    topic: Mapped[str] = mapped_column(Id, primary_key=True)
