"""Tables of pools: recipes, pairs, the events of adaptive ones, and what a learner ranked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import (
    AccountId,
    AssessorId,
    Base,
    CampaignId,
    Content,
    Id,
    IdKey,
    JsonObject,
    PoolId,
    RowKey,
    Str20,
    Str120,
)


class PoolRow(Base):
    """A pool of pairs to judge, with its recipe: strategy, parameters, runs and their hashes.

    It is a draft until it is opened; then it is open for judging until it is closed, which is final.
    `candidates` are the documents that a learner's pool chooses from, which never change: docnos by line,
    compressed; null before they are listed.
    """

    __tablename__ = "pool"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId]
    name: Mapped[Str120]
    recipe: Mapped[JsonObject]
    pairs: Mapped[int]
    largest_possible: Mapped[int]
    created_by: Mapped[AccountId | None]
    created_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]
    per_pair: Mapped[int | None]  # judgments per pair, if assessors share one queue
    candidates: Mapped[Content | None]
    __table_args__ = (
        UniqueConstraint("campaign_id", "name"),
        CheckConstraint("per_pair is null or per_pair >= 1", "per_pair"),
    )


class PoolEntryRow(Base):
    """A pair of a pool; `brought_by` lists [tag, rank] of the runs that contributed it.

    `weight`, `inclusion` (a probability) and `stratum` (from 1) are set by strategies that weight or sample.
    A pair added by a person has `added_by`, `added_at` and `reason`, and no best rank unless a run
    contributed it.
    """

    __tablename__ = "pool_entry"
    pool_id: Mapped[PoolId] = mapped_column(primary_key=True)
    topic: Mapped[IdKey]
    docno: Mapped[IdKey]
    brought_by: Mapped[list[Any]]
    best_rank: Mapped[int | None]
    run_count: Mapped[int]
    weight: Mapped[float | None]
    inclusion: Mapped[float | None]
    stratum: Mapped[int | None]
    added_by: Mapped[AccountId | None]
    added_at: Mapped[datetime | None]
    reason: Mapped[str | None]
    __table_args__ = (
        CheckConstraint("inclusion is null or (inclusion > 0 and inclusion <= 1)", "inclusion"),
        CheckConstraint("best_rank is not null or added_at is not null", "rank_unless_added"),
        # Few pairs are added by hand, and every page of a pool counts them.
        Index(
            "ix_pool_entry_added_by_hand",
            "pool_id",
            "topic",
            sqlite_where=text("added_at is not null"),
            postgresql_where=text("added_at is not null"),
        ),
    )


class PoolEventRow(Base):
    """An event in a topic of an adaptive pool, numbered from 1; the events determine the pool.

    `relevant` is null for an answer without a grade, and for events that are not answers. Of a document that
    a learner's pool handed out `origin` says why; `rank` counts from 1, in the ranking of `round` or, without
    one, in a random order.
    """

    __tablename__ = "pool_event"
    pool_id: Mapped[PoolId] = mapped_column(primary_key=True)
    topic: Mapped[IdKey]
    number: Mapped[int] = mapped_column(primary_key=True)
    happening: Mapped[Str20]
    docno: Mapped[Id]
    relevant: Mapped[bool | None]
    assessor_id: Mapped[AssessorId | None]
    # With an index, without which PostgreSQL deletes no judgment before it has looked through all events.
    judgment_event_id: Mapped[int | None] = mapped_column(ForeignKey("judgment_event.id"), index=True)
    at: Mapped[datetime]
    origin: Mapped[str | None] = mapped_column(String(10))
    round: Mapped[int | None]
    rank: Mapped[int | None]
    score: Mapped[float | None]
    __table_args__ = (
        # Every answer asks which pools handed its document to its assessor.
        Index("ix_pool_event_topic_docno_assessor_id", "topic", "docno", "assessor_id"),
        CheckConstraint("happening in ('handed_out','judged','given_back')", "happening"),
    )


class LearnerRoundRow(Base):
    """A ranking in a topic of a learner's pool, never changed; rounds are numbered from 0.

    It was learned from the events up to number `known`, and serves for what is handed out after event
    `since`. `places` (32-bit integers) are the candidates best first, `scores` (32-bit floats) theirs; `sums`
    are the four sums of the model's probabilities. The texts were those after `document_changes`.
    """

    __tablename__ = "learner_round"
    pool_id: Mapped[int] = mapped_column(ForeignKey("pool.id", ondelete="CASCADE"), primary_key=True)
    topic: Mapped[IdKey]
    number: Mapped[int] = mapped_column(primary_key=True)
    known: Mapped[int]
    since: Mapped[int]
    batch: Mapped[int]
    places: Mapped[bytes]
    scores: Mapped[bytes]
    document_changes: Mapped[int]
    made_at: Mapped[datetime]
    __table_args__ = (CheckConstraint("known <= since and batch >= 1", "order"),)
