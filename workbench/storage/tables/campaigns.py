"""Tables of campaigns: topics, documents, the list of docnos in the collection, known answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import (
    AccountId,
    Base,
    CampaignId,
    CampaignKey,
    Content,
    Count,
    Id,
    IdKey,
    JsonObject,
    PackedText,
    RowKey,
    Str20,
    Str64,
    Str200,
    Words,
)


class CampaignRow(Base):
    """A campaign, which builds one test collection.

    `origin` is what the release that it was imported from says, and no other row can hold: `documents` (docno
    to the hash of a text that is not here), `runs` (whose files are not here) and `undrawn` (by pool, what
    its sample left).
    """

    __tablename__ = "campaign"
    id: Mapped[RowKey]
    slug: Mapped[str] = mapped_column(String(80), unique=True)
    name: Mapped[Str200]
    scale: Mapped[JsonObject]
    guidelines: Mapped[Words]
    instructions: Mapped[int] = mapped_column(default=1)  # the version of scale and guidelines
    illustrative: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    run_rules: Mapped[JsonObject] = mapped_column(default=dict)  # what is checked in runs
    desk_rules: Mapped[JsonObject] = mapped_column(default=dict)  # questions, probes, breaks
    adjudication_rules: Mapped[JsonObject] = mapped_column(default=dict)  # what counts as disputed
    archived_at: Mapped[datetime | None]  # nothing can be changed while it is set
    documents: Mapped[Count]  # rows of `document`, kept by whoever writes these
    document_changes: Mapped[Count] = mapped_column(server_default="0")  # for search indexes
    origin: Mapped[JsonObject | None] = mapped_column(deferred=True)


class InstructionsRow(Base):
    """What assessors were told from a moment on: a version of a campaign's guidelines and scale, from 1."""

    __tablename__ = "instructions"
    campaign_id: Mapped[CampaignKey]
    version: Mapped[int] = mapped_column(primary_key=True)
    guidelines: Mapped[str]
    scale: Mapped[JsonObject]
    saved_by: Mapped[AccountId | None]
    saved_at: Mapped[datetime]


class CollectionListRow(Base):
    """The docnos of the collection, one per line, compressed; runs are checked against them."""

    __tablename__ = "collection_list"
    campaign_id: Mapped[CampaignKey]
    file_name: Mapped[str]
    content_gzip: Mapped[Content]
    sha256: Mapped[Str64]  # of the uncompressed list
    docnos: Mapped[int]
    added_by: Mapped[AccountId | None]
    added_at: Mapped[datetime]


class TopicRow(Base):
    """A topic of a campaign, in the order of its file."""

    __tablename__ = "topic"
    campaign_id: Mapped[CampaignKey]
    topic: Mapped[IdKey]
    position: Mapped[int]
    title: Mapped[str]
    description: Mapped[Words]
    narrative: Mapped[Words]
    subtopics: Mapped[list[Any]] = mapped_column(default=list)  # [id, label], for assessors to tick


class DocumentRow(Base):
    """A document's text as shown; `sha256` is of title and text, and is stored with every judgment.

    `sketch` is of the text, for finding near-duplicates: made where it is first looked for, null before.
    """

    __tablename__ = "document"
    campaign_id: Mapped[CampaignKey]
    docno: Mapped[IdKey]
    title: Mapped[Words]
    sha256: Mapped[Str64]
    sketch: Mapped[Content | None]
    text: Mapped[str] = mapped_column(PackedText, default="")


class OriginalRow(Base):
    """The bytes that a document was read from, or under its address an image that pages show.

    `sha256` is of these bytes, `size` their number, null where only the hash is known. `content` is
    compressed where `packed`, and null where another row of the campaign with this hash has it: bytes are
    stored once.
    `shown` is what a browser gets, where that is not `content` itself, and empty where the other row has it;
    `address` is what pages call it.
    """

    __tablename__ = "original"
    campaign_id: Mapped[CampaignKey]
    docno: Mapped[IdKey]
    media_type: Mapped[str] = mapped_column(String(100))
    charset: Mapped[str] = mapped_column(String(100), default="")
    address: Mapped[Id] = mapped_column(default="")
    sha256: Mapped[Str64]
    size: Mapped[int | None]
    packed: Mapped[bool]
    content: Mapped[Content | None]
    shown: Mapped[Content | None]
    width: Mapped[int | None]
    height: Mapped[int | None]
    __table_args__ = (
        Index("ix_original_campaign_id_sha256", "campaign_id", "sha256"),
        Index("ix_original_campaign_id_address", "campaign_id", "address"),
    )


class KnownAnswerRow(Base):
    """A pair with an expected grade: planted among the others, or for training, with feedback."""

    __tablename__ = "known_answer"
    campaign_id: Mapped[CampaignKey]
    topic: Mapped[IdKey]
    docno: Mapped[IdKey]
    purpose: Mapped[Str20] = mapped_column(primary_key=True)
    grade: Mapped[int]
    feedback: Mapped[Words]
    added_by: Mapped[AccountId | None]
    added_at: Mapped[datetime]
    __table_args__ = (
        CheckConstraint("purpose in ('planted','training')", "purpose"),
        CheckConstraint("grade >= 0", "grade_not_negative"),
    )


class DocumentLoadRow(Base):
    """A load of documents that is not complete yet; it comes with the first portion and goes with the last.

    Of the `documents` of the file `loaded` are stored, the last of them at `moved_at`.
    """

    __tablename__ = "document_load"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId] = mapped_column(index=True)
    source: Mapped[Str200]
    documents: Mapped[int]
    loaded: Mapped[Count]
    moved_at: Mapped[datetime]
