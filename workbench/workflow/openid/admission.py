"""Admission: who may come in after signing in at the provider, and with which account.

- Whoever linked it: with that account.
- Whoever has an invitation: with that account, or with a new one.
- Whoever has a verified e-mail address in one of the allowed domains: with a new account without campaigns.
- Nobody else.

A new account has no password. Its login name is made of what the provider calls the person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from sqlalchemy.orm import Session

from workbench.errors import Conflict, InvalidInput
from workbench.settings import OpenIdSettings
from workbench.workflow.openid.identities import (
    ProviderIdentity,
    link_identity,
    linked_identities,
    note_sign_in,
    owner_of,
)
from workbench.workflow.openid.refusals import NotSignedIn, SignInObstacle
from workbench.workflow.people.accounts import (
    LONGEST_NAME,
    Account,
    account_without_password,
    clean_name,
    create_account,
    fold_login,
    is_login_free,
    login_findings,
    name_findings,
)
from workbench.workflow.people.administration import require_account
from workbench.workflow.people.invitations import Offer, accept, offer_of
from workbench.workflow.people.mail_addresses import address_of, checked_address, set_address
from workbench.workflow.people.tokens import new_token

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
