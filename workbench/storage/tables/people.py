"""Tables of people: accounts, sessions, roles and invitations."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import CheckConstraint, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import (
    AccountId,
    Base,
    BigInt,
    CampaignId,
    CampaignKey,
    Count,
    GroupId,
    JsonObject,
    OwnerId,
    RowId,
    RowKey,
    Str20,
    Str64,
    Str120,
    Str200,
    Str254,
)

ROLES = "role in ('organiser','assessor','adjudicator','viewer','participant')"


class AccountRow(Base):
    """A person who can sign in.

    Messages go to the `address`, None until one is confirmed; `new_address` waits for that. `app_secret` is
    that of an authenticator app, in Base32 as the app takes it; nothing is asked of its owner until a code
    has confirmed it. `last_step` counts the periods of 30 seconds since 1970 up to that of the last code that
    was used, so that no code works twice. `recovery_hashes` has the hash of each recovery code that was not
    used yet, one a line.
    """

    __tablename__ = "account"
    id: Mapped[RowKey]
    login: Mapped[Str120] = mapped_column(unique=True)  # case-folded
    name: Mapped[Str120]
    password_hash: Mapped[str] = mapped_column(String(255))
    administrator: Mapped[bool] = mapped_column(default=False)  # may create campaigns and accounts
    created_at: Mapped[datetime]
    disabled_at: Mapped[datetime | None]
    desk: Mapped[JsonObject] = mapped_column(default=dict)  # the judging desk: keys, text size
    address: Mapped[Str254 | None] = mapped_column(index=True)
    new_address: Mapped[Str254 | None]
    app_secret: Mapped[str | None] = mapped_column(String(64), deferred=True)
    app_confirmed_at: Mapped[datetime | None]
    last_step: Mapped[BigInt] = mapped_column(default=0, server_default="0")
    recovery_hashes: Mapped[str] = mapped_column(default="", server_default="", deferred=True)


class SessionRow(Base):
    """A signed-in browser; only the hash of its token is stored.

    `browser` is what it calls itself, `network` the beginning of the address from which it was opened;
    `used_at` is when it was last used, to the hour.
    """

    __tablename__ = "session"
    token_hash: Mapped[Str64] = mapped_column(primary_key=True)
    account_id: Mapped[OwnerId] = mapped_column(index=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    browser: Mapped[Str200] = mapped_column(default="")
    network: Mapped[Str64] = mapped_column(default="")
    used_at: Mapped[datetime | None]


class OneTimeTokenRow(Base):
    """What opens one thing once until it expires; only the hash of the token is stored.

    `opens` says what: the reset of a password, a new mail address, or the sign-in whose code is awaited.
    """

    __tablename__ = "one_time_token"
    token_hash: Mapped[Str64] = mapped_column(primary_key=True)
    account_id: Mapped[OwnerId] = mapped_column(index=True)
    opens: Mapped[Str20]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    __table_args__ = (CheckConstraint("opens in ('reset','address','sign-in')", "opens"),)


class SignInAttemptRow(Base):
    """A failed sign-in, stored for throttling; `address` may also say that somebody was signed in."""

    __tablename__ = "sign_in_attempt"
    id: Mapped[RowKey]
    login: Mapped[Str120] = mapped_column(index=True)
    address: Mapped[Str64] = mapped_column(index=True)
    at: Mapped[datetime] = mapped_column(index=True)


class OpenIdIdentityRow(Base):
    """Somebody at an OpenID provider who signs in to an account; an account has one of a provider.

    `known_as` is by what its owner recognises it, and identifies nobody.
    """

    __tablename__ = "openid_identity"
    issuer: Mapped[str] = mapped_column(String(255), primary_key=True)
    subject: Mapped[str] = mapped_column(String(255), primary_key=True)
    account_id: Mapped[OwnerId]
    known_as: Mapped[Str254] = mapped_column(default="")
    linked_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    __table_args__ = (UniqueConstraint("account_id", "issuer"),)


class MemberRow(Base):
    """A role of an account in a campaign; one account may have several."""

    __tablename__ = "member"
    campaign_id: Mapped[CampaignKey]
    account_id: Mapped[AccountId] = mapped_column(primary_key=True, index=True)
    role: Mapped[Str20] = mapped_column(primary_key=True)
    __table_args__ = (CheckConstraint(ROLES, "role"),)


class InvitationRow(Base):
    """A link by which a person joins a campaign in a role; only the hash of its token is stored.

    `form` names the form that made it: the same form sent twice makes no second invitation. `mailed_to` is
    the address to which the link went, where nobody else has it.
    """

    __tablename__ = "invitation"
    id: Mapped[RowKey]
    campaign_id: Mapped[CampaignId] = mapped_column(index=True)
    role: Mapped[Str20]
    note: Mapped[Str200] = mapped_column(default="")
    token_hash: Mapped[Str64] = mapped_column(unique=True)
    group_id: Mapped[GroupId | None]
    invited_by: Mapped[AccountId | None]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    used_by: Mapped[AccountId | None]
    withdrawn_at: Mapped[datetime | None]
    form: Mapped[Str64 | None]
    mailed_to: Mapped[Str254] = mapped_column(default="")
    __table_args__ = (CheckConstraint(ROLES, "role"),)


class AccessTokenRow(Base):
    """A token by which a program acts for an account; only its hash is stored.

    `scopes` are names with a space between two; `used_at` is right to the minute.
    """

    __tablename__ = "access_token"
    id: Mapped[RowKey]
    account_id: Mapped[OwnerId] = mapped_column(index=True)
    name: Mapped[str] = mapped_column(String(80))
    token_hash: Mapped[Str64] = mapped_column(unique=True)
    scopes: Mapped[Str200]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class RepeatableRequestRow(Base):
    """A request under an idempotency key of an account; `status` is None until it is answered.

    `fingerprint` is the SHA-256 of what was asked, `answer` the JSON of the response, None where that had a
    secret in it.
    """

    __tablename__ = "repeatable_request"
    account_id: Mapped[OwnerId] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(100), primary_key=True)
    fingerprint: Mapped[Str64]
    begun_at: Mapped[datetime] = mapped_column(index=True)
    status: Mapped[int | None]
    answer: Mapped[str | None]


class MailMessageRow(Base):
    """A message to be sent, and later that it was; it is written as it is sent, so no secret stands here.

    `asked` is what a person who forgot the password typed, until it is known whose it is. A message that is
    being sent is `claimed_until` then; `reason` is why the last attempt failed.
    """

    __tablename__ = "mail_message"
    id: Mapped[RowKey]
    kind: Mapped[Str20]
    address: Mapped[Str254] = mapped_column(default="")
    asked: Mapped[Str254] = mapped_column(default="")
    account_id: Mapped[OwnerId | None] = mapped_column(index=True)
    invitation_id: Mapped[int | None] = mapped_column(
        ForeignKey("invitation.id", ondelete="CASCADE"), index=True
    )
    campaign_id: Mapped[int | None] = mapped_column(ForeignKey("campaign.id", ondelete="CASCADE"), index=True)
    deadline: Mapped[date | None]
    state: Mapped[Str20] = mapped_column(default="waiting")
    created_at: Mapped[datetime]
    due_at: Mapped[datetime] = mapped_column(index=True)
    claimed_until: Mapped[datetime | None]
    tries: Mapped[Count]
    reason: Mapped[str] = mapped_column(String(300), default="")
    sent_at: Mapped[datetime | None]
    __table_args__ = (CheckConstraint("state in ('waiting','sent','failed','not needed')", "state"),)


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
    outcome: Mapped[Str20]
    campaign_id: Mapped[int | None] = mapped_column(RowId, index=True)
    request: Mapped[str] = mapped_column(String(32))
    details: Mapped[str]  # JSON, as it is hashed
    previous: Mapped[Str64]
    hash: Mapped[Str64]
