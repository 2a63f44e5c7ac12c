"""Groups, members and invitations as JSON."""

from __future__ import annotations

from workbench.json_forms.collecting import GroupJson, InvitationJson, MemberJson
from workbench.json_forms.filling import filled
from workbench.workflow.people.groups import Group
from workbench.workflow.people.invitations import Invitation
from workbench.workflow.people.membership import Member


def group_json(group: Group) -> GroupJson:
    """A group with its people."""
    return {
        "group": group.name,
        "runs": group.runs,
        "received": group.waiting,
        "people": [{"login": who.login, "name": who.name} for who in group.members],
    }


def member_json(member: Member) -> MemberJson:
    """A person of a campaign."""
    return filled(MemberJson, member)


def invitation_json(one: Invitation) -> InvitationJson:
    """An invitation without its link."""
    return filled(InvitationJson, one, invitation=one.id, person=one.note, accepted_by=one.used_by)
