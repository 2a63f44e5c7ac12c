"""Assignments: which assessors judge which topics of a pool."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from pydantic import Field
from typing_extensions import TypedDict

from workbench.errors import Finding, InvalidInput
from workbench.json_forms.collecting import PageJson
from workbench.json_forms.filling import filled
from workbench.json_forms.judging import AssignmentJson
from workbench.storage import Session
from workbench.web.access import here, organiser
from workbench.web.api.cursors import Names, PageQuery, Seed, Whole, sent, sorted_page
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.judging.assignments import (
    Distribution,
    assignments_of,
    distribute,
    in_turn,
    revoke,
)
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.pools.listing import pool_summary

blueprint = Blueprint("assignments", __name__, url_prefix="/campaigns/<slug>/assignments")


class AddedAssignments(TypedDict):
    """How many assignments are new."""

    added: int


@sent
class SentAssignments:
    """Topics of a pool for assessors, by name; all with an account if None.

    With `topics` each goes to every assessor named, else all are distributed, each to `per_topic` of them.
    """

    pool: str
    assessors: Names | None = None
    topics: Names | None = None
    per_topic: Annotated[Whole, Field(ge=1, le=1000)] = 1
    order: OrderRule = OrderRule.SHUFFLED
    seed: Seed | None = None


@blueprint.get("")
@organiser
@operation(PageJson[AssignmentJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[AssignmentJson]:
    """List the assignments, and how much of each is answered."""
    with reading() as db:
        found = assignments_of(db, here().id)
    return sorted_page(
        found,
        query,
        key=lambda one: one.id,
        form=lambda line: filled(
            AssignmentJson, line, assignment=line.id, title=line.topic_title, order=line.order_rule
        ),
    )


@blueprint.post("")
@organiser
@operation(AddedAssignments, scope=Scope.MANAGE, body=SentAssignments, status=201)
def add(body: SentAssignments) -> AddedAssignments:
    """Assign topics of a pool to assessors; what they have already stays."""
    with writing() as db:
        pool = pool_summary(db, here().id, body.pool)
        assessors = assessor_numbers(db, body.assessors)
        if body.topics is None:
            given = in_turn(db, pool.id, assessors, body.per_topic)
        else:
            given = [(topic, assessor_id) for topic in body.topics for assessor_id in assessors]
        added = distribute(db, Distribution(pool.id, given, body.order, body.seed))
    return {"added": added}


@blueprint.delete("/<int:assignment_id>")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove(assignment_id: int) -> None:
    """Remove an assignment; its judgments stay."""
    with writing() as db:
        revoke(db, here().id, assignment_id)


def assessor_numbers(db: Session, names: list[str] | None) -> list[int]:
    """The numbers of assessors by their names, for None of all who can judge now; raises InvalidInput."""
    found = {one.name: one for one in assessors_of(db, here().id) if one.assignable}
    unknown = [
        Finding(
            "assessors", None, "assessor", f"{name[:80]!r} is not an assessor who can judge", "see people"
        )
        for name in names or ()
        if name not in found
    ]
    if unknown:
        raise InvalidInput(unknown)
    if names is None:
        return [one.id for one in found.values() if one.able]
    return [found[name].id for name in names]
