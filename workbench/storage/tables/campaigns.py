"""Tables of what a campaign is about: topics, documents, what the collection holds."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, Id, RowId


class CampaignRow(Base):
    """One test collection in the making."""

    __tablename__ = "campaign"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    slug: Mapped[str] = mapped_column(String(80), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    scale: Mapped[dict[str, Any]]
    guidelines: Mapped[str] = mapped_column(Text, default="")
    illustrative: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    run_rules: Mapped[dict[str, Any]] = mapped_column(default=dict)  # what a run must keep to
    seconds_a_pair: Mapped[float | None]  # a stated guess, for planning
    desk_rules: Mapped[dict[str, Any]] = mapped_column(default=dict)  # questions, probes, breaks
    adjudication_rules: Mapped[dict[str, Any]] = mapped_column(default=dict)  # what is disputed, how shown


class CollectionListRow(Base):
    """The docnos that the collection has, one a line, compressed; a run's are checked against it."""

    __tablename__ = "collection_list"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    file_name: Mapped[str] = mapped_column(Text)
    content_gzip: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    sha256: Mapped[str] = mapped_column(String(64))  # of the uncompressed list
    docnos: Mapped[int]
    added_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    added_at: Mapped[datetime]


class TopicRow(Base):
    """A topic of a campaign, in the order of its file."""

    __tablename__ = "topic"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    topic: Mapped[str] = mapped_column(Id, primary_key=True)
    position: Mapped[int]
    title: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text, default="")
    narrative: Mapped[str] = mapped_column(Text, default="")
    subtopics: Mapped[list[Any]] = mapped_column(default=list)  # [id, label], to be ticked while judging


class DocumentRow(Base):
    """A document's text as it is shown; `sha256` is of title and text, and goes with every judgment."""

    __tablename__ = "document"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    docno: Mapped[str] = mapped_column(Id, primary_key=True)
    title: Mapped[str] = mapped_column(Text, default="")
    text: Mapped[str] = mapped_column(Text, default="")
    sha256: Mapped[str] = mapped_column(String(64))


class DocumentSketchRow(Base):
    """A document's sketch, by which near-duplicates are found; of the text with this hash."""

    __tablename__ = "document_sketch"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    docno: Mapped[str] = mapped_column(Id, primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64))
    sketch: Mapped[bytes] = mapped_column(LargeBinary)


class KnownAnswerRow(Base):
    """A pair whose right grade is known: planted among the others, or for training with a word on why."""

    __tablename__ = "known_answer"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    topic: Mapped[str] = mapped_column(Id, primary_key=True)
    docno: Mapped[str] = mapped_column(Id, primary_key=True)
    purpose: Mapped[str] = mapped_column(String(20), primary_key=True)
    grade: Mapped[int]
    feedback: Mapped[str] = mapped_column(Text, default="")
    added_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    added_at: Mapped[datetime]
    __table_args__ = (
        CheckConstraint("purpose in ('planted','training')", "purpose"),
        CheckConstraint("grade >= 0", "grade_not_negative"),
    )
