"""Loading a collection of `ir_datasets` by its id: the form, and how far it is."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.datasets import DatasetPart, available
from workbench.web.access import here, organiser
from workbench.web.collections import AskedCollection, begin_load, last_load
from workbench.web.context import reading, writing
from workbench.web.forms import Findings, errors_on, sent_text
from workbench.web.requests import go_to
from workbench.workflow.job_kinds import COLLECTION
from workbench.workflow.jobs import cancel, latest
from workbench.workflow.overview.readiness import readiness

blueprint = Blueprint("dataset", __name__, url_prefix="/c/<slug>/dataset")


@blueprint.get("")
@organiser
def index(findings: Findings = ()) -> str:
    """The form, and what became of the last collection."""
    with reading() as db:
        state = readiness(db, here().id)
    last = last_load()
    usual = DatasetPart.DOCUMENTS if state.missing or state.draft else DatasetPart.TOPICS
    return render_template(
        "documents/dataset.html",
        available=available(),
        sent=_asked()
        if findings
        else AskedCollection(last.arguments["dataset"] if last else "", (usual.value,)),
        job=last,
        pooled=bool(state.pools or state.draft),
        findings=findings,
    )


@blueprint.post("")
@organiser
def load() -> Response:
    """Start loading parts of a collection."""
    with errors_on(index, "Collection", "dataset"):
        begin_load(_asked())
    return go_to("dataset.index")


@blueprint.get("/progress")
@organiser
def progress() -> str:
    """How far it is: the piece of the page that asks for itself while a collection is loaded."""
    return render_template("documents/_fetch.html", job=last_load())


@blueprint.post("/end")
@organiser
def end() -> Response:
    """End the loading; what is loaded stays."""
    with writing() as db:
        running = latest(db, here().id, COLLECTION)
        if running is not None:
            cancel(db, running.id)
    return go_to("dataset.index")


def _asked() -> AskedCollection:
    return AskedCollection(
        sent_text("dataset").strip(),
        tuple(part.value for part in DatasetPart if part in request.form.getlist("part")),
        sent_text("assessor").strip(),
    )
