"""Campaigns: the list, making one, its state and its progress."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.json_forms.collecting import OwnCampaign, PageJson
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
from workbench.web.api.cursors import PageQuery, sent, sorted_page
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.campaigns.archive import archive_campaign, restore_campaign
from workbench.workflow.campaigns.campaign_json import campaign_json
from workbench.workflow.campaigns.campaigns import (
    LONGEST_GUIDELINES,
    LONGEST_NAME,
    Campaign,
    campaign_by_slug,
    campaign_of,
    change_campaign,
    create_campaign,
)
from workbench.workflow.campaigns.scales import named_scale, scale_from_json
from workbench.workflow.overview.cards import campaigns_of
from workbench.workflow.overview.progress import Overview, overview
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role

blueprint = Blueprint("campaigns", __name__, url_prefix="/campaigns")
everyone = member(*Role)
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Guidelines = Annotated[str, Field(max_length=LONGEST_GUIDELINES)]


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


@blueprint.get("")
@signed_in
@operation(PageJson[OwnCampaign], query=PageQuery)
def index(query: PageQuery) -> PageJson[OwnCampaign]:
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


@blueprint.post("")
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


@blueprint.get("/<slug>")
@everyone
@operation(OwnCampaign)
def show() -> OwnCampaign:
    """Show a campaign with its scale and guidelines."""
    with reading() as db:
        return _here(db)


@blueprint.patch("/<slug>")
@takes_guidelines
@organiser
@operation(OwnCampaign, scope=Scope.MANAGE, body=CampaignChange)
def change(body: CampaignChange) -> OwnCampaign:
    """Change the name, the guidelines or the scale."""
    with writing() as db:
        now = campaign_of(db, here().id)
        change_campaign(
            db,
            here().id,
            name=now.name if body.name is None else body.name,
            guidelines=now.guidelines if body.guidelines is None else body.guidelines,
            scale=now.scale if body.scale is None else _scale(body.scale),
        )
        return _here(db)


@blueprint.post("/<slug>/state")
@in_archive
@organiser
@operation(OwnCampaign, scope=Scope.MANAGE, body=SentState)
def change_state(body: SentState) -> OwnCampaign:
    """Archive a campaign, so that nothing in it can be changed, or restore it."""
    with writing() as db:
        if body.state is SentCampaignState.ARCHIVED:
            archive_campaign(db, here().id)
        else:
            restore_campaign(db, here().id)
        return _here(db)


@blueprint.get("/<slug>/progress")
@reader
@operation(Overview)
def progress() -> dict[str, object]:
    """Show how far the campaign has come: pooled, judged and disputed pairs, by topic and by assessor."""
    with reading() as db:
        return asdict(overview(db, here().id))


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
