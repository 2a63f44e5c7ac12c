"""Table of jobs: what takes longer than a page may, and the last results of it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, CampaignId, Count, RowKey, Str20, Str64, Str200, Words


class JobRow(Base):
    """A job that waits, runs or has ended; any may be deleted, and is asked for again where it is needed.

    `arguments` are JSON, `depends_on` tells what else its result depends on. With a `host` only a worker of
    that host takes it. Its process notes `beat_at` every second; `attempts` counts how often it was begun.
    """

    __tablename__ = "job"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId | None]
    kind: Mapped[str] = mapped_column(String(40))
    arguments: Mapped[str]
    depends_on: Mapped[Str64]
    host: Mapped[Str200]
    state: Mapped[Str20] = mapped_column(index=True)
    attempts: Mapped[Count]
    label: Mapped[Str200] = mapped_column(default="")
    done: Mapped[Count]
    total: Mapped[Count]
    error: Mapped[str] = mapped_column(String(40), default="")  # its kind, such as Conflict
    message: Mapped[Words]
    remedy: Mapped[Words]
    asked_at: Mapped[datetime]
    beat_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    result: Mapped[bytes | None]
    __table_args__ = (Index("ix_job_campaign_id_kind", "campaign_id", "kind"),)
