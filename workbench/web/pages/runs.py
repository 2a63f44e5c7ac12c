"""The runs of a campaign: the list with its warnings, adding many at once, downloading, removing."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Conflict, Finding, WorkbenchError
from workbench.web import notices
from workbench.web.about_form import KINDS, sent_about, typed_about
from workbench.web.access import here, viewer
from workbench.web.door import reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import counted, findings_of, sent_files, sent_id, status_of
from workbench.web.readers import organiser, reader
from workbench.web.requests import see_other
from workbench.web.run_choice import SORTS, run_choice
from workbench.workflow import submitting
from workbench.workflow.about_runs import Verdict
from workbench.workflow.collecting import topics_of
from workbench.workflow.groups import group_names, require_group
from workbench.workflow.submitting import RunsAdded

blueprint = Blueprint("runs", __name__, url_prefix="/c/<slug>/runs")


@blueprint.get("")
@reader
def index() -> str:
    """The list of runs."""
    return _page()


@blueprint.post("")
@organiser
def add() -> Response | tuple[str, int]:
    """Add runs; a refused file leaves nothing, the others are kept, and the page says which is which."""
    try:
        files, about = sent_files(), sent_about()
        with writing() as db:
            if about.group_id is not None:
                require_group(db, here().id, about.group_id)
            result = submitting.add_runs(
                db,
                here().id,
                files,
                added_by=viewer().id,
                about=about,
                replacing="replacing" in request.form,
            )
    except WorkbenchError as error:
        return _page(findings_of(error, "Runs")), status_of(error)
    if result.refused:
        return render_template("runs/added.html", result=result), 422
    notices.say(_in_words(result))
    return see_other(url_for("runs.index"))


@blueprint.get("/file")
@reader
def file() -> Response:
    """A run as it was sent, uncompressed; `?tag=` names it, `?sha256=` an earlier version of it."""
    with reading() as db:
        name, content = submitting.run_content(
            db, here().id, sent_id("tag"), sha256=request.args.get("sha256") or None
        )
    return attachment(content, name)


@blueprint.get("/remove")
@organiser
def confirm_removal() -> str:
    """Ask once more."""
    with reading() as db:
        run = submitting.run_line(db, here().id, sent_id("tag"))
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
        submitting.remove_run(db, here().id, tag)
    notices.say(f"Run {tag} is removed.")
    return see_other(url_for("runs.index"))


def _in_words(result: RunsAdded) -> str:
    noted = sum(bool(line.warnings) for line in result.added)
    return f"{counted(len(result.added), 'run')} added" + (f", {noted:,} with warnings." if noted else ".")


def _page(findings: tuple[Finding, ...] = ()) -> str:
    choice = run_choice()
    with reading() as db:
        runs = submitting.runs_of(db, here().id)
        topics = len(topics_of(db, here().id))
        groups = group_names(db, here().id)
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
        kinds=KINDS,
        typed=typed_about(),
        replacing="replacing" in request.form,
        findings=findings,
    )
