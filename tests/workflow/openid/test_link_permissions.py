"""Permissions to link: of one account and session, for ten minutes, and of nobody without the database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.orm import Session

from tests.cast import CHEAP, PASSWORD
from tests.moments import at
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow
from workbench.workflow.openid.browser_trips import TRIP_LASTS, is_permitted, link_permission
from workbench.workflow.people.accounts import WITHOUT_PASSWORD, create_account, prepare_account

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADA, BEN = 1, 2


@pytest.fixture
def db(sqlite_database: Database) -> Iterator[Session]:
    """Ada and Ben, who have the same password."""
    with sqlite_database.writing() as db:
        for number, name in ((ADA, "Ada"), (BEN, "Ben")):
            new = prepare_account(login=name, name=name, password=PASSWORD, passwords=CHEAP)
            assert create_account(db, new).id == number
        yield db


def test_a_permission_is_of_one_account_and_session_for_ten_minutes(db: Session) -> None:
    with at(NOON):
        given = link_permission(db, ADA, "her session")
    with at(NOON + TRIP_LASTS):
        assert is_permitted(db, given, ADA, "her session")
    with at(NOON + TRIP_LASTS + timedelta(seconds=1)):
        assert not is_permitted(db, given, ADA, "her session")
    with at(NOON):
        assert not is_permitted(db, given, ADA, "another session")
        assert not is_permitted(db, given, BEN, "her session")
    # Nobody lengthens it, and what is none is no error.
    for odd in (f"9{given}", "", ".", "x.y", "\u0663.y", "9" * 40, given.partition(".")[0]):
        with at(NOON):
            assert not is_permitted(db, odd, ADA, "her session")


# Salts are random, and names of tests are not.
@pytest.mark.parametrize(
    "stored", [CHEAP.hash("three words more"), WITHOUT_PASSWORD], ids=["another password", "none"]
)
def test_it_ends_with_the_password(db: Session, stored: str) -> None:
    with at(NOON):
        given = link_permission(db, ADA, "her session")
    db.get_one(AccountRow, ADA).password_hash = stored
    with at(NOON):
        assert not is_permitted(db, given, ADA, "her session")


def test_an_account_without_a_password_has_no_secret_to_seal_with(db: Session) -> None:
    db.get_one(AccountRow, ADA).password_hash = WITHOUT_PASSWORD
    with at(NOON):
        given = link_permission(db, ADA, "her session")
        assert not is_permitted(db, given, ADA, "her session")
