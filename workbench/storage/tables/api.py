"""Tables of the API: personal access tokens, and what was answered under an idempotency key."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, RowId


class AccessTokenRow(Base):
    """A token by which a program acts for an account; only its hash is stored.

    `scopes` are names with a space between two; `used_at` is right to the minute.
    """

    __tablename__ = "access_token"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(80))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class RepeatableRequestRow(Base):
    """A request under an idempotency key of an account; `status` is None until it is answered.

    `fingerprint` is the SHA-256 of what was asked, `answer` the JSON of the response, None where that had a
    secret in it.
    """

    __tablename__ = "repeatable_request"
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(100), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    begun_at: Mapped[datetime] = mapped_column(index=True)
    status: Mapped[int | None]
    answer: Mapped[str | None] = mapped_column(Text)
