"""Membership: roles given and taken back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy.orm import Session

from tests.builders import Made, account, campaign_with_people
from workbench.errors import Conflict, NotFound
from workbench.storage.engine import Database
from workbench.workflow.people.accounts import rename
from workbench.workflow.people.membership import (
    Role,
    add_role,
    assessors_of,
    member_of,
    remove_role,
)


@pytest.fixture
def made(database: Database) -> Made:
    with database.writing() as db:
        return campaign_with_people(db)


def test_two_assessors_of_one_name_stay_two(made: Made, db: Session) -> None:
    for login in ("ada-b", "ada-c"):
        namesake = account(db, login)
        rename(db, namesake, "Ada")
        add_role(db, made.campaign.id, namesake, Role.ASSESSOR)
    names = [line.name for line in assessors_of(db, made.campaign.id)]
    assert names == ["Ada", "Ada 2", "Ada 3", "Ben"]


def test_a_long_name_is_cut_to_make_room_for_its_number(made: Made, db: Session) -> None:
    for login in ("long-a", "long-b"):
        namesake = account(db, login)
        rename(db, namesake, "x" * 120)
        add_role(db, made.campaign.id, namesake, Role.ASSESSOR)
    names = {line.name for line in assessors_of(db, made.campaign.id)}
    assert {"x" * 120, "x" * 118 + " 2"} <= names


def test_an_assessor_who_comes_back_is_the_same_assessor(made: Made, db: Session) -> None:
    before = assessors_of(db, made.campaign.id)
    remove_role(db, made.campaign.id, made.accounts["Ada"], Role.ASSESSOR)
    # The assessor, and so the judgments, stay when the role goes.
    after = assessors_of(db, made.campaign.id)
    assert [one.id for one in after] == [one.id for one in before]
    assert [one.name for one in after if one.assignable] == ["Ben"]
    add_role(db, made.campaign.id, made.accounts["Ada"], Role.ASSESSOR)
    assert assessors_of(db, made.campaign.id) == before


def test_the_last_two_organisers_cannot_remove_each_other_at_one_moment(
    database: Database, made: Made
) -> None:
    with database.writing() as db:
        add_role(db, made.campaign.id, made.accounts["Ada"], Role.ORGANISER)

    def leave(account_id: int) -> bool:
        try:
            with database.writing() as db:
                remove_role(db, made.campaign.id, account_id, Role.ORGANISER)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(leave, (made.organiser, made.accounts["Ada"]))) == [False, True]


def test_a_role_that_nobody_holds_cannot_be_taken(made: Made, db: Session) -> None:
    with pytest.raises(NotFound):
        remove_role(db, made.campaign.id, made.organiser, Role.VIEWER)
    with pytest.raises(NotFound):
        add_role(db, made.campaign.id, 999_999, Role.VIEWER)
    with pytest.raises(NotFound):
        member_of(db, made.campaign.id, 999_999)
    assert member_of(db, made.campaign.id, made.organiser).account_id == made.organiser
