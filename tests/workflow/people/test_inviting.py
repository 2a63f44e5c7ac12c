"""Invitations: one link, one person, two weeks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from tests.builders import Made, account, campaign_with_people, invite
from tests.moments import at
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.tables import InvitationRow
from workbench.workflow.people.invitations import (
    Invitation,
    InvitationState,
    OfferedRole,
    accept,
    invitations,
    invite_all,
    offer_of,
    renew_invitations,
    withdraw_invitations,
)
from workbench.workflow.people.membership import Role, members

pytestmark = pytest.mark.engines

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WEEKS = timedelta(weeks=1)


@pytest.fixture
def made(database: Database) -> Made:
    with database.writing() as db:
        return campaign_with_people(db)


def link(database: Database, made: Made, role: Role = Role.ASSESSOR) -> str:
    with database.writing() as db:
        return invite(db, made.campaign.id, role=role, invited_by=made.organiser, now=NOON).token


def links(database: Database, made: Made, *notes: str, form: str | None = None) -> dict[str, str]:
    """Invite several assessors at once; their tokens by their notes."""
    with database.writing() as db, at(NOON):
        done = invite_all(
            db,
            made.campaign.id,
            notes,
            OfferedRole(Role.ASSESSOR),
            invited_by=made.organiser,
            form=form,
        )
    return {one.note: one.token for one in done}


def works(database: Database, token: str) -> bool:
    with database.reading() as db:
        try:
            with at(NOON):
                offer_of(db, token)
        except NotFound:
            return False
        return True


def states(database: Database, made: Made) -> dict[str, InvitationState]:
    with database.reading() as db, at(NOON):
        return {one.note: one.state for one in invitations(db, made.campaign.id)}


def roles_by_name(database: Database, made: Made) -> dict[str, tuple[Role, ...]]:
    with database.reading() as db:
        return {one.name: one.roles for one in members(db, made.campaign.id)}


def test_a_link_offers_a_role_until_two_weeks_have_passed(database: Database, made: Made) -> None:
    token = link(database, made, Role.VIEWER)
    with database.reading() as db:
        with at(NOON + 2 * WEEKS - timedelta(seconds=1)):
            offer = offer_of(db, token)
        assert (offer.campaign, offer.role, offer.invited_by) == ("Harbour", Role.VIEWER, "Olga")
        with pytest.raises(NotFound), at(NOON + 2 * WEEKS):
            offer_of(db, token)
        with pytest.raises(NotFound), at(NOON):
            offer_of(db, "some other token")


def test_the_database_keeps_no_token_of_a_link(database: Database, made: Made) -> None:
    token = link(database, made)
    with database.reading() as db:
        assert token not in str(db.scalars(select(InvitationRow.token_hash)).all())


def test_of_many_who_use_a_link_at_one_moment_one_joins(database: Database, made: Made) -> None:
    token = link(database, made, Role.VIEWER)
    with database.writing() as db:
        guests = [account(db, f"Guest {number}") for number in range(6)]

    def come(guest: int) -> bool:
        try:
            with database.writing() as db, at(NOON):
                accept(db, token, guest)
        except NotFound:
            return False
        return True

    with ThreadPoolExecutor(len(guests)) as pool:
        assert sum(pool.map(come, guests)) == 1
    assert sum(name.startswith("Guest") for name in roles_by_name(database, made)) == 1


def test_a_lost_expired_or_withdrawn_link_is_replaced_by_a_new_one(database: Database, made: Made) -> None:
    token = links(database, made, "Ann", "Bea", "Cem")
    numbers = {one.note: one.id for one in listed(database, made)}
    with database.writing() as db, at(NOON):
        accept(db, token["Ann"], account(db, "Ann"))
        withdraw_invitations(db, made.campaign.id, [numbers["Bea"]])
    with database.writing() as db, at(NOON):
        # Ann's is left out: she has come in meanwhile.
        renewed = renew_invitations(db, made.campaign.id, list(numbers.values()))
    assert [one.note for one in renewed] == ["Bea", "Cem"]
    assert [works(database, one.token) for one in renewed] == [True, True]
    assert [works(database, token[one.note]) for one in renewed] == [False, False]
    assert states(database, made) == {
        "Ann": InvitationState.ACCEPTED,
        "Bea": InvitationState.OPEN,
        "Cem": InvitationState.OPEN,
    }
    for act in (renew_invitations, withdraw_invitations):
        with pytest.raises(Conflict), database.writing() as db:
            act(db, made.campaign.id, [numbers["Ann"]])
        with pytest.raises(NotFound), database.writing() as db:
            act(db, made.campaign.id + 1, [numbers["Bea"]])


def test_a_form_that_is_sent_twice_invites_nobody_twice(database: Database, made: Made) -> None:
    def send(_: int) -> dict[str, str]:
        return links(database, made, "Ann", "Bea", form="one-form-of-a-page")

    with ThreadPoolExecutor(3) as pool:
        sent = list(pool.map(send, range(3)))
    assert states(database, made) == {"Ann": InvitationState.OPEN, "Bea": InvitationState.OPEN}
    # The answer that the browser shows is one of them; the links of the last one work.
    working = [all(works(database, token) for token in one.values()) for one in sent]
    assert sorted(working) == [False, False, True]


def listed(database: Database, made: Made) -> tuple[Invitation, ...]:
    with database.reading() as db, at(NOON):
        return invitations(db, made.campaign.id)


def test_a_long_note_is_refused(database: Database, made: Made) -> None:
    with pytest.raises(WorkbenchError, match="201 characters"), database.writing() as db:
        invite(db, made.campaign.id, role=Role.VIEWER, note="x" * 201, invited_by=None)
