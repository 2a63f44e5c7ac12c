"""Tables of searches, what became of their documents, and samples of the unpooled."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import (
    AccountId,
    AssignmentId,
    Base,
    CampaignId,
    Id,
    PoolId,
    RowKey,
    Str20,
)


class SearchRow(Base):
    """A search of the collection for a topic, never changed: as typed, as understood, and its first docnos.

    `like` is the document that others were to be like, in place of words. `documents` were in the index,
    `found` of them matched.
    """

    __tablename__ = "search"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId]
    topic: Mapped[Id]
    account_id: Mapped[AccountId | None]
    assignment_id: Mapped[AssignmentId | None]
    typed: Mapped[str]
    understood: Mapped[str]
    among: Mapped[Str20]
    like: Mapped[Id | None]
    engine: Mapped[str] = mapped_column(String(80))
    documents: Mapped[int]
    found: Mapped[int]
    docnos: Mapped[list[Any]]
    searched_at: Mapped[datetime]
    __table_args__ = (
        Index("ix_search_campaign_id_topic", "campaign_id", "topic", "id"),
        CheckConstraint("among in ('all','mine','new','pooled')", "among"),
    )


class SearchEventRow(Base):
    """What became of a search, never changed: how far it was shown, what was opened, judged or added.

    `rank` counts from 1: the last one shown, or that of the document. `judgment_event_id` is the judgment.
    """

    __tablename__ = "search_event"
    id: Mapped[RowKey]
    search_id: Mapped[int] = mapped_column(ForeignKey("search.id"), index=True)
    happening: Mapped[Str20]
    rank: Mapped[int]
    docno: Mapped[Id | None]
    judgment_event_id: Mapped[int | None] = mapped_column(ForeignKey("judgment_event.id"), index=True)
    at: Mapped[datetime]
    __table_args__ = (
        CheckConstraint("happening in ('shown','opened','judged','added')", "happening"),
        CheckConstraint("(happening = 'shown') = (docno is null)", "docno_unless_shown"),
    )


class MissedSampleRow(Base):
    """A random sample of the documents that were neither pooled nor judged for a topic, never changed.

    `collection` documents were there, of them `known` pooled or judged, which may name others too, and
    `unpooled` neither. `docnos` are in the order in which they were drawn. The last row of a topic counts.
    """

    __tablename__ = "missed_sample"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId]
    pool_id: Mapped[PoolId]
    topic: Mapped[Id]
    seed: Mapped[int]
    collection: Mapped[int]
    unpooled: Mapped[int]
    known: Mapped[list[Any]]
    docnos: Mapped[list[Any]]
    drawn_by: Mapped[AccountId | None]
    drawn_at: Mapped[datetime]
    __table_args__ = (
        Index("ix_missed_sample_campaign_id_topic", "campaign_id", "topic", "id"),
        CheckConstraint("unpooled > 0 and unpooled <= collection", "unpooled"),
    )
