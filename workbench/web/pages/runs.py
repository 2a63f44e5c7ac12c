"""The runs of a campaign: the list with its warnings, downloading, removing."""

from __future__ import annotations

from flask import Blueprint, render_template, url_for
from werkzeug.wrappers import Response

from workbench.errors import Conflict, NotFound
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here
from workbench.web.door import reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import sent_id
from workbench.web.readers import organiser, reader
from workbench.web.requests import see_other
from workbench.workflow import submitting
from workbench.workflow.checked_files import waiting_batches
from workbench.workflow.collecting import topics_of
from workbench.workflow.submitting import RunLine

blueprint = Blueprint("runs", __name__, url_prefix="/c/<slug>/runs")


@blueprint.get("")
@reader
def index() -> str:
    """The list of runs."""
    return _page()


@blueprint.get("/file")
@reader
def file() -> Response:
    """A run as it was sent, uncompressed; `?tag=` names it."""
    with reading() as db:
        name, content = submitting.run_content(db, here().id, sent_id("tag"))
    return attachment(content, name)


@blueprint.get("/remove")
@organiser
def confirm_removal() -> str:
    """Ask once more."""
    with reading() as db:
        run = _run(db, sent_id("tag"))
    if run.pools:
        raise Conflict(f"pool {run.pools[0]!r} was built from run {run.tag!r}", remedy="a pooled run stays")
    return render_template("runs/remove.html", run=run)


@blueprint.post("/remove")
@organiser
def remove() -> Response:
    """Forget a run that is in no pool."""
    tag = sent_id("tag")
    with writing() as db:
        submitting.remove_run(db, here().id, tag)
    notices.say(f"Run {tag} is removed.")
    return see_other(url_for("runs.index"))


def _run(db: Session, tag: str) -> RunLine:
    for run in submitting.runs_of(db, here().id):
        if run.tag == tag:
            return run
    raise NotFound(f"there is no run {tag!r} in this campaign")


def _page() -> str:
    with reading() as db:
        runs = submitting.runs_of(db, here().id)
        topics = len(topics_of(db, here().id))
        waiting = waiting_batches(db, here().id)
    return render_template("runs/index.html", runs=runs, topics=topics, waiting=waiting)
