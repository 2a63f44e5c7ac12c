"""The table of the audit trail."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, RowId


class TrailRow(Base):
    """One administrative act, sign-in or refusal; triggers refuse every change.

    It refers to accounts and campaigns by number only, and stays when they are deleted. `hash` is that of the
    entry together with `previous`, the one of the entry before.
    """

    __tablename__ = "trail"
    id: Mapped[int] = mapped_column(RowId, primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(index=True)
    account_id: Mapped[int | None] = mapped_column(RowId, index=True)
    act: Mapped[str] = mapped_column(String(80))
    outcome: Mapped[str] = mapped_column(String(20))
    campaign_id: Mapped[int | None] = mapped_column(RowId, index=True)
    request: Mapped[str] = mapped_column(String(32))
    details: Mapped[str] = mapped_column(Text)  # JSON, as it is hashed
    previous: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))
