"""Table of results that were computed once and that every process may read."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base


class ComputedResultRow(Base):
    """A result by the hash of all that it was computed from; it never changes, and may be deleted any time.

    `size` is that of the content in bytes, before it in the row, so that adding up sizes reads no content.
    """

    __tablename__ = "computed_result"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    used_at: Mapped[datetime]
    size: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    __table_args__ = (Index("ix_computed_result_used_at_size", "used_at", "size"),)
