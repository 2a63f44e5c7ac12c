"""Campaigns, their people and their invitations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

from flask import Blueprint, url_for
from pydantic import Field
from typing_extensions import TypedDict

from workbench.errors import Conflict, NotFound
from workbench.frozen import filled
from workbench.records import Scale
from workbench.storage import Session
from workbench.web.access import (
    administrator,
    here,
    in_archive,
    member,
    organiser,
    reader,
    signed_in,
    takes_guidelines,
    viewer,
)
from workbench.web.api.fields import Counted, Flag, Number, PageJson, PageQuery, sent, sorted_page
from workbench.web.api.operations import operation
from workbench.web.context import read_here, reading, write_here, writing, writing_here
from workbench.web.forms import named
from workbench.workflow.campaigns.archive import archive_campaign, restore_campaign
from workbench.workflow.campaigns.campaigns import (
    LONGEST_GUIDELINES,
    LONGEST_NAME,
    Campaign,
    CampaignJson,
    campaign_by_slug,
    campaign_json,
    campaign_of,
    change_campaign,
    create_campaign,
    named_scale,
    scale_from_json,
)
from workbench.workflow.overview.cards import campaigns_of
from workbench.workflow.overview.progress import Overview, overview
from workbench.workflow.people import membership
from workbench.workflow.people.groups import group_named
from workbench.workflow.people.invitations import (
    InvitationJson,
    Invited,
    OfferedRole,
    invitation_json,
    invitations,
    invite_all,
    renew_invitations,
    withdraw_invitations,
)
from workbench.workflow.people.membership import Member, MemberJson, Role, member_json, members
from workbench.workflow.people.sessions import Scope

campaigns = Blueprint("campaigns", __name__, url_prefix="/campaigns")
everyone = member(*Role)
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Guidelines = Annotated[str, Field(max_length=LONGEST_GUIDELINES)]


class OwnCampaign(CampaignJson):
    """A campaign as one of its people sees it, with this person's roles."""

    guidelines: str
    roles: list[str]
    archived: bool


class InvitedJson(TypedDict):
    """An invitation that was just made or renewed; `link` is shown once."""

    invitation: int
    person: str
    role: str
    group: str
    expires_at: str
    link: str


@sent
class SentCampaign:
    """A campaign to be made; the scale is a predefined one by name, or its grades.

    Without a slug it gets one from its name.
    """

    name: Name
    scale: str | dict[str, object] = "binary"
    guidelines: Guidelines = ""
    slug: Annotated[str, Field(max_length=100)] | None = None


class SentCampaignState(StrEnum):
    """Whether a campaign can be changed."""

    ACTIVE = "active"
    ARCHIVED = "archived"


@sent
class CampaignChange:
    """What is to be changed about a campaign; what is not named stays."""

    name: Name | None = None
    guidelines: Guidelines | None = None
    scale: str | dict[str, object] | None = None


@sent
class SentState:
    """The state that a campaign is to have."""

    state: SentCampaignState


@campaigns.get("", endpoint="index")
@signed_in
@operation(PageJson[OwnCampaign], query=PageQuery)
def campaign_list(query: PageQuery) -> PageJson[OwnCampaign]:
    """List your campaigns, archived ones too, by slug."""
    with reading() as db:
        return sorted_page(
            campaigns_of(db, viewer().id),
            query,
            key=lambda card: card.slug,
            form=lambda card: _own_campaign(
                campaign_by_slug(db, card.slug, even_archived=True), frozenset(card.roles)
            ),
        )


@campaigns.post("")
@takes_guidelines
@administrator
@operation(OwnCampaign, scope=Scope.MANAGE, body=SentCampaign, status=201)
def create(body: SentCampaign) -> OwnCampaign:
    """Make a campaign; you become its organiser."""
    with writing() as db:
        made = create_campaign(
            db,
            name=body.name,
            scale=_scale(body.scale),
            guidelines=body.guidelines,
            organiser=viewer().id,
            slug=body.slug,
        )
    return _own_campaign(made, frozenset({Role.ORGANISER}))


@campaigns.get("/<slug>")
@everyone
@operation(OwnCampaign)
def show() -> OwnCampaign:
    """Show a campaign with its scale and guidelines."""
    with reading() as db:
        return _here(db)


