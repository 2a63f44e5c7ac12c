"""The searches of a person, to look at and to save as a manual run."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, WorkbenchError
from workbench.web.access import here, organiser
from workbench.web.context import app_context, reading, writing
from workbench.web.forms import findings_of, sent_text, status_of
from workbench.web.pages.overview.steps import announce_step
from workbench.web.pages.runs.metadata_form import sent_group
from workbench.web.requests import see_other
from workbench.workflow.people.groups import group_names, require_group
from workbench.workflow.runs.packed_store import pack_apart
from workbench.workflow.runs.run_checks import run_checker
from workbench.workflow.runs.run_metadata import RunKind, read_metadata
from workbench.workflow.runs.store import store_run
from workbench.workflow.searching.session_run import ORDER, checked_session_run, search_session

blueprint = Blueprint("search_run", __name__, url_prefix="/c/<slug>/search/run")


@blueprint.get("/<int:account_id>")
@organiser
def index(account_id: int) -> str:
    """What a person's searches give, by topic, and the form to save it."""
    return _page(account_id)


@blueprint.post("/<int:account_id>")
@organiser
def save(account_id: int) -> Response | tuple[str, int]:
    """Check the run as an uploaded one, and add it to the campaign's."""
    tag = sent_text("tag").strip()
    try:
        metadata = read_metadata(
            {"kind": RunKind.MANUAL, "description": sent_text("description")}, group_id=sent_group()
        )
        with reading() as db:
            if metadata.group_id is not None:
                require_group(db, here().id, metadata.group_id)
            session = search_session(db, here().id, account_id)
            upload = checked_session_run(run_checker(db, here().id), session, tag)
        with writing() as db:
            store_run(db, here().id, upload, metadata)
    except WorkbenchError as error:
        return _page(account_id, findings_of(error, "Run", "tag")), status_of(error)
    pack_apart(app_context().database, here().id)
    announce_step(f"Run {tag} added.")
    return see_other(url_for("runs.run", tag=tag))


def _page(account_id: int, findings: tuple[Finding, ...] = ()) -> str:
    with reading() as db:
        session = search_session(db, here().id, account_id)
        groups = group_names(db, here().id)
    return render_template(
        "search/run.html", session=session, groups=groups, order=ORDER, typed=request.form, findings=findings
    )
