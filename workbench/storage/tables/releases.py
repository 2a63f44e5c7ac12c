"""Tables of releases: what was frozen, its bytes in parts, and what was imported beside the rows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, RowId


class ReleaseRow(Base):
    """A release of a campaign; only its withdrawal and whether it is public can change, as triggers see to.

    `rule` and `figures` are for lists, `seed` ordered the pseudonyms that were new in it; the bytes stand in
    `ReleasePartRow`.
    """

    __tablename__ = "collection_release"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    version: Mapped[str] = mapped_column(String(40))
    rule: Mapped[dict[str, Any]]
    figures: Mapped[dict[str, Any]]
    seed: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime]
    public_at: Mapped[datetime | None]
    withdrawn_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    withdrawn_at: Mapped[datetime | None]
    withdrawn_reason: Mapped[str] = mapped_column(Text, default="")
    __table_args__ = (
        UniqueConstraint("campaign_id", "version"),
        CheckConstraint("(withdrawn_at is null) = (withdrawn_reason = '')", "reason_if_withdrawn"),
    )


class ReleasePartRow(Base):
    """A part of a release's zip, by number from 0; never changed."""

    __tablename__ = "release_part"
    release_id: Mapped[int] = mapped_column(ForeignKey("collection_release.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class ReleaseOriginRow(Base):
    """What the release that a campaign was imported from says, and no other row can hold.

    `contents` has `documents` (docno to the hash of a text that is not here), `runs` (whose files are not
    here) and `undrawn` (by pool, what its sample left).
    """

    __tablename__ = "release_origin"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64))
    contents: Mapped[dict[str, Any]]
    imported_at: Mapped[datetime]
