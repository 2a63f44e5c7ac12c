"""Groups, members and invitations as JSON."""

from __future__ import annotations

from workbench.json_forms.collecting import GroupJson, InvitationJson, MemberJson
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
    return {
        "login": member.login,
        "name": member.name,
        "roles": [str(role) for role in member.roles],
        "groups": list(member.groups),
    }


def invitation_json(one: Invitation) -> InvitationJson:
    """An invitation without its link."""
    return {
        "invitation": one.id,
        "person": one.note,
        "role": one.role,
        "group": one.group,
        "state": one.state,
        "expires_at": one.expires_at.isoformat(),
        "accepted_by": one.used_by,
    }
