"""Identities at the provider, the accounts that they are linked with, and who may come in with one.

At most one identity is linked with an account, and one account with an identity. After signing in at the
provider come in

- whoever linked it: with that account.
- whoever has an invitation: with that account, or with a new one.
- whoever has a verified e-mail address in one of the allowed domains: with a new account without campaigns.
- nobody else.

A new account has no password. Its login name is made of what the provider calls the person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, InvalidInput, NotFound
from workbench.frozen import frozen_dataclass
from workbench.settings import OpenIdSettings
from workbench.storage.tables import AccountRow, OpenIdIdentityRow
from workbench.workflow.clock import utc_now
from workbench.workflow.openid.refusals import NotSignedIn, SignInObstacle
from workbench.workflow.people.accounts import (
    LONGEST_NAME,
    Account,
    account_from,
    account_without_password,
    clean_name,
    create_account,
    fold_login,
    has_password,
    is_login_free,
    login_findings,
    name_findings,
    new_token,
)
from workbench.workflow.people.administration import require_account
from workbench.workflow.people.invitations import Offer, accept, offer_of
from workbench.workflow.people.mail_addresses import address_of, checked_address, set_address

LONGEST_KNOWN_AS = 254


@frozen_dataclass
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


@frozen_dataclass
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


_NOT_OF_LOGINS = re.compile(r"[^\w.@+-]+")
LONGEST_STEM = 100
MOST_NUMBERED = 20


def admitted(db: Session, identity: ProviderIdentity, settings: OpenIdSettings) -> Account:
    """The account of an identity; a new one if its address is in an allowed domain. Raises NotSignedIn."""
    account = _linked_account(db, identity, settings)
    if account is not None:
        note_sign_in(db, identity)
        return account
    if not _is_allowed(identity, settings):
        raise NotSignedIn(SignInObstacle.NOT_LINKED, settings.name)
    return _new_account(db, identity)


def admitted_by_invitation(
    db: Session,
    identity: ProviderIdentity,
    settings: OpenIdSettings,
    token: str,
) -> tuple[Account, Offer]:
    """The account of an identity, a new one if it has none, that has accepted an invitation.

    Raises NotSignedIn, and as `invitations.accept`.
    """
    offer_of(db, token)
    account = _linked_account(db, identity, settings)
    if account is None:
        account = _new_account(db, identity)
    else:
        note_sign_in(db, identity)
    return account, accept(db, token, account.id)


def link_own(
    db: Session,
    identity: ProviderIdentity,
    settings: OpenIdSettings,
    account_id: int,
) -> None:
    """Link an identity with the account of whoever is signed in and has entered the password.

    Raises NotSignedIn if either is linked with another.
    """
    owner = owner_of(db, identity)
    if owner is not None and owner.id == account_id:
        return
    if owner is not None:
        raise NotSignedIn(SignInObstacle.LINKED_ELSEWHERE, settings.name)
    if any(one.issuer == identity.issuer for one in linked_identities(db, account_id)):
        raise NotSignedIn(SignInObstacle.LINKED_ALREADY, settings.name)
    try:
        link_identity(db, identity, account_id)
    except Conflict:
        raise NotSignedIn(SignInObstacle.LINKED_ELSEWHERE, settings.name) from None


def _linked_account(db: Session, identity: ProviderIdentity, settings: OpenIdSettings) -> Account | None:
    account = owner_of(db, identity)
    if account is not None and require_account(db, account.id).disabled_at is not None:
        raise NotSignedIn(SignInObstacle.DISABLED, settings.name)
    return account


def _is_allowed(identity: ProviderIdentity, settings: OpenIdSettings) -> bool:
    name, _, domain = identity.address.rpartition("@")
    return identity.verified and bool(name) and domain.casefold() in settings.domains


def _new_account(db: Session, identity: ProviderIdentity) -> Account:
    login = next(one for one in _possible_logins(identity) if is_login_free(db, one))
    name = clean_name(identity.name)[:LONGEST_NAME].strip()
    shown = name if not name_findings(name) else login
    account = create_account(db, account_without_password(login, shown))
    link_identity(db, identity, account.id)
    note_sign_in(db, identity)
    if identity.verified and not address_of(db, account.id).address:
        # Without messages where this is no address that messages can be sent to.
        with suppress(InvalidInput):
            set_address(db, account.id, checked_address(identity.address))
    return account


def _possible_logins(identity: ProviderIdentity) -> Iterator[str]:
    for given in (identity.login, identity.address.partition("@")[0], identity.name):
        stem = _NOT_OF_LOGINS.sub(".", fold_login(given)).strip(".-+@_")[:LONGEST_STEM]
        if not login_findings(stem):
            yield stem
            yield from (f"{stem}-{number}" for number in range(2, MOST_NUMBERED))
    while True:
        yield f"person-{new_token()[:8]}".casefold()
