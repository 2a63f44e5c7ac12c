"""The runs of a campaign: the list with its warnings, downloading, removing."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Conflict
from workbench.records import Verdict
from workbench.web import notices
from workbench.web.access import here, organiser, reader
from workbench.web.context import reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import sent_id
from workbench.web.pages.runs.metadata_form import KINDS, typed_about
from workbench.web.pages.runs.run_choice import SORTS, run_choice
from workbench.web.requests import see_other
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.people.groups import group_names
from workbench.workflow.runs import run_records, store
from workbench.workflow.runs.uploads import waiting_batches

blueprint = Blueprint("runs", __name__, url_prefix="/c/<slug>/runs")


@blueprint.get("")
@reader
def index() -> str:
    """The list of runs."""
    return _page()


@blueprint.get("/file")
@reader
def file() -> Response:
    """A run as it was sent, uncompressed; `?tag=` names it, `?sha256=` an earlier version of it."""
    with reading() as db:
        name, content = store.run_content(
            db, here().id, sent_id("tag"), sha256=request.args.get("sha256") or None
        )
    return attachment(content, name)


@blueprint.get("/remove")
@organiser
def confirm_removal() -> str:
    """Ask once more."""
    with reading() as db:
        run = run_records.campaign_run(db, here().id, sent_id("tag"))
    if run.in_use:
        pool = (*run.pools, *run.earlier_pools)[0]
        raise Conflict(f"pool {pool!r} was built from run {run.tag!r}", remedy="a pooled run stays")
    return render_template("runs/remove.html", run=run)


@blueprint.post("/remove")
@organiser
def remove() -> Response:
    """Forget a run that is in no pool."""
    tag = sent_id("tag")
    with writing() as db:
        store.remove_run(db, here().id, tag)
    notices.add(f"Run {tag} is removed.")
    return see_other(url_for("runs.index"))


def _page() -> str:
    choice = run_choice()
    with reading() as db:
        runs = run_records.runs_of(db, here().id)
        topics = len(topics_of(db, here().id))
        groups = group_names(db, here().id)
        batches = waiting_batches(db, here().id)
    waiting = [run.tag for run in choice.of(runs) if run.verdict is Verdict.RECEIVED]
    return render_template(
        "runs/index.html",
        runs=choice.of(runs),
        count=len(runs),
        topics=topics,
        groups=groups,
        choice=choice,
        sorts=SORTS,
        verdicts=tuple(Verdict),
        waiting=waiting,
        batches=batches,
        kinds=KINDS,
        typed=typed_about(),
    )
