"""People: members, their roles, and invitations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from flask import Blueprint, url_for
from pydantic import Field
from typing_extensions import TypedDict

from workbench.errors import Conflict, NotFound
from workbench.json_forms.collecting import InvitationJson, InvitedJson, MemberJson, PageJson
from workbench.json_forms.filling import filled
from workbench.json_forms.rules import Counted
from workbench.storage import Session
from workbench.web.access import here, organiser, viewer
from workbench.web.api.cursors import Flag, Number, PageQuery, sent, sorted_page
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.web.forms import named
from workbench.workflow.people import membership
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.groups import group_named
from workbench.workflow.people.invitations import (
    Invited,
    OfferedRole,
    invitations,
    invite_all,
    renew_invitations,
    withdraw_invitations,
)
from workbench.workflow.people.membership import Member, members
from workbench.workflow.people.people_json import invitation_json, member_json
from workbench.workflow.people.roles import Role

blueprint = Blueprint("people", __name__, url_prefix="/campaigns/<slug>")


class InvitedPeople(TypedDict):
    """Invitations that were just made; their links are shown once."""

    invitations: list[InvitedJson]


@sent
class SentInvitations:
    """Whom to invite, by names or e-mail addresses, and as what; participants need a group."""

    people: Annotated[list[str], Field(max_length=5000)]
    role: Role = Role.ASSESSOR
    group: str = ""


@sent
class SentInvitationNumbers:
    """Invitations by their numbers."""

    invitations: Annotated[list[Number], Field(min_length=1, max_length=5000)]


@sent
class SentRole:
    """A role of a member; `both_sides` allows one person to judge and to submit runs."""

    role: Role
    both_sides: Flag = False


@blueprint.get("/people")
@organiser
@operation(PageJson[MemberJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[MemberJson]:
    """List the people of the campaign by login name."""
    with reading() as db:
        found = members(db, here().id)
    return sorted_page(found, query, key=lambda one: one.login, form=member_json)


@blueprint.post("/people/<login>/roles")
@organiser
@operation(MemberJson, scope=Scope.MANAGE, body=SentRole)
def add_role(login: str, body: SentRole) -> MemberJson:
    """Give a member of the campaign another role."""
    with writing() as db:
        person = _member_named(db, login)
        if not body.both_sides and person.groups and body.role in membership.JUDGES:
            raise Conflict(
                f"{person.name} submits runs and would judge them", remedy="confirm it with `both_sides`"
            )
        membership.add_role(db, here().id, person.account_id, body.role, both_sides=body.both_sides)
        return member_json(_member_named(db, login))


@blueprint.delete("/people/<login>/roles/<role>")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove_role(login: str, role: str) -> None:
    """Remove a role of a member; the person's judgments stay."""
    removed = named(Role, role)
    if removed is None:
        raise NotFound("there is no such role", remedy=f"choose one of {', '.join(Role)}")
    with writing() as db:
        membership.remove_role(db, here().id, _member_named(db, login).account_id, removed)


@blueprint.get("/invitations")
@organiser
@operation(PageJson[InvitationJson], query=PageQuery)
def invitation_list(query: PageQuery) -> PageJson[InvitationJson]:
    """List the invitations with their state, without their links."""
    with reading() as db:
        found = invitations(db, here().id)
    return sorted_page(found, query, key=lambda one: one.id, form=invitation_json)


@blueprint.post("/invitations")
@organiser
@operation(InvitedPeople, scope=Scope.MANAGE, body=SentInvitations, status=201, secret=True)
def invite(body: SentInvitations) -> InvitedPeople:
    """Invite people; the links are shown in this answer only."""
    with writing() as db:
        group_id = group_named(db, here().id, body.group) if body.group else None
        offered = OfferedRole(body.role, group_id)
        made = invite_all(db, here().id, body.people, offered, invited_by=viewer().id)
    return _shown(made)


@blueprint.post("/invitations/links")
@organiser
@operation(InvitedPeople, scope=Scope.MANAGE, body=SentInvitationNumbers, status=201, secret=True)
def renew(body: SentInvitationNumbers) -> InvitedPeople:
    """Give invitations new links, which are shown in this answer only; those before stop working."""
    with writing() as db:
        return _shown(renew_invitations(db, here().id, body.invitations))


@blueprint.post("/invitations/withdrawals")
@organiser
@operation(Counted, scope=Scope.MANAGE, body=SentInvitationNumbers)
def withdraw(body: SentInvitationNumbers) -> Counted:
    """Withdraw invitations, whose links stop working."""
    with writing() as db:
        return {"count": withdraw_invitations(db, here().id, body.invitations)}


def _shown(made: Iterable[Invited]) -> InvitedPeople:
    found = [
        filled(
            InvitedJson,
            one,
            invitation=one.id,
            person=one.note,
            link=url_for("entrance.invitation", token=one.token, _external=True),
        )
        for one in made
    ]
    return {"invitations": found}


def _member_named(db: Session, login: str) -> Member:
    """The person of this campaign with a login name; raises NotFound."""
    found = next((one for one in members(db, here().id) if one.login == login), None)
    if found is None:
        raise NotFound("nobody with this login name is in the campaign", remedy="invite the person first")
    return found
