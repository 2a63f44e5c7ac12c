"""Tables of people: accounts, sessions, roles and invitations."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base, RowId

ROLES = "role in ('organiser','assessor','adjudicator','viewer','participant')"


class AccountRow(Base):
    """A person who can sign in."""

    __tablename__ = "account"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    login: Mapped[str] = mapped_column(String(120), unique=True)  # case-folded
    name: Mapped[str] = mapped_column(String(120))
    password_hash: Mapped[str] = mapped_column(String(255))
    administrator: Mapped[bool] = mapped_column(default=False)  # may create campaigns and accounts
    created_at: Mapped[datetime]
    disabled_at: Mapped[datetime | None]
    desk: Mapped[dict[str, Any]] = mapped_column(default=dict)  # the judging desk: keys, text size


class SessionRow(Base):
    """A signed-in browser; only the hash of its token is stored.

    `browser` is what it calls itself, `network` the beginning of the address from which it was opened;
    `used_at` is when it was last used, to the hour.
    """

    __tablename__ = "session"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    browser: Mapped[str] = mapped_column(String(200), default="")
    network: Mapped[str] = mapped_column(String(64), default="")
    used_at: Mapped[datetime | None]


class PasswordResetRow(Base):
    """A link by which an account gets another password, once; only the hash of its token is stored."""

    __tablename__ = "password_reset"
    account_id: Mapped[int] = mapped_column(
        ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime]


class SignInAttemptRow(Base):
    """A failed sign-in, stored for throttling; `address` may also say that somebody was signed in."""

    __tablename__ = "sign_in_attempt"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    login: Mapped[str] = mapped_column(String(120), index=True)
    address: Mapped[str] = mapped_column(String(64), index=True)
    at: Mapped[datetime] = mapped_column(index=True)


class OpenIdIdentityRow(Base):
    """Somebody at an OpenID provider who signs in to an account; an account has one of a provider.

    `known_as` is by what its owner recognises it, and identifies nobody.
    """

    __tablename__ = "openid_identity"
    issuer: Mapped[str] = mapped_column(String(255), primary_key=True)
    subject: Mapped[str] = mapped_column(String(255), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"))
    known_as: Mapped[str] = mapped_column(String(254), default="")
    linked_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    __table_args__ = (UniqueConstraint("account_id", "issuer"),)


class MemberRow(Base):
    """A role of an account in a campaign; one account may have several."""

    __tablename__ = "member"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(20), primary_key=True)
    __table_args__ = (CheckConstraint(ROLES, "role"),)


class InvitationRow(Base):
    """A link by which a person joins a campaign in a role; only the hash of its token is stored.

    `form` names the form that made it: the same form sent twice makes no second invitation. `mailed_to` is
    the address to which the link went, where nobody else has it.
    """

    __tablename__ = "invitation"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    role: Mapped[str] = mapped_column(String(20))
    note: Mapped[str] = mapped_column(String(200), default="")
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    group_id: Mapped[int | None] = mapped_column(ForeignKey("run_group.id"))
    invited_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    used_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    withdrawn_at: Mapped[datetime | None]
    form: Mapped[str | None] = mapped_column(String(64))
    mailed_to: Mapped[str] = mapped_column(String(254), default="")
    __table_args__ = (CheckConstraint(ROLES, "role"),)
