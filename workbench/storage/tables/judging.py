"""Tables of judging: assessors, assignments, judgments, unrecorded answers, preferences, adjudications."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    String,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import (
    AccountId,
    AssessorId,
    AssignmentId,
    Base,
    BigInt,
    CampaignId,
    Id,
    IdKey,
    JsonObject,
    PoolId,
    RowKey,
    Str20,
    Str64,
    Str120,
    Str200,
    Words,
)


class AssessorRow(Base):
    """An assessor: a person with an account, a person whose judgments were imported, or a machine.

    `pseudonym` is what releases call the assessor; it is given with the first of them and stays. `organiser`
    says that the person was ever an organiser as well, who sees the answers of all.
    """

    __tablename__ = "assessor"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId]
    name: Mapped[Str120]
    machine: Mapped[bool] = mapped_column(default=False)
    organiser: Mapped[bool] = mapped_column(default=False)
    account_id: Mapped[AccountId | None]
    pseudonym: Mapped[str | None] = mapped_column(String(40))
    __table_args__ = (
        UniqueConstraint("campaign_id", "name"),
        UniqueConstraint("campaign_id", "account_id"),
        Index("ix_assessor_pseudonym", "campaign_id", "pseudonym", unique=True),
    )


class AssignmentRow(Base):
    """A topic of a pool assigned to an assessor, in an order determined by rule and seed.

    `rest_of` are the assessors from whom the topic was taken over: what these have answered is no part of it.
    """

    __tablename__ = "assignment"
    id: Mapped[RowKey]
    pool_id: Mapped[PoolId]
    topic: Mapped[Id]
    assessor_id: Mapped[AssessorId] = mapped_column(index=True)
    order_rule: Mapped[Str20]
    seed: Mapped[BigInt]
    assigned_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    rest_of: Mapped[list[Any]] = mapped_column(default=list)
    __table_args__ = (
        UniqueConstraint("pool_id", "topic", "assessor_id"),
        CheckConstraint("order_rule in ('shuffled','docno','priority')", "order_rule"),
    )


class JudgmentEventRow(Base):
    """An answer of an assessor about a pair, never changed; the latest event is current.

    `client_id` is chosen by the client: an event that is sent twice is recorded once. `position` is the place
    of the pair (from 1) in the order shown, `document_sha256` the text that was shown, `active_ms` the time
    spent on it, `said_at` the time by the client's clock, which may be wrong, `instructions` the version of
    guidelines and scale that was shown. `evidence` lists [start, end,
    quote], `ratings` has the answers to further questions by name, `subtopics` the ids of those ticked. An
    event with the purpose of a repeat, a planted pair or training is never current: it is compared with the
    current one.
    """

    __tablename__ = "judgment_event"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId]
    assessor_id: Mapped[AssessorId]
    topic: Mapped[Id]
    docno: Mapped[Id]
    answer: Mapped[Str20]
    grade: Mapped[int | None]
    reason: Mapped[Words]
    client_id: Mapped[Str64]
    source: Mapped[Str200]
    assignment_id: Mapped[AssignmentId | None]
    document_sha256: Mapped[Str64 | None]
    position: Mapped[int | None]
    order_rule: Mapped[Str20 | None]
    seed: Mapped[BigInt | None]
    active_ms: Mapped[int | None]
    recorded_at: Mapped[datetime]
    purpose: Mapped[Str20] = mapped_column(default="judging")
    comment: Mapped[Words]
    evidence: Mapped[list[Any] | None]
    ratings: Mapped[JsonObject | None]
    subtopics: Mapped[list[Any] | None]
    said_at: Mapped[datetime | None]
    instructions: Mapped[int | None]
    __table_args__ = (
        UniqueConstraint("assessor_id", "client_id"),
        # With what an answer is at its end, so that all of a campaign's are read from the index alone.
        Index(
            "ix_judgment_event_current",
            *("campaign_id", "assessor_id", "topic", "docno", "id", "purpose", "answer", "grade"),
        ),
        # An assessor's latest answers, for the pace.
        Index("ix_judgment_event_assessor_id_id", "assessor_id", "id"),
        CheckConstraint("answer in ('grade','unsure','cannot_judge','later','withdrawn')", "answer"),
        CheckConstraint("purpose in ('judging','discussion','repeat','planted','training')", "purpose"),
        CheckConstraint("(answer = 'grade') = (grade is not null)", "grade_if_graded"),
        CheckConstraint("grade is null or grade >= 0", "grade_not_negative"),
    )


class AssessorNoteRow(Base):
    """An assessor's words to highlight in a topic, and a note."""

    __tablename__ = "assessor_note"
    assessor_id: Mapped[AssessorId] = mapped_column(primary_key=True)
    topic: Mapped[IdKey]
    words: Mapped[list[Any]] = mapped_column(default=list)
    note: Mapped[Words]
    changed_at: Mapped[datetime]


class KeptAsideRow(Base):
    """An answer that was received and could not be recorded, as sent, until the organiser resolves it."""

    __tablename__ = "kept_aside"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId] = mapped_column(index=True)
    account_id: Mapped[AccountId]
    assignment_id: Mapped[AssignmentId | None]
    client_id: Mapped[Str64]
    answer: Mapped[JsonObject]  # as it was sent
    why: Mapped[str]
    received_at: Mapped[datetime]
    settled_by: Mapped[AccountId | None]
    settled_at: Mapped[datetime | None]
    settlement: Mapped[Str20 | None]
    __table_args__ = (
        UniqueConstraint("account_id", "client_id"),
        CheckConstraint("settlement is null or settlement in ('recorded','dismissed')", "settlement"),
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
