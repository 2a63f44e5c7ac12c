"""Tables of searches, what became of their documents, samples of the unpooled, and drafts of topics."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, Id, RowId


class SearchRow(Base):
    """A search of the collection for a topic, never changed: as typed, as understood, and its first docnos.

    `topic` is empty where it was made for the draft of one, which `draft_search` names.
    `like` is the document that others were to be like, in place of words. `documents` were in the index,
    `found` of them matched.
    """

    __tablename__ = "search"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    topic: Mapped[str] = mapped_column(Id)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    assignment_id: Mapped[int | None] = mapped_column(ForeignKey("assignment.id"))
    typed: Mapped[str] = mapped_column(Text)
    understood: Mapped[str] = mapped_column(Text)
    among: Mapped[str] = mapped_column(String(20))
    like: Mapped[str | None] = mapped_column(Id)
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
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    search_id: Mapped[int] = mapped_column(ForeignKey("search.id"), index=True)
    happening: Mapped[str] = mapped_column(String(20))
    rank: Mapped[int]
    docno: Mapped[str | None] = mapped_column(Id)
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
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    pool_id: Mapped[int] = mapped_column(ForeignKey("pool.id"))
    topic: Mapped[str] = mapped_column(Id)
    seed: Mapped[int]
    collection: Mapped[int]
    unpooled: Mapped[int]
    known: Mapped[list[Any]]
    docnos: Mapped[list[Any]]
    drawn_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    drawn_at: Mapped[datetime]
    __table_args__ = (
        Index("ix_missed_sample_campaign_id_topic", "campaign_id", "topic", "id"),
        CheckConstraint("unpooled > 0 and unpooled <= collection", "unpooled"),
    )


class TopicDraftRow(Base):
    """A topic that somebody develops, numbered in its campaign; `revision` counts changes of its statement.

    `state` is open, aside (put aside, for `reason`) or accepted (into the campaign, as `topic`); by whom and
    when that was decided stands beside it. `kept_in` is the pool that took its judgments. `client_id` is the
    browser's own, by which a draft is made once.
    """

    __tablename__ = "topic_draft"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    number: Mapped[int]
    client_id: Mapped[str] = mapped_column(String(64))
    author_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    title: Mapped[str] = mapped_column(Text, default="")
    description: Mapped[str] = mapped_column(Text, default="")
    narrative: Mapped[str] = mapped_column(Text, default="")
    revision: Mapped[int] = mapped_column(default=0)
    state: Mapped[str] = mapped_column(String(20), default="open")
    reason: Mapped[str] = mapped_column(Text, default="")
    topic: Mapped[str | None] = mapped_column(Id)
    kept_in: Mapped[int | None] = mapped_column(ForeignKey("pool.id"))
    begun_at: Mapped[datetime]
    decided_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    decided_at: Mapped[datetime | None]
    __table_args__ = (
        UniqueConstraint("campaign_id", "number"),
        UniqueConstraint("campaign_id", "client_id"),
        CheckConstraint("state in ('open','aside','accepted')", "state"),
        CheckConstraint("(state = 'accepted') = (topic is not null)", "topic_if_accepted"),
    )


class DraftSearchRow(Base):
    """The draft of a topic for which a search was made."""

    __tablename__ = "draft_search"
    search_id: Mapped[int] = mapped_column(ForeignKey("search.id"), primary_key=True)
    draft_id: Mapped[int] = mapped_column(ForeignKey("topic_draft.id"), index=True)


class DraftJudgmentRow(Base):
    """A grade that the author of a draft gave a document, never changed; the latest of a document counts.

    `rank` is that of the document in the search, `document_sha256` the text that was shown.
    """

    __tablename__ = "draft_judgment"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    draft_id: Mapped[int] = mapped_column(ForeignKey("topic_draft.id"))
    search_id: Mapped[int] = mapped_column(ForeignKey("search.id"), index=True)
    rank: Mapped[int]
    docno: Mapped[str] = mapped_column(Id)
    grade: Mapped[int]
    document_sha256: Mapped[str | None] = mapped_column(String(64))
    client_id: Mapped[str] = mapped_column(String(64))
    judged_at: Mapped[datetime]
    __table_args__ = (
        UniqueConstraint("draft_id", "client_id"),
        CheckConstraint("grade >= 0", "grade_not_negative"),
    )
