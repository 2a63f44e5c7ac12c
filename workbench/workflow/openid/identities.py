"""Identities at the provider, and the accounts that they are linked with: at most one of each to one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.storage.tables import AccountRow, OpenIdIdentityRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import Account, account_from, has_password

LONGEST_KNOWN_AS = 254


@dataclass(frozen=True, slots=True)
class ProviderIdentity:
    """Who somebody is at the provider: issuer and subject; the rest may change from day to day.

    `verified` says that the provider has made sure of the e-mail address.
    """

    issuer: str
    subject: str
    name: str = ""
    login: str = ""
    address: str = ""
    verified: bool = False

    @property
    def known_as(self) -> str:
        """By what its owner recognises it."""
        found = (one for one in (self.address, self.login, self.name, self.subject) if one.isprintable())
        return next((one for one in found if one), "")[:LONGEST_KNOWN_AS]


@dataclass(frozen=True, slots=True)
class LinkedIdentity:
    """An identity that is linked with an account; `used_at` is None if nobody signed in with it yet."""

    login: str
    issuer: str
    known_as: str
    linked_at: datetime
    used_at: datetime | None


def owner_of(db: Session, identity: ProviderIdentity) -> Account | None:
    """The account with which an identity is linked, also a disabled one."""
    row = db.get(OpenIdIdentityRow, (identity.issuer, identity.subject))
    return account_from(db.get_one(AccountRow, row.account_id)) if row is not None else None


def link_identity(db: Session, identity: ProviderIdentity, account_id: int) -> None:
    """Let whoever is this identity sign in to an account.

    Raises Conflict if either is linked already.
    """
    db.add(
        OpenIdIdentityRow(
            issuer=identity.issuer,
            subject=identity.subject,
            account_id=account_id,
            known_as=identity.known_as,
            linked_at=utc_now(),
        )
    )
    try:
        db.flush()
    except IntegrityError:
        raise Conflict("the account is linked already", remedy="unlink it first") from None


def note_sign_in(db: Session, identity: ProviderIdentity) -> None:
    """Note that somebody signed in with a linked identity, and what it is called today."""
    row = db.get_one(OpenIdIdentityRow, (identity.issuer, identity.subject))
    row.used_at, row.known_as = utc_now(), identity.known_as
    db.flush()


def linked_identities(db: Session, account_id: int | None = None) -> tuple[LinkedIdentity, ...]:
    """The identities that are linked with an account, or with any, by login name."""
    rows = db.execute(
        select(OpenIdIdentityRow, AccountRow.login)
        .join(AccountRow, AccountRow.id == OpenIdIdentityRow.account_id)
        .where(*([OpenIdIdentityRow.account_id == account_id] if account_id is not None else []))
        .order_by(AccountRow.login, OpenIdIdentityRow.issuer)
    )
    return tuple(
        LinkedIdentity(login, row.issuer, row.known_as, row.linked_at, row.used_at) for row, login in rows
    )


def unlink_identities(db: Session, account_id: int) -> int:
    """Remove every link of an account with an identity, and return their number.

    Raises NotFound if there is none; Conflict if nobody could sign in to the account afterwards.
    """
    # Locked, so that a password is not taken away meanwhile.
    db.get_one(AccountRow, account_id, with_for_update=True)
    if not has_password(db, account_id):
        message = "without a password, nobody could sign in to this account any more"
        raise Conflict(message, remedy="set a password first, by a link that an administrator creates")
    removed = delete(OpenIdIdentityRow).where(OpenIdIdentityRow.account_id == account_id)
    number = len(db.scalars(removed.returning(OpenIdIdentityRow.subject)).all())
    if not number:
        raise NotFound("this account is not linked with an identity of a provider")
    return number
