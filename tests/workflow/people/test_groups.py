"""Groups: made, named, joined and left; and who may not be on both sides."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import account, campaign_with_people, invite
from workbench.errors import Conflict, InvalidInput, NotFound
from workbench.records import BINARY
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.judging.worklists import effective_roles
from workbench.workflow.people.groups import (
    add_group,
    groups_of,
    join,
    leave,
    own_groups,
    rename_group,
)
from workbench.workflow.people.membership import Role, remove_role


def test_a_group_has_one_name_whatever_its_case(db: Session) -> None:
    here = campaign_with_people(db).campaign.id
    north = add_group(db, here, "  North   Wind ")
    with pytest.raises(Conflict, match="two groups cannot be called NORTH WIND"):
        add_group(db, here, "NORTH WIND")
    rename_group(db, here, north, "north wind")
    assert [group.name for group in groups_of(db, here)] == ["north wind"]
    for name, code in (("", "group"), ("x" * 121, "group"), ("a\u202eb", "group")):
        with pytest.raises(InvalidInput) as refused:
            add_group(db, here, name)
        assert [finding.code for finding in refused.value.findings] == [code]


def test_a_group_of_another_campaign_is_none(db: Session) -> None:
    made = campaign_with_people(db)
    there = create_campaign(db, name="Elsewhere", scale=BINARY).id
    group = add_group(db, there, "North")
    with pytest.raises(NotFound):
        join(db, made.campaign.id, group, made.organiser)
    with pytest.raises(NotFound):
        invite(db, made.campaign.id, role=Role.PARTICIPANT, group_id=group, invited_by=None)


def test_the_role_goes_with_the_last_group_and_the_groups_with_the_role(db: Session) -> None:
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
