"""A participant's runs: those of the own group only, sent, looked at, changed and withdrawn."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Conflict, Finding, InvalidInput
from workbench.web import notices
from workbench.web.access import here, participant, viewer
from workbench.web.context import reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import sent_id
from workbench.web.ids import write_id
from workbench.web.pages.runs.metadata import one_file
from workbench.web.pages.runs.metadata_form import KINDS, AboutForm, about_as_typed, sent_about, typed_about
from workbench.web.requests import see_other
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.people.groups import own_groups
from workbench.workflow.runs import own_runs
from workbench.workflow.runs.uploads import waiting_batches

blueprint = Blueprint("own_runs", __name__, url_prefix="/c/<slug>/own-runs")
Answer = Response | tuple[str, int]


@blueprint.get("")
@participant
def index() -> str:
    """The group's runs, and the form for one more."""
    with reading() as db:
        runs = own_runs.own_runs(db, here().id, viewer().id)
        groups = own_groups(db, here().id, viewer().id)
        batches = waiting_batches(db, here().id, groups=list(groups))
        topics = len(topics_of(db, here().id))
    return render_template("my_runs/index.html", runs=runs, groups=groups, batches=batches, topics=topics)


@blueprint.get("/run")
@participant
def run() -> str:
    """The record of one of the group's runs; `?tag=` names it."""
    return _page(sent_id("tag"))


@blueprint.post("/run")
@participant
def change() -> Answer:
    """Say something else of a run that is not in use."""
    tag = sent_id("tag")
    try:
        about = sent_about()
        with writing() as db:
            own_runs.change_own(db, here().id, viewer().id, tag, about)
    except InvalidInput as error:
        return _page(tag, typed=typed_about(), findings=error.findings), 422
    notices.add(f"The record of run {tag} is saved.")
    return see_other(url_for("own_runs.run", tag=write_id(tag)))


@blueprint.post("/run/replace")
@participant
def replace() -> Answer:
    """Replace a run that is not in use by a file with the same tag."""
    tag = sent_id("tag")
    try:
        file = one_file()
        with writing() as db:
            own_runs.replace_own(db, here().id, viewer().id, tag, file)
    except InvalidInput as error:
        return _page(tag, refused=error.findings), 422
    notices.add(f"Run {tag} is replaced; the earlier version is kept.")
    return see_other(url_for("own_runs.run", tag=write_id(tag)))


@blueprint.get("/run/file")
@participant
def file() -> Response:
    """A run of the group as it was sent; `?sha256=` names an earlier version."""
    sha256 = request.args.get("sha256") or None
    with reading() as db:
        name, content = own_runs.own_content(db, here().id, viewer().id, sent_id("tag"), sha256=sha256)
    return attachment(content, name)


@blueprint.get("/run/withdraw")
@participant
def confirm_withdrawal() -> str:
    """Ask once more."""
    with reading() as db:
        record = own_runs.own_record(db, here().id, viewer().id, sent_id("tag"))
    if record.run.in_use:
        raise Conflict("this run is in use and stays as it is", remedy="ask the organiser")
    return render_template("my_runs/withdraw.html", record=record)


@blueprint.post("/run/withdraw")
@participant
def withdraw() -> Response:
    """Take a run back that is not in use."""
    tag = sent_id("tag")
    with writing() as db:
        own_runs.withdraw_own(db, here().id, viewer().id, tag)
    notices.add(f"Run {tag} is withdrawn.")
    return see_other(url_for("own_runs.index"))


def _page(
    tag: str,
    *,
    typed: AboutForm | None = None,
    findings: tuple[Finding, ...] = (),
    refused: tuple[Finding, ...] = (),
) -> str:
    with reading() as db:
        record = own_runs.own_record(db, here().id, viewer().id, tag)
    return render_template(
        "my_runs/run.html",
        record=record,
        typed=typed or about_as_typed(record.run.about),
        kinds=KINDS,
        findings=findings,
        refused=refused,
    )
