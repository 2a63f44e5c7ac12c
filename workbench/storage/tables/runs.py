"""Tables of runs: groups, runs, packed forms, uploaded files that were checked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, Id, RowId


class GroupRow(Base):
    """A group that submits runs."""

    __tablename__ = "run_group"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    name: Mapped[str] = mapped_column(String(120))
    created_at: Mapped[datetime]
    __table_args__ = (UniqueConstraint("campaign_id", "name"),)


class GroupMemberRow(Base):
    """An account that submits runs for a group; it is a participant of the campaign."""

    __tablename__ = "group_member"
    group_id: Mapped[int] = mapped_column(ForeignKey("run_group.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)


class RunRow(Base):
    """A run: its file, compressed and byte-exact, the warnings of its check, and its metadata.

    A replaced run is kept; only one run of a tag is current. `kind` is automatic or manual, `verdict` is the
    organiser's. What it costs, a time and a size, is as its group says.
    """

    __tablename__ = "run"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    tag: Mapped[str] = mapped_column(Id)
    file_name: Mapped[str] = mapped_column(Text)
    sha256: Mapped[str] = mapped_column(String(64))  # of the uncompressed file
    topics: Mapped[int]
    lines: Mapped[int]
    warnings: Mapped[list[Any]]
    added_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    added_at: Mapped[datetime]
    group_id: Mapped[int | None] = mapped_column(ForeignKey("run_group.id"))
    kind: Mapped[str | None] = mapped_column(String(20))
    description: Mapped[str] = mapped_column(Text, default="")
    priority: Mapped[int | None]  # 1 is pooled first
    verdict: Mapped[str] = mapped_column(String(20), default="accepted")
    verdict_reason: Mapped[str] = mapped_column(Text, default="")
    verdict_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    verdict_at: Mapped[datetime | None]
    replaced_at: Mapped[datetime | None]
    seconds_per_query: Mapped[float | None]
    index_bytes: Mapped[int | None] = mapped_column(BigInteger)
    # The last, since SQLite passes through a value to reach the next one.
    content_gzip: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
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
    records: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)


class CheckedFileRow(Base):
    """An uploaded run file that was checked and not added yet; `batch` groups the files of an upload.

    It has no content if the check stopped before the end of the file.
    """

    __tablename__ = "checked_file"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    batch: Mapped[str] = mapped_column(String(64))
    file_name: Mapped[str] = mapped_column(Text)
    content_gzip: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)
    sha256: Mapped[str | None] = mapped_column(String(64))
    report: Mapped[dict[str, Any]]
    group_id: Mapped[int | None] = mapped_column(ForeignKey("run_group.id"))
    added_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    added_at: Mapped[datetime] = mapped_column(index=True)
    kept_at: Mapped[datetime | None]
    __table_args__ = (Index("ix_checked_file_batch", "campaign_id", "batch", "id"),)
