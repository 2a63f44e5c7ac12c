"""Tables of two-factor sign-in: the secret of an authenticator app, recovery codes, and sign-ins halfway."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base


class TwoFactorRow(Base):
    """The authenticator app of an account; nothing is asked of its owner until a code has confirmed it.

    `secret` is in Base32, as the app takes it; `last_step` counts the periods of 30 seconds since 1970 up to
    that of the last code that was used, so that no code works twice.
    """

    __tablename__ = "two_factor"
    account_id: Mapped[int] = mapped_column(
        ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    secret: Mapped[str] = mapped_column(String(64))
    confirmed_at: Mapped[datetime | None]
    last_step: Mapped[int] = mapped_column(BigInteger, default=0)


class RecoveryCodeRow(Base):
    """A recovery code that was not used yet; only its hash is stored."""

    __tablename__ = "recovery_code"
    code_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)


class CodeStepRow(Base):
    """A sign-in whose password was right and whose code is awaited; only the hash of its token is stored."""

    __tablename__ = "code_step"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime]
