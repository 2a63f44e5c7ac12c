"""Answers that arrived and could not be recorded: the list, and what becomes of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.json_forms import Counted, PageJson, UnrecordedJson, filled
from workbench.web.access import here, organiser, viewer
from workbench.web.api.cursors import FORBID, Number, PageQuery, page_of
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.judging.unrecorded import Settlement, UnrecordedLine, settle, unrecorded_lines
from workbench.workflow.people.access_tokens import Scope

blueprint = Blueprint("unrecorded", __name__, url_prefix="/campaigns/<slug>/judgments/unrecorded")


@dataclass(frozen=True, slots=True)
class SentSettlement:
    """Unrecorded answers by their numbers, and what becomes of them."""

    __pydantic_config__ = FORBID
    answers: Annotated[list[Number], Field(min_length=1, max_length=10_000)]
    settlement: Settlement


@blueprint.get("")
@organiser
@operation(PageJson[UnrecordedJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[UnrecordedJson]:
    """List the answers that could not be recorded, in the order in which they arrived."""
    with reading() as db:
        found = sorted(unrecorded_lines(db, here().id), key=lambda one: one.id)
    return page_of(found, query, key=lambda one: one.id, form=_line)


@blueprint.post("")
@organiser
@operation(Counted, scope=Scope.MANAGE, body=SentSettlement)
def act(body: SentSettlement) -> Counted:
    """Record or dismiss answers, in the order in which they arrived; all of them, or none."""
    chosen = sorted(set(body.answers))
    with writing() as db:
        for number in chosen:
            settle(db, here().id, number, viewer().id, settlement=body.settlement)
    return {"count": len(chosen)}


def _line(one: UnrecordedLine) -> UnrecordedJson:
    now = one.current
    return filled(
        UnrecordedJson,
        one,
        answer_id=one.id,
        current_answer=None if now is None else now.answer,
        current_grade=None if now is None else now.grade,
    )
