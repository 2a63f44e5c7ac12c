"""Runs after the pools: what of a run nobody has judged, and a pool that has it judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.json_forms import FilledHolesJson, HolesJson, TopicHolesJson, filled
from workbench.web.access import here, organiser, reader, viewer
from workbench.web.api.cursors import FORBID, Whole
from workbench.web.api.operations import operation
from workbench.web.context import app_context, reading
from workbench.workflow.judging.late_runs import fill_holes, holes_of
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.pools.pool_json import made_pool_json

blueprint = Blueprint("late_runs", __name__, url_prefix="/campaigns/<slug>/runs/<id:tag>/holes")


@dataclass(frozen=True, slots=True)
class SentDepth:
    """How many documents of each topic are to be judged."""

    __pydantic_config__ = FORBID
    depth: Annotated[Whole, Field(ge=1, le=10**6)]


@blueprint.get("")
@reader
@operation(HolesJson)
def show(tag: str) -> HolesJson:
    """Count the documents of a run that nobody has judged, by cut-off and topic."""
    with reading() as db:
        found = holes_of(db, here().id, tag)
    return filled(HolesJson, found, topics=[filled(TopicHolesJson, one) for one in found.by_topic])


@blueprint.post("")
@organiser
@operation(FilledHolesJson, scope=Scope.MANAGE, body=SentDepth, status=201)
def fill(tag: str, body: SentDepth) -> FilledHolesJson:
    """Make a supplementary pool of what is unjudged, each topic for the assessors who judged it before."""
    done = fill_holes(app_context().database, here().id, tag, depth=body.depth, created_by=viewer().id)
    return filled(FilledHolesJson, done, pool=made_pool_json(done.pool))
