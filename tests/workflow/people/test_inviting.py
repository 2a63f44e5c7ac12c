"""Invitations: one link, one person, two weeks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from tests.builders import Made, account, campaign_with_people
from tests.cast import CHEAP, PASSWORD
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.tables import InvitationRow
from workbench.workflow.people.accounts import prepare_account
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.people.invitations import (
    accept,
    accept_as_new,
    invitations,
    invite,
    offer_of,
    revoke_invitation,
)
from workbench.workflow.people.membership import members
from workbench.workflow.people.roles import Role

pytestmark = pytest.mark.engines

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WEEKS = timedelta(weeks=1)


@pytest.fixture
def made(database: Database) -> Made:
    with database.writing() as db:
        return campaign_with_people(db)


def link(database: Database, made: Made, role: Role = Role.ASSESSOR) -> str:
    with database.writing() as db:
        return invite(
            db, made.campaign.id, role=role, note="Carla", invited_by=made.organiser, now=NOON
        ).token


def roles_by_name(database: Database, made: Made) -> dict[str, tuple[Role, ...]]:
    with database.reading() as db:
        return {one.name: one.roles for one in members(db, made.campaign.id)}


def test_a_link_offers_a_role_until_two_weeks_have_passed(database: Database, made: Made) -> None:
    token = link(database, made, Role.VIEWER)
    with database.reading() as db:
        offer = offer_of(db, token, now=NOON + 2 * WEEKS - timedelta(seconds=1))
        assert (offer.campaign, offer.role, offer.invited_by) == ("Harbour", Role.VIEWER, "Olga")
        with pytest.raises(NotFound):
            offer_of(db, token, now=NOON + 2 * WEEKS)
        with pytest.raises(NotFound):
            offer_of(db, "some other token", now=NOON)


def test_the_database_keeps_no_token_of_a_link(database: Database, made: Made) -> None:
    token = link(database, made)
    with database.reading() as db:
        assert token not in str(db.scalars(select(InvitationRow.token_hash)).all())


def test_whoever_is_signed_in_joins_with_that_account(database: Database, made: Made) -> None:
    token = link(database, made)
    with database.writing() as db:
        carla = account(db, "Carla")
        accept(db, token, carla, now=NOON)

    assert roles_by_name(database, made)["Carla"] == (Role.ASSESSOR,)
    with database.reading() as db:
        assert "Carla" in [line.name for line in assessors_of(db, made.campaign.id)]
        (row,) = invitations(db, made.campaign.id, now=NOON)
        assert (row.used_by, row.used_at, row.expired) == ("Carla", NOON, False)


def test_somebody_new_gets_an_account_and_the_role_in_one(database: Database, made: Made) -> None:
    token = link(database, made, Role.ADJUDICATOR)
    new = prepare_account(login="carla", name="Carla", password=PASSWORD, passwords=CHEAP)
    with database.writing() as db:
        carla, offer = accept_as_new(db, token, new, now=NOON)

    assert not carla.administrator
    assert offer.role is Role.ADJUDICATOR
    assert roles_by_name(database, made)["Carla"] == (Role.ADJUDICATOR,)


def test_a_login_name_that_is_taken_leaves_the_link_good(database: Database, made: Made) -> None:
    token = link(database, made)
    new = prepare_account(login="olga", name="Another", password=PASSWORD, passwords=CHEAP)
    with pytest.raises(Conflict), database.writing() as db:
        accept_as_new(db, token, new, now=NOON)
    with database.reading() as db:
        assert offer_of(db, token, now=NOON).role is Role.ASSESSOR


def test_a_link_works_once(database: Database, made: Made) -> None:
    token = link(database, made)
    with database.writing() as db:
        accept(db, token, account(db, "Carla"), now=NOON)
    with pytest.raises(NotFound), database.writing() as db:
        accept(db, token, account(db, "Dora"), now=NOON)
    assert "Dora" not in roles_by_name(database, made)


def test_of_many_who_use_a_link_at_one_moment_one_joins(database: Database, made: Made) -> None:
    token = link(database, made, Role.VIEWER)
    with database.writing() as db:
        guests = [account(db, f"Guest {number}") for number in range(6)]

    def come(guest: int) -> bool:
        try:
            with database.writing() as db:
                accept(db, token, guest, now=NOON)
        except NotFound:
            return False
        return True

    with ThreadPoolExecutor(len(guests)) as pool:
        assert sum(pool.map(come, guests)) == 1
    assert sum(name.startswith("Guest") for name in roles_by_name(database, made)) == 1


def test_a_link_can_be_taken_back_until_somebody_came(database: Database, made: Made) -> None:
    taken_back, used = link(database, made), link(database, made)
    with database.writing() as db:
        accept(db, used, account(db, "Carla"), now=NOON)
        second, first = invitations(db, made.campaign.id, now=NOON)
        revoke_invitation(db, made.campaign.id, first.id)
    with database.writing() as db:
        with pytest.raises(NotFound):
            offer_of(db, taken_back, now=NOON)
        with pytest.raises(Conflict):
            revoke_invitation(db, made.campaign.id, second.id)
        with pytest.raises(NotFound):
            revoke_invitation(db, made.campaign.id, first.id)
        with pytest.raises(NotFound):
            revoke_invitation(db, made.campaign.id + 1, second.id)


def test_an_old_link_is_listed_as_expired(database: Database, made: Made) -> None:
    link(database, made)
    with database.reading() as db:
        (row,) = invitations(db, made.campaign.id, now=NOON + 3 * WEEKS)
        assert row.expired


def test_a_long_note_is_refused(database: Database, made: Made) -> None:
    with pytest.raises(WorkbenchError, match="201 characters"), database.writing() as db:
        invite(db, made.campaign.id, role=Role.VIEWER, note="x" * 201, invited_by=None)
