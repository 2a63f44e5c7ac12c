"""Membership: roles given and taken back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.assigned import assign
from tests.builders import Made, account, campaign_with_people, pooled_campaign
from workbench.errors import Conflict, NotFound
from workbench.records import FOUR_GRADES
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.people.accounts import rename
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.people.membership import (
    add_role,
    members,
    remove_role,
    require_assignment,
    require_member,
)
from workbench.workflow.people.roles import Role


@pytest.fixture
def made(database: Database) -> Made:
    with database.writing() as db:
        return campaign_with_people(db)


def test_members_are_listed_by_name_with_all_their_roles(database: Database, made: Made) -> None:
    with database.writing() as db:
        add_role(db, made.campaign.id, made.organiser, Role.VIEWER)
        add_role(db, made.campaign.id, made.organiser, Role.VIEWER)
        assert [(one.name, one.roles) for one in members(db, made.campaign.id)] == [
            ("Ada", (Role.ASSESSOR,)),
            ("Ben", (Role.ASSESSOR,)),
            ("Olga", (Role.ORGANISER, Role.VIEWER)),
        ]


def test_two_assessors_of_one_name_stay_two(database: Database, made: Made) -> None:
    with database.writing() as db:
        for login in ("ada-b", "ada-c"):
            namesake = account(db, login)
            rename(db, namesake, "Ada")
            add_role(db, made.campaign.id, namesake, Role.ASSESSOR)
        names = [line.name for line in assessors_of(db, made.campaign.id)]
    assert names == ["Ada", "Ada 2", "Ada 3", "Ben"]


def test_a_long_name_is_cut_to_make_room_for_its_number(database: Database, made: Made) -> None:
    with database.writing() as db:
        for login in ("long-a", "long-b"):
            namesake = account(db, login)
            rename(db, namesake, "x" * 120)
            add_role(db, made.campaign.id, namesake, Role.ASSESSOR)
        names = {line.name for line in assessors_of(db, made.campaign.id)}
    assert {"x" * 120, "x" * 118 + " 2"} <= names


def test_an_assessor_who_comes_back_is_the_same_assessor(database: Database, made: Made) -> None:
    with database.writing() as db:
        before = assessors_of(db, made.campaign.id)
        remove_role(db, made.campaign.id, made.accounts["Ada"], Role.ASSESSOR)
        # The assessor, and so the judgments, stay when the role goes.
        after = assessors_of(db, made.campaign.id)
        assert [one.id for one in after] == [one.id for one in before]
        assert [one.name for one in after if one.assignable] == ["Ben"]
        add_role(db, made.campaign.id, made.accounts["Ada"], Role.ASSESSOR)
        assert assessors_of(db, made.campaign.id) == before


def test_the_last_organiser_stays(database: Database, made: Made) -> None:
    with database.writing() as db, pytest.raises(Conflict):
        remove_role(db, made.campaign.id, made.organiser, Role.ORGANISER)
    with database.writing() as db:
        add_role(db, made.campaign.id, made.accounts["Ada"], Role.ORGANISER)
        remove_role(db, made.campaign.id, made.organiser, Role.ORGANISER)
        assert "Olga" not in [one.name for one in members(db, made.campaign.id)]


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


def test_a_role_that_nobody_holds_cannot_be_taken(database: Database, made: Made) -> None:
    with database.writing() as db:
        with pytest.raises(NotFound):
            remove_role(db, made.campaign.id, made.organiser, Role.VIEWER)
        with pytest.raises(NotFound):
            add_role(db, made.campaign.id, 999_999, Role.VIEWER)
        with pytest.raises(NotFound):
            require_member(db, made.campaign.id, 999_999)
        require_member(db, made.campaign.id, made.organiser)


def test_an_assignment_belongs_to_one_campaign(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        other = create_campaign(db, name="Elsewhere", scale=FOUR_GRADES)
        assign(db, report.pool.id, topics=["T1"], assessor_ids=[made.assessors["Ada"]])
        (line,) = assignments_of(db, made.campaign.id)
        require_assignment(db, made.campaign.id, line.id)
        with pytest.raises(NotFound):
            require_assignment(db, other.id, line.id)
