"""Groups: made, named, joined and left; and who may not be on both sides."""

from __future__ import annotations

import pytest

from tests.builders import ALPHA, account, campaign_with_people, send_runs
from workbench.errors import Conflict, InvalidInput, NotFound, WorkbenchError
from workbench.records import BINARY
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.judging.worklists import effective_roles
from workbench.workflow.people.groups import (
    add_group,
    groups_of,
    join,
    leave,
    own_groups,
    remove_group,
    rename_group,
)
from workbench.workflow.people.invitations import accept, invite, offer_of
from workbench.workflow.people.membership import add_role, members, remove_role
from workbench.workflow.people.roles import Role
from workbench.workflow.runs.run_metadata import RunMetadata
from workbench.workflow.runs.run_records import change_metadata


def test_a_group_has_one_name_whatever_its_case(database: Database) -> None:
    with database.writing() as db:
        here = campaign_with_people(db).campaign.id
        north = add_group(db, here, "  North   Wind ")
        with pytest.raises(Conflict, match="a group NORTH WIND already"):
            add_group(db, here, "NORTH WIND")
        rename_group(db, here, north, "north wind")
        assert [group.name for group in groups_of(db, here)] == ["north wind"]
        for name, code in (("", "group"), ("x" * 121, "group"), ("a\u202eb", "group")):
            with pytest.raises(InvalidInput) as refused:
                add_group(db, here, name)
            assert [finding.code for finding in refused.value.findings] == [code]


def test_a_group_of_another_campaign_is_none(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        there = create_campaign(db, name="Elsewhere", scale=BINARY).id
        group = add_group(db, there, "North")
        with pytest.raises(NotFound):
            join(db, made.campaign.id, group, made.organiser)
        with pytest.raises(NotFound):
            invite(db, made.campaign.id, role=Role.PARTICIPANT, group_id=group, invited_by=None)


def test_only_a_group_without_runs_and_people_goes(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        here = made.campaign.id
        group, petra = add_group(db, here, "North"), account(db, "Petra")
        join(db, here, group, petra)
        with pytest.raises(Conflict):
            remove_group(db, here, group)
        leave(db, here, group, petra)
        send_runs(db, here, alpha=ALPHA)
        change_metadata(db, here, "alpha", RunMetadata(group))
        with pytest.raises(Conflict):
            remove_group(db, here, group)
        change_metadata(db, here, "alpha", RunMetadata())
        invite(db, here, role=Role.PARTICIPANT, group_id=group, invited_by=None)
        remove_group(db, here, group)
        assert groups_of(db, here) == ()


def test_somebody_comes_by_a_link_of_the_group(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        here = made.campaign.id
        group, petra = add_group(db, here, "North"), account(db, "Petra")
        link = invite(db, here, role=Role.PARTICIPANT, group_id=group, invited_by=made.organiser)
        assert (offer_of(db, link.token).role, offer_of(db, link.token).group) == (Role.PARTICIPANT, "North")
        accept(db, link.token, petra)
        assert effective_roles(db, here, petra) == {Role.PARTICIPANT}
        assert own_groups(db, here, petra) == {group: "North"}
        assert next(one for one in members(db, here) if one.name == "Petra").groups == ("North",)


def test_a_participant_has_a_group_and_nobody_else_has_one(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        here = made.campaign.id
        group = add_group(db, here, "North")
        with pytest.raises(WorkbenchError, match="participant"):
            invite(db, here, role=Role.PARTICIPANT, invited_by=None)
        with pytest.raises(WorkbenchError, match="participant"):
            invite(db, here, role=Role.VIEWER, group_id=group, invited_by=None)
        with pytest.raises(WorkbenchError, match="participant"):
            add_role(db, here, made.organiser, Role.PARTICIPANT)


def test_the_role_goes_with_the_last_group_and_the_groups_with_the_role(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        here, petra = made.campaign.id, account(db, "Petra")
        north, south = add_group(db, here, "North"), add_group(db, here, "South")
        for group in (north, south, south):
            join(db, here, group, petra)
        leave(db, here, north, petra)
        assert effective_roles(db, here, petra) == {Role.PARTICIPANT}
        with pytest.raises(NotFound):
            leave(db, here, north, petra)
        leave(db, here, south, petra)
        assert effective_roles(db, here, petra) == set()
        join(db, here, north, petra)
        remove_role(db, here, petra, Role.PARTICIPANT)
        assert own_groups(db, here, petra) == {}


def test_who_judges_sends_no_runs_unless_the_organiser_wants_it(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        here, ada, petra = made.campaign.id, made.accounts["Ada"], account(db, "Petra")
        group = add_group(db, here, "North")
        link = invite(db, here, role=Role.PARTICIPANT, group_id=group, invited_by=None)
    with pytest.raises(Conflict, match="judges"), database.writing() as db:
        accept(db, link.token, ada)
    with database.writing() as db:
        accept(db, link.token, petra)  # the link was not used up
        with pytest.raises(Conflict, match="judges"):
            join(db, here, group, ada)
        for role in (Role.ASSESSOR, Role.ADJUDICATOR):
            with pytest.raises(Conflict, match="submits runs"):
                add_role(db, here, petra, role)
        join(db, here, group, ada, both_sides=True)
        add_role(db, here, petra, Role.ASSESSOR, both_sides=True)
        both = {one.name for one in members(db, here) if one.both_sides}
        assert both == {"Ada", "Petra"}