@campaigns.patch("/<slug>")
@takes_guidelines
@organiser
@operation(OwnCampaign, scope=Scope.MANAGE, body=CampaignChange)
def change(body: CampaignChange) -> OwnCampaign:
    """Change the name, the guidelines or the scale."""
    with writing_here() as (db, campaign_id):
        now = campaign_of(db, campaign_id)
        change_campaign(
            db,
            campaign_id,
            name=now.name if body.name is None else body.name,
            guidelines=now.guidelines if body.guidelines is None else body.guidelines,
            scale=now.scale if body.scale is None else _scale(body.scale),
        )
        return _here(db)


@campaigns.post("/<slug>/state")
@in_archive
@organiser
@operation(OwnCampaign, scope=Scope.MANAGE, body=SentState)
def change_state(body: SentState) -> OwnCampaign:
    """Archive a campaign, so that nothing in it can be changed, or restore it."""
    with writing_here() as (db, campaign_id):
        if body.state is SentCampaignState.ARCHIVED:
            archive_campaign(db, campaign_id)
        else:
            restore_campaign(db, campaign_id)
        return _here(db)


@campaigns.get("/<slug>/progress")
@reader
@operation(Overview)
def progress() -> dict[str, object]:
    """Show how far the campaign has come: pooled, judged and disputed pairs, by topic and by assessor."""
    return asdict(read_here(overview))


def _scale(sent: str | dict[str, object]) -> Scale:
    return named_scale(sent) if isinstance(sent, str) else scale_from_json(sent)


def _here(db: Session) -> OwnCampaign:
    return _own_campaign(campaign_of(db, here().id), here().roles)


def _own_campaign(campaign: Campaign, roles: frozenset[Role]) -> OwnCampaign:
    """A campaign as one of its people sees it."""
    return {
        **campaign_json(campaign),
        "guidelines": campaign.guidelines,
        "roles": sorted(str(role) for role in roles),
        "archived": campaign.archived_at is not None,
    }


people = Blueprint("people", __name__, url_prefix="/campaigns/<slug>")


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


@people.get("/people", endpoint="index")
@organiser
@operation(PageJson[MemberJson], query=PageQuery)
def people_list(query: PageQuery) -> PageJson[MemberJson]:
    """List the people of the campaign by login name."""
    found = read_here(members)
    return sorted_page(found, query, key=lambda one: one.login, form=member_json)


@people.post("/people/<login>/roles")
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


@people.delete("/people/<login>/roles/<role>")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove_role(login: str, role: str) -> None:
    """Remove a role of a member; the person's judgments stay."""
    removed = named(Role, role)
    if removed is None:
        raise NotFound("there is no such role", remedy=f"choose one of {', '.join(Role)}")
    with writing() as db:
        membership.remove_role(db, here().id, _member_named(db, login).account_id, removed)


@people.get("/invitations")
@organiser
@operation(PageJson[InvitationJson], query=PageQuery)
def invitation_list(query: PageQuery) -> PageJson[InvitationJson]:
    """List the invitations with their state, without their links."""
    found = read_here(invitations)
    return sorted_page(found, query, key=lambda one: one.id, form=invitation_json)


@people.post("/invitations")
@organiser
@operation(InvitedPeople, scope=Scope.MANAGE, body=SentInvitations, status=201, secret=True)
def invite(body: SentInvitations) -> InvitedPeople:
    """Invite people; the links are shown in this answer only."""
    with writing_here() as (db, campaign_id):
        group_id = group_named(db, campaign_id, body.group) if body.group else None
        offered = OfferedRole(body.role, group_id)
        made = invite_all(db, campaign_id, body.people, offered, invited_by=viewer().id)
    return _shown(made)


@people.post("/invitations/links")
@organiser
@operation(InvitedPeople, scope=Scope.MANAGE, body=SentInvitationNumbers, status=201, secret=True)
def renew(body: SentInvitationNumbers) -> InvitedPeople:
    """Give invitations new links, which are shown in this answer only; those before stop working."""
    return _shown(write_here(renew_invitations, body.invitations))


@people.post("/invitations/withdrawals")
@organiser
@operation(Counted, scope=Scope.MANAGE, body=SentInvitationNumbers)
def withdraw(body: SentInvitationNumbers) -> Counted:
    """Withdraw invitations, whose links stop working."""
    return {"count": write_here(withdraw_invitations, body.invitations)}


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
