"""Tables of pools: recipes, pairs, and the events of adaptive ones."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, Id, RowId


class PoolRow(Base):
    """The pairs to be judged, with the recipe that made them: strategy, parameters, runs and their hashes.

    A draft until it is opened, then open for judging until it is closed for ever.
    """

    __tablename__ = "pool"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    name: Mapped[str] = mapped_column(String(120))
    recipe: Mapped[dict[str, Any]]
    pairs: Mapped[int]
    largest_possible: Mapped[int]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    created_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]
    per_pair: Mapped[int | None]  # judgments wanted of each pair where assessors take from one queue
    __table_args__ = (
        UniqueConstraint("campaign_id", "name"),
        CheckConstraint("per_pair is null or per_pair >= 1", "per_pair"),
    )


class PoolEntryRow(Base):
    """One pair of a pool; `brought_by` lists [tag, rank] of the runs that brought it.

    A strategy may have weighed it, or drawn it with an inclusion probability from a stratum (from 1). A pair
    that a person added has the person, the moment and the reason; if no run brought it, no best rank.
    """

    __tablename__ = "pool_entry"
    pool_id: Mapped[int] = mapped_column(ForeignKey("pool.id"), primary_key=True)
    topic: Mapped[str] = mapped_column(Id, primary_key=True)
    docno: Mapped[str] = mapped_column(Id, primary_key=True)
    brought_by: Mapped[list[Any]]
    best_rank: Mapped[int | None]
    run_count: Mapped[int]
    weight: Mapped[float | None]
    inclusion: Mapped[float | None]
    stratum: Mapped[int | None]
    added_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    added_at: Mapped[datetime | None]
    reason: Mapped[str | None] = mapped_column(Text)
    __table_args__ = (
        CheckConstraint("inclusion is null or (inclusion > 0 and inclusion <= 1)", "inclusion"),
        CheckConstraint("best_rank is not null or added_at is not null", "rank_unless_added"),
        # Few pairs are added by hand, and every page about pools says how many.
        Index(
            "ix_pool_entry_added_by_hand",
            "pool_id",
            "topic",
            sqlite_where=text("added_at is not null"),
            postgresql_where=text("added_at is not null"),
        ),
    )


class PoolEventRow(Base):
    """What happened in a topic of an adaptive pool, numbered from 1: the pool follows from its events.

    `relevant` is null for an answer that is no grade, and for what is no answer.
    """

    __tablename__ = "pool_event"
    pool_id: Mapped[int] = mapped_column(ForeignKey("pool.id"), primary_key=True)
    topic: Mapped[str] = mapped_column(Id, primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    happening: Mapped[str] = mapped_column(String(20))
    docno: Mapped[str] = mapped_column(Id)
    relevant: Mapped[bool | None]
    assessor_id: Mapped[int | None] = mapped_column(ForeignKey("assessor.id"))
    judgment_event_id: Mapped[int | None] = mapped_column(ForeignKey("judgment_event.id"))
    at: Mapped[datetime]
    __table_args__ = (CheckConstraint("happening in ('handed_out','judged','given_back')", "happening"),)
