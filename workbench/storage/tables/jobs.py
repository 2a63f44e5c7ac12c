"""Table of jobs: what takes longer than a page may, and the last results of it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, RowId


class JobRow(Base):
    """A job that waits, runs or has ended; any may be deleted, and is asked for again where it is needed.

    `arguments` are JSON, `depends_on` tells what else its result depends on. With a `host` only a worker of
    that host takes it. Its process notes `beat_at` every second; `attempts` counts how often it was begun.
    """

    __tablename__ = "job"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int | None] = mapped_column(ForeignKey("campaign.id"))
    kind: Mapped[str] = mapped_column(String(40))
    arguments: Mapped[str] = mapped_column(Text)
    depends_on: Mapped[str] = mapped_column(String(64))
    host: Mapped[str] = mapped_column(String(200))
    state: Mapped[str] = mapped_column(String(20), index=True)
    attempts: Mapped[int] = mapped_column(default=0)
    label: Mapped[str] = mapped_column(String(200), default="")
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(String(40), default="")  # its kind, such as Conflict
    message: Mapped[str] = mapped_column(Text, default="")
    remedy: Mapped[str] = mapped_column(Text, default="")
    asked_at: Mapped[datetime]
    beat_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    result: Mapped[bytes | None] = mapped_column(LargeBinary)
    __table_args__ = (Index("ix_job_campaign_id_kind", "campaign_id", "kind"),)
