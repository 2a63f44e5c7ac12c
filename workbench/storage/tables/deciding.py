"""Tables of preferences and adjudications."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import (
    AccountId,
    AssessorId,
    Base,
    BigInt,
    CampaignId,
    Id,
    RowKey,
    Str20,
    Str64,
    Words,
)


class PreferenceTaskRow(Base):
    """Pairs of documents or runs of one topic for an assessor to compare; the seed decides the sides."""

    __tablename__ = "preference_task"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId] = mapped_column(index=True)
    topic: Mapped[Id]
    kind: Mapped[Str20]
    assessor_id: Mapped[AssessorId] = mapped_column(index=True)
    pairs: Mapped[list[Any]]
    seed: Mapped[BigInt]
    assigned_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    __table_args__ = (CheckConstraint("kind in ('documents','runs')", "kind"),)


class PreferenceEventRow(Base):
    """A preference of an assessor, never changed; the latest event of a task's pair is current.

    `first` and `second` are docnos or tags in the order of the task, `first_was_left` says how they were
    shown.
    """

    __tablename__ = "preference_event"
    id: Mapped[RowKey]
    task_id: Mapped[int] = mapped_column(ForeignKey("preference_task.id"))
    first: Mapped[Id]
    second: Mapped[Id]
    first_was_left: Mapped[bool]
    choice: Mapped[Str20]
    reason: Mapped[Words]
    client_id: Mapped[Str64]
    active_ms: Mapped[int | None]
    recorded_at: Mapped[datetime]
    __table_args__ = (
        UniqueConstraint("task_id", "client_id"),
        CheckConstraint("choice in ('first','second','tie','both_bad','withdrawn')", "choice"),
    )


class AdjudicationEventRow(Base):
    """A decision about a disputed pair, never changed; the latest event of a pair is current.

    `seen` lists [judgment event, assessor, answer, grade] of the judgments that the adjudicator saw.
    """

    __tablename__ = "adjudication_event"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId]
    topic: Mapped[Id]
    docno: Mapped[Id]
    account_id: Mapped[AccountId | None]
    decision: Mapped[Str20]
    grade: Mapped[int | None]
    reason: Mapped[Words]
    seen: Mapped[list[Any]] = mapped_column("said")
    client_id: Mapped[Str64]
    active_ms: Mapped[int | None]
    recorded_at: Mapped[datetime]
    __table_args__ = (
        UniqueConstraint("campaign_id", "client_id"),
        Index("ix_adjudication_event_current", "campaign_id", "topic", "docno", "id"),
        CheckConstraint("decision in ('grade','back','unclear','withdrawn')", "decision"),
        CheckConstraint("(decision = 'grade') = (grade is not null)", "grade_if_decided"),
        CheckConstraint("grade is null or grade >= 0", "grade_not_negative"),
    )
