"""Groups: who sends runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.json_forms import GroupJson, PageJson
from workbench.storage import Session
from workbench.web.access import here, organiser
from workbench.web.api.cursors import FORBID, Flag, PageQuery, page_of
from workbench.web.api.operations import operation
from workbench.web.api.people import member_named
from workbench.web.context import reading, writing
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.groups import (
    add_group,
    group_named,
    groups_of,
    join,
    leave,
    remove_group,
    rename_group,
)
from workbench.workflow.people.people_json import group_json

blueprint = Blueprint("groups", __name__, url_prefix="/campaigns/<slug>/groups")


@dataclass(frozen=True, slots=True)
class SentGroup:
    """The name of a group."""

    __pydantic_config__ = FORBID
    group: Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class SentMember:
    """A person of the campaign; `both_sides` allows one who judges to submit runs too."""

    __pydantic_config__ = FORBID
    login: str
    both_sides: Flag = False


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
        return _group(db, add_group(db, here().id, body.group))


@blueprint.patch("/<id:group>")
@organiser
@operation(GroupJson, scope=Scope.MANAGE, body=SentGroup)
def rename(group: str, body: SentGroup) -> GroupJson:
    """Rename a group."""
    with writing() as db:
        number = group_named(db, here().id, group)
        rename_group(db, here().id, number, body.group)
        return _group(db, number)


@blueprint.post("/<id:group>/members")
@organiser
@operation(GroupJson, scope=Scope.MANAGE, body=SentMember)
def add_member(group: str, body: SentMember) -> GroupJson:
    """Let somebody of the campaign submit runs for a group."""
    with writing() as db:
        number = group_named(db, here().id, group)
        join(db, here().id, number, member_named(db, body.login).account_id, both_sides=body.both_sides)
        return _group(db, number)


@blueprint.delete("/<id:group>/members/<login>")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove_member(group: str, login: str) -> None:
    """Let somebody submit nothing for a group any more; its runs stay."""
    with writing() as db:
        number = group_named(db, here().id, group)
        leave(db, here().id, number, member_named(db, login).account_id)


@blueprint.delete("/<id:group>")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove(group: str) -> None:
    """Remove a group that has no runs and no people."""
    with writing() as db:
        remove_group(db, here().id, group_named(db, here().id, group))


def _group(db: Session, number: int) -> GroupJson:
    return next(group_json(one) for one in groups_of(db, here().id) if one.id == number)
