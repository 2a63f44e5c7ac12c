"""Who may come in: the linked, the invited, and the owners of verified addresses in allowed domains."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tests.openid import CLIENT, ISSUER, NAME, SECRET, SITE
from workbench.errors import Conflict, NotFound
from workbench.settings import OpenIdSettings
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, MemberRow, OpenIdIdentityRow
from workbench.workflow.openid.identities import (
    ProviderIdentity,
    admitted,
    link_identity,
    link_own,
    linked_identities,
    unlink_identities,
)
from workbench.workflow.openid.refusals import NotSignedIn, SignInObstacle
from workbench.workflow.people.accounts import account_without_password, create_account, has_password
from workbench.workflow.people.signing_in import set_password
from workbench.workflow.upkeep.erasure import erase_person

SETTINGS = OpenIdSettings(ISSUER, CLIENT, SECRET, NAME, SITE, ("example.org",))


def person(subject: str = "248289", **said: str) -> ProviderIdentity:
    address = said.pop("address", "ada@example.org")
    return ProviderIdentity(ISSUER, subject, address=address, verified=True, **said)


def test_a_verified_address_in_an_allowed_domain_gets_an_account_without_campaigns(db: Session) -> None:
    account = admitted(db, person(name="Ada Lovelace", login="ada", address="ada@EXAMPLE.org"), SETTINGS)
    assert (account.login, account.name, account.administrator) == ("ada", "Ada Lovelace", False)
    assert db.scalar(select(func.count()).select_from(MemberRow)) == 0
    assert not has_password(db, account.id)
    # Where the reset link goes by which she may choose a password.
    assert db.get_one(AccountRow, account.id).address == "ada@example.org"
    # The next time it is the same account, whatever the provider calls her by then.
    again = admitted(db, person(name="A. King", login="king", address="king@example.com"), SETTINGS)
    assert again == account
    assert [one.known_as for one in linked_identities(db, account.id)] == ["king@example.com"]
    # The same subject at another provider is somebody else.
    other = ProviderIdentity("https://other.example.org", "248289")
    with pytest.raises(NotSignedIn):
        admitted(db, other, SETTINGS)


@pytest.mark.parametrize(
    "identity",
    [
        ProviderIdentity(ISSUER, "1", address="ada@example.org", verified=False),
        person(address="ada@sub.example.org"),
        person(address="ada@example.org.evil.net"),
        person(address="ada@evil.net, ada@example.com"),
        person(address="example.org"),
        person(address="@example.org"),
        person(address=""),
    ],
)
def test_any_other_address_gets_none(identity: ProviderIdentity, db: Session) -> None:
    with pytest.raises(NotSignedIn) as refused:
        admitted(db, identity, SETTINGS)
    assert refused.value.obstacle is SignInObstacle.NOT_LINKED
    assert db.scalar(select(func.count()).select_from(AccountRow)) == 0


def test_login_names_are_made_of_what_the_provider_says_and_never_those_of_others(db: Session) -> None:
    logins = []
    for subject, said in enumerate(
        (
            {"login": "Ada"},
            {"login": "ada"},
            {"login": " ADA "},
            {"login": "EXAMPLE\\ada king"},
            {"login": "…", "name": "Zoë Ω"},
            {"login": "\0", "address": "@example.org,x@example.org"},
        )
    ):
        logins.append(admitted(db, person(str(subject), **said), SETTINGS).login)
    assert logins[:4] == ["ada", "ada-2", "ada-3", "example.ada.king"]
    assert len(set(logins)) == 6
    assert logins[4] == "ada-4"  # of the address


def test_unlinking_leaves_a_way_in(db: Session) -> None:
    account = admitted(db, person(login="ada"), SETTINGS)
    with pytest.raises(Conflict):
        unlink_identities(db, account.id)
    set_password(db, "ada", "a hash")
    assert unlink_identities(db, account.id) == 1
    with pytest.raises(NotFound):
        unlink_identities(db, account.id)
    # Linked again by its owner, with another identity.
    link_own(db, person("another"), SETTINGS, account.id)
    link_own(db, person("another"), SETTINGS, account.id)  # once more changes nothing
    assert [one.login for one in linked_identities(db)] == ["ada"]


def test_an_erased_person_leaves_no_identity(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        create_account(db, account_without_password("boss", "Boss"), administrator=True)
        account = create_account(db, account_without_password("ada", "Ada"))
        link_identity(db, person(), account.id)
    erase_person(sqlite_database, account.id, typed_login="ada")
    with sqlite_database.reading() as db:
        assert db.scalars(select(OpenIdIdentityRow)).all() == []
