"""Loading a collection of `ir_datasets` by its id: the form, and how far it is."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.datasets import DatasetPart, available
from workbench.errors import Finding, WorkbenchError
from workbench.web.access import here, organiser
from workbench.web.context import app_context, reading
from workbench.web.dataset_fetches import (
    DatasetFetch,
    chosen_parts,
    last_fetch,
    require_parts,
    start_fetch,
)
from workbench.web.forms import findings_of, sent_text, status_of
from workbench.web.requests import see_other
from workbench.workflow.overview.readiness import readiness

blueprint = Blueprint("dataset", __name__, url_prefix="/c/<slug>/dataset")


@blueprint.get("")
@organiser
def index() -> str:
    """The form, and what became of the last collection."""
    return _page()


@blueprint.post("")
@organiser
def load() -> Response | tuple[str, int]:
    """Start loading parts of a collection."""
    fetch = DatasetFetch(
        sent_text("dataset").strip(),
        chosen_parts(request.form.getlist("part")),
        sent_text("assessor").strip(),
    )
    try:
        require_parts(fetch)
        start_fetch(app_context().settings, here().id, fetch)
    except WorkbenchError as error:
        return _page(fetch, findings_of(error, "Collection", "dataset")), status_of(error)
    return see_other(url_for("dataset.index"))


@blueprint.get("/progress")
@organiser
def progress() -> str:
    """How far it is: the piece of the page that asks for itself while a collection is loaded."""
    return render_template(
        "documents/_fetch.html", fetch=last_fetch(app_context().settings.instance, here().id)
    )


def _page(fetch: DatasetFetch | None = None, findings: tuple[Finding, ...] = ()) -> str:
    with reading() as db:
        state = readiness(db, here().id)
    last = last_fetch(app_context().settings.instance, here().id)
    usual = DatasetPart.DOCUMENTS if state.missing or state.draft else DatasetPart.TOPICS
    return render_template(
        "documents/dataset.html",
        available=available(),
        sent=fetch or DatasetFetch(last.dataset if last else "", (usual.value,)),
        fetch=last,
        pooled=bool(state.pools or state.draft),
        findings=findings,
    )
