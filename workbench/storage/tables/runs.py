"""Tables of runs: groups, runs, packed forms, uploaded files that were checked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import (
    AccountId,
    Base,
    BigInt,
    CampaignId,
    Content,
    GroupId,
    Id,
    JsonObject,
    RowKey,
    Str20,
    Str64,
    Str120,
    Words,
)


class GroupRow(Base):
    """A group that submits runs."""

    __tablename__ = "run_group"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId]
    name: Mapped[Str120]
    created_at: Mapped[datetime]
    __table_args__ = (UniqueConstraint("campaign_id", "name"),)


class GroupMemberRow(Base):
    """An account that submits runs for a group; it is a participant of the campaign."""

    __tablename__ = "group_member"
    group_id: Mapped[GroupId] = mapped_column(primary_key=True)
    account_id: Mapped[AccountId] = mapped_column(primary_key=True, index=True)


class RunRow(Base):
    """A run: its file, compressed and byte-exact, the warnings of its check, and its metadata.

    A replaced run is kept; only one run of a tag is current. `kind` is automatic or manual, `verdict` is the
    organiser's. What it costs, a time and a size, is as its group says.
    """

    __tablename__ = "run"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId]
    tag: Mapped[Id]
    file_name: Mapped[str]
    sha256: Mapped[Str64]  # of the uncompressed file
    topics: Mapped[int]
    lines: Mapped[int]
    warnings: Mapped[list[Any]]
    added_by: Mapped[AccountId | None]
    added_at: Mapped[datetime]
    group_id: Mapped[GroupId | None]
    kind: Mapped[Str20 | None]
    description: Mapped[Words]
    priority: Mapped[int | None]  # 1 is pooled first
    verdict: Mapped[Str20] = mapped_column(default="accepted")
    verdict_reason: Mapped[Words]
    verdict_by: Mapped[AccountId | None]
    verdict_at: Mapped[datetime | None]
    replaced_at: Mapped[datetime | None]
    seconds_per_query: Mapped[float | None]
    index_bytes: Mapped[BigInt | None]
    # The last, since SQLite passes through a value to reach the next one.
    content_gzip: Mapped[Content]
    __table_args__ = (
        Index(
            "uq_run_tag_that_holds",
            "campaign_id",
            "tag",
            unique=True,
            sqlite_where=text("replaced_at is null"),
            postgresql_where=text("replaced_at is null"),
        ),
        CheckConstraint("kind is null or kind in ('automatic','manual')", "kind"),
        CheckConstraint("priority is null or priority >= 1", "priority"),
        CheckConstraint("verdict in ('received','accepted','set_aside')", "verdict"),
        CheckConstraint("seconds_per_query is null or seconds_per_query > 0", "seconds_per_query"),
        CheckConstraint("index_bytes is null or index_bytes > 0", "index_bytes"),
    )


class PackedRunRow(Base):
    """A run in a form that is fast to read, derived from its file.

    `topics` lists [topic, documents]; `records` are the documents as arrays, each of `width` bytes.
    """

    __tablename__ = "packed_run"
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    width: Mapped[int]
    topics: Mapped[list[Any]] = mapped_column(deferred=True)
    records: Mapped[Content]


class CheckedFileRow(Base):
    """An uploaded run file that was checked and not added yet; `batch` groups the files of an upload.

    It has no content if the check stopped before the end of the file.
    """

    __tablename__ = "checked_file"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId]
    batch: Mapped[Str64]
    file_name: Mapped[str]
    content_gzip: Mapped[Content | None]
    sha256: Mapped[Str64 | None]
    report: Mapped[JsonObject]
    group_id: Mapped[GroupId | None]
    added_by: Mapped[AccountId | None]
    added_at: Mapped[datetime] = mapped_column(index=True)
    kept_at: Mapped[datetime | None]
    __table_args__ = (Index("ix_checked_file_batch", "campaign_id", "batch", "id"),)
