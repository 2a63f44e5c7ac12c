"""What the pool still misses: samples of what was not pooled, and what they say."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import rejected
from workbench.figures import counted
from workbench.web.access import here, organiser, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import Findings, accepted, errors_on, form_number, form_text, sent_id, whole_number
from workbench.web.pages.pools.pool_choice import pool_line
from workbench.web.results import MadeResult, result
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.pools.listing import pools_of
from workbench.workflow.pools.pool_rows import PoolState
from workbench.workflow.searching.missed import SampleDraw, keep_draw, missed_export, missed_report, plan_draw

blueprint = Blueprint("missed", __name__, url_prefix="/c/<slug>/missed")


@blueprint.get("")
@organiser
def index(findings: Findings = ()) -> str:
    """What the samples say, by topic and together, and the form to draw some."""
    with reading() as db:
        return render_template(
            "search/missed.html",
            findings=findings,
            typed=request.form,
            report=missed_report(db, here().id),
            topics=topics_of(db, here().id),
            pools=[
                one for one in pools_of(db, here().id) if one.state is PoolState.OPEN and not one.adaptive
            ],
        )


@blueprint.post("")
@organiser
def draw() -> Response:
    """Draw a sample of one topic or of all and add it to a pool."""
    with errors_on(index, "Sample", "sample"):
        asked = _asked()
        with reading() as db:
            planned = plan_draw(db, here().id, asked)
        with writing() as db:
            keep_draw(db, here().id, planned)
    new = sum(len(one.new) for one in planned.topics)
    return accepted(
        f"{counted(new, 'document')} of {counted(len(planned.topics), 'topic')} added to pool {asked.pool}",
        "missed.index",
    )


@blueprint.get("/table.<any(csv, json):kind>")
@organiser
@result
def table_file() -> MadeResult:
    """The topics as CSV; as JSON all together too."""
    with reading() as db:
        return MadeResult("missed", missed_export(missed_report(db, here().id)))


def _asked() -> SampleDraw:
    size, seed = form_number("size"), form_text("seed").strip()
    if size is None:
        raise rejected("Sample", None, "size", "the number of documents is missing", "give one")
    if seed and whole_number(seed) is None:
        raise rejected("Sample", None, "seed", "the seed is not a whole number", "correct it")
    topic = sent_id("topic")
    with reading() as db:
        pool = pool_line(db, form_number("pool")).name
    return SampleDraw(pool, size, (topic,) if topic else (), whole_number(seed), viewer().id)
