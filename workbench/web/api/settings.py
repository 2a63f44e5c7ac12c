"""Settings of a campaign: what its desks ask, breaks, searching; and the campaign as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flask import Blueprint
from pydantic import Field
from typing_extensions import TypedDict

from workbench.errors import NotAllowed
from workbench.json_forms import CampaignContentsJson, DeskSettings, OwnCampaign, filled
from workbench.storage import Session
from workbench.web.access import here, in_archive, organiser, viewer
from workbench.web.api.campaigns import Name, own_campaign
from workbench.web.api.cursors import FORBID, Flag, Whole
from workbench.web.api.operations import operation
from workbench.web.context import app_context, reading, writing
from workbench.workflow.campaigns.archive import contents_of, duplicate_campaign
from workbench.workflow.campaigns.deletion import delete_campaign
from workbench.workflow.judging.desk_rules import (
    allows_search_of,
    break_minutes_of,
    desk_questions_of,
    questions_as_text,
    read_questions,
    save_allows_search,
    save_break_minutes,
    save_desk_questions,
)
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role

blueprint = Blueprint("settings", __name__, url_prefix="/campaigns/<slug>")


class SettingsChange(TypedDict, total=False):
    """What is to be changed about the desks; what is not named stays."""

    __pydantic_config__ = FORBID  # type: ignore[misc]  # as pydantic's documentation does
    break_minutes: Whole | None
    search: Flag
    questions: Annotated[list[Annotated[str, Field(max_length=1000)]], Field(max_length=100)]
    comment_for: Annotated[list[Whole], Field(max_length=100)]


@dataclass(frozen=True, slots=True)
class SentCopy:
    """The name of a copy."""

    __pydantic_config__ = FORBID
    name: Name


@dataclass(frozen=True, slots=True)
class TypedName:
    """The name of the campaign, so that no other is deleted by mistake."""

    __pydantic_config__ = FORBID
    name: Name


@blueprint.get("/settings")
@organiser
@operation(DeskSettings)
def show() -> DeskSettings:
    """Show what the desks ask, after how long they suggest a break, and whether documents can be searched."""
    with reading() as db:
        return _settings(db)


@blueprint.patch("/settings")
@organiser
@operation(DeskSettings, scope=Scope.MANAGE, body=SettingsChange)
def change(body: SettingsChange) -> DeskSettings:
    """Change what the desks ask, the breaks, or whether documents can be searched."""
    with writing() as db:
        now = desk_questions_of(db, here().id)
        if "questions" in body or "comment_for" in body:
            questions = read_questions("\n".join(body["questions"])) if "questions" in body else now.questions
            save_desk_questions(db, here().id, questions, body.get("comment_for", now.comment_for))
        if "break_minutes" in body:
            save_break_minutes(db, here().id, body["break_minutes"])
        if "search" in body:
            save_allows_search(db, here().id, body["search"])
        return _settings(db)


@blueprint.get("/contents")
@organiser
@operation(CampaignContentsJson)
def contents() -> CampaignContentsJson:
    """Count what the campaign contains, all of which is lost when it is deleted."""
    with reading() as db:
        return filled(CampaignContentsJson, contents_of(db, here().id))


@blueprint.post("/copies")
@in_archive
@organiser
@operation(OwnCampaign, scope=Scope.MANAGE, body=SentCopy, status=201)
def copy(body: SentCopy) -> OwnCampaign:
    """Make a campaign with the scale, guidelines and rules of this one, for administrators."""
    if not viewer().administrator:
        raise NotAllowed("only administrators create campaigns", remedy="ask an administrator")
    with writing() as db:
        made = duplicate_campaign(db, here().id, name=body.name, organiser=viewer().id)
    return own_campaign(made, frozenset({Role.ORGANISER}))


@blueprint.delete("")
@in_archive
@organiser
@operation(None, scope=Scope.MANAGE, query=TypedName)
def remove(query: TypedName) -> None:
    """Delete the campaign with everything in it. This cannot be undone."""
    delete_campaign(app_context().database, here().id, typed_name=query.name)


def _settings(db: Session) -> DeskSettings:
    asked = desk_questions_of(db, here().id)
    return {
        "break_minutes": break_minutes_of(db, here().id),
        "search": allows_search_of(db, here().id),
        "questions": questions_as_text(asked.questions).splitlines(),
        "comment_for": list(asked.comment_for),
    }
