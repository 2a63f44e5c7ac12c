"""Releases: made, listed, downloaded, published, withdrawn."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from flask import Blueprint
from werkzeug.wrappers import Response

from workbench.consensus.rules import PARAMETERS, exact_choice
from workbench.errors import rejected
from workbench.releases.contents import Included
from workbench.web.access import in_archive, organiser, reader, viewer
from workbench.web.api.fields import Flag, PageJson, PageQuery, sent, sorted_page
from workbench.web.api.operations import Text, operation
from workbench.web.context import read_here, writing_here
from workbench.web.jobs import make_release_soon
from workbench.web.pages.releases import download as release_zip
from workbench.workflow.people.sessions import Scope
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.making import MadeReleaseJson, ReleaseJson, made_release_json, release_json
from workbench.workflow.releases.releases import (
    publish_release,
    release_by_version,
    release_readiness,
    releases_of,
    unpublish_release,
    withdraw_release,
)

blueprint = Blueprint("releases", __name__, url_prefix="/campaigns/<slug>/releases")


@sent
class SentRelease:
    """A release to be made: the rule of its qrels with parameters by name, and what is in it by choice.

    The version is the next one unless it is named, the title that of the campaign.
    """

    version: str = ""
    rule: str = "majority"
    parameters: dict[str, str] = field(default_factory=dict)
    machines: Flag = False
    title: str = ""
    description: str = ""
    authors: list[str] = field(default_factory=list)
    licence: str = ""
    homepage: str = ""
    include: list[Included] = field(default_factory=list)


class SentReleaseState(StrEnum):
    """Who may see a release, or that it is withdrawn."""

    MEMBERS = "members"
    PUBLIC = "public"
    WITHDRAWN = "withdrawn"


@sent
class ReleaseStateChange:
    """The state that a release is to have; a withdrawn one needs a reason, which stays on its pages."""

    state: SentReleaseState
    reason: str = ""


@blueprint.get("")
@reader
@operation(PageJson[ReleaseJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[ReleaseJson]:
    """List the releases, the oldest first."""
    found = read_here(releases_of)
    return sorted_page(found, query, key=lambda one: one.id, form=release_json)


@blueprint.post("")
@organiser
@operation(MadeReleaseJson, scope=Scope.MANAGE, body=SentRelease, status=201)
def make(body: SentRelease) -> MadeReleaseJson:
    """Freeze the campaign into a release; the answer says what is still open, such as disputes."""
    unknown = sorted(body.parameters.keys() - PARAMETERS.keys())
    if unknown:
        raise rejected(
            "parameters",
            None,
            "parameter",
            f"{unknown[0][:40]!r} is not a parameter of a rule",
            f"choose one of {', '.join(PARAMETERS)}",
        )
    choice = exact_choice(body.rule, machines=body.machines, **dict[str, str | None](body.parameters))
    open_ = read_here(release_readiness, choice)
    request = ReleaseRequest(
        body.version,
        choice,
        frozenset(body.include),
        body.title,
        body.description,
        tuple(body.authors),
        body.licence,
        body.homepage,
    )
    made = make_release_soon(request, made_by=viewer().id)
    return made_release_json(made, open_.warnings)


@blueprint.get("/<version>")
@reader
@operation(ReleaseJson)
def show(version: str) -> ReleaseJson:
    """Show a release with its hash and its state."""
    return release_json(read_here(release_by_version, version))


@blueprint.get("/<version>/zip")
@reader
@operation(Text("application/zip", "The bytes as they were made."))
def download(version: str) -> Response:
    """Download a release, a withdrawn one too."""
    return release_zip(version)


@blueprint.post("/<version>/state")
@in_archive
@organiser
@operation(ReleaseJson, scope=Scope.MANAGE, body=ReleaseStateChange)
def change_state(version: str, body: ReleaseStateChange) -> ReleaseJson:
    """Publish a release, show it to members only, or withdraw it."""
    with writing_here() as (db, campaign_id):
        if body.state is SentReleaseState.PUBLIC:
            found = publish_release(db, campaign_id, version)
        elif body.state is SentReleaseState.MEMBERS:
            found = unpublish_release(db, campaign_id, version)
        else:
            found = withdraw_release(db, campaign_id, version, reason=body.reason, by=viewer().id)
    return release_json(found)
