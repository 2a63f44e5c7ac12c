"""What the pools had or may have missed: what searching found, and samples of what was not pooled."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, cast

from flask import Blueprint
from pydantic import Field

from workbench.json_forms import DrawnSampleJson, DrawnTopicJson, MissedJson, SearchingReportJson, filled
from workbench.web.access import here, organiser, viewer
from workbench.web.api.cursors import FORBID, Seed, Whole
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.searching.drawing import SampleDraw, keep_draw, plan_draw
from workbench.workflow.searching.missed import missed_report
from workbench.workflow.searching.report import found_by_search

blueprint = Blueprint("missed", __name__, url_prefix="/campaigns/<slug>/missed")


@dataclass(frozen=True, slots=True)
class SentSample:
    """A sample of `size` documents of each topic (of all if None), which join a pool that is open."""

    __pydantic_config__ = FORBID
    pool: str
    size: Annotated[Whole, Field(ge=1, le=10**6)]
    topics: Annotated[list[str], Field(min_length=1)] | None = None
    seed: Seed | None = None


@blueprint.get("")
@organiser
@operation(MissedJson)
def show() -> MissedJson:
    """Estimate how many relevant documents the pools miss, by topic that was sampled and together."""
    with reading() as db:
        return cast(MissedJson, asdict(missed_report(db, here().id)))


@blueprint.get("/found")
@organiser
@operation(SearchingReportJson)
def found() -> SearchingReportJson:
    """Show what searching found that no run had, by topic, person and document."""
    with reading() as db:
        return cast(SearchingReportJson, asdict(found_by_search(db, here().id)))


@blueprint.post("/samples")
@organiser
@operation(DrawnSampleJson, scope=Scope.MANAGE, body=SentSample, status=201)
def draw(body: SentSample) -> DrawnSampleJson:
    """Draw a sample of what was not pooled and add it to a pool."""
    asked = SampleDraw(body.pool, body.size, tuple(body.topics or ()), body.seed, viewer().id)
    with reading() as db:
        planned = plan_draw(db, here().id, asked)
    with writing() as db:
        keep_draw(db, here().id, planned)
    return filled(DrawnSampleJson, planned, topics=[filled(DrawnTopicJson, one) for one in planned.topics])
