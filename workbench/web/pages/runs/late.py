"""The late-run desk: what nobody has judged of a run, and one action that has it judged."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import rejected
from workbench.figures import counted
from workbench.web.access import here, organiser, reader, viewer
from workbench.web.context import app_context, reading
from workbench.web.forms import Findings, accepted, errors_on, form_number, sent_id
from workbench.web.ids import write_id
from workbench.workflow.judging.late_runs import HolesFilled, fill_holes, holes_of

blueprint = Blueprint("late_runs", __name__, url_prefix="/c/<slug>/runs/holes")
DEPTH = "10"


@blueprint.get("")
@reader
def holes(findings: Findings = ()) -> str:
    """The unjudged documents of a run by cut-off and topic; `?tag=` names it."""
    tag = sent_id("tag")
    with reading() as db:
        return render_template(
            "runs/late.html",
            holes=holes_of(db, here().id, tag),
            tag_in_address=write_id(tag),
            depth=request.form.get("depth", DEPTH),
            findings=findings,
        )


@blueprint.post("")
@organiser
def fill() -> Response:
    """Make the supplementary pool, for the assessors who know the topics."""
    tag = sent_id("tag")
    depth = form_number("depth")
    with errors_on(holes, "Depth", "depth"):
        if depth is None or depth < 1:
            raise rejected("Depth", None, "depth", "this is not a number of documents", "enter 1 or more")
        filled = fill_holes(app_context().database, here().id, tag, depth=depth, created_by=viewer().id)
    return accepted(_in_words(filled), "assignments.index", pool=filled.pool.pool.id)


def _in_words(filled: HolesFilled) -> str:
    pool = filled.pool.pool
    size, given = counted(pool.pairs, "pair"), counted(filled.assigned, "assignment")
    message = f"Pool “{pool.name}” has {size}; {given} added."
    if filled.unassigned:
        message += (
            f" {counted(filled.unassigned, 'topic has', 'topics have')} no judgments yet: assign them here."
        )
    return message
