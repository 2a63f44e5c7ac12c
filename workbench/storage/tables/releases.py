"""Tables of releases: what was frozen, its bytes in parts, and what was imported beside the rows."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import (
    AccountId,
    Base,
    BigInt,
    CampaignId,
    JsonObject,
    RowKey,
    Str64,
    Words,
)


class ReleaseRow(Base):
    """A release of a campaign; only its withdrawal and whether it is public can change, as triggers see to.

    `rule` and `figures` are for lists, `seed` ordered the pseudonyms that were new in it; the bytes stand in
    `ReleasePartRow`.
    """

    __tablename__ = "collection_release"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId]
    version: Mapped[str] = mapped_column(String(40))
    rule: Mapped[JsonObject]
    figures: Mapped[JsonObject]
    seed: Mapped[BigInt]
    sha256: Mapped[Str64]
    size: Mapped[BigInt]
    made_by: Mapped[AccountId | None]
    made_at: Mapped[datetime]
    public_at: Mapped[datetime | None]
    withdrawn_by: Mapped[AccountId | None]
    withdrawn_at: Mapped[datetime | None]
    withdrawn_reason: Mapped[Words]
    __table_args__ = (
        UniqueConstraint("campaign_id", "version"),
        CheckConstraint("(withdrawn_at is null) = (withdrawn_reason = '')", "reason_if_withdrawn"),
    )


class ReleasePartRow(Base):
    """A part of a release's zip, by number from 0; never changed."""

    __tablename__ = "release_part"
    release_id: Mapped[int] = mapped_column(ForeignKey("collection_release.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    content: Mapped[bytes]
