"""Groups: who sends runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.json_forms import GroupJson, PageJson
from workbench.web.access import here, organiser
from workbench.web.api.cursors import FORBID, PageQuery, page_of
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.groups import add_group, group_named, groups_of, remove_group
from workbench.workflow.people.people_json import group_json

blueprint = Blueprint("groups", __name__, url_prefix="/campaigns/<slug>/groups")


@dataclass(frozen=True, slots=True)
class SentGroup:
    """A group to be made."""

    __pydantic_config__ = FORBID
    group: Annotated[str, Field(min_length=1)]


@blueprint.get("")
@organiser
@operation(PageJson[GroupJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[GroupJson]:
    """List the groups with their people and the number of their runs."""
    with reading() as db:
        found = sorted(groups_of(db, here().id), key=lambda one: one.id)
    return page_of(found, query, key=lambda one: one.id, form=group_json)


@blueprint.post("")
@organiser
@operation(GroupJson, scope=Scope.MANAGE, body=SentGroup, status=201)
def add(body: SentGroup) -> GroupJson:
    """Make a group."""
    with writing() as db:
        made = add_group(db, here().id, body.group)
        return next(group_json(one) for one in groups_of(db, here().id) if one.id == made)


@blueprint.delete("/<id:group>")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove(group: str) -> None:
    """Remove a group that has no runs and no people."""
    with writing() as db:
        remove_group(db, here().id, group_named(db, here().id, group))
