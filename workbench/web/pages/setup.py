"""Setting up a campaign: topics, runs and documents dropped on one page, and what is still missing."""

from __future__ import annotations

import io
from typing import BinaryIO

from flask import Blueprint, jsonify, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.formats.recognition import FileKind, Recognised
from workbench.web.access import here, organiser, viewer
from workbench.web.context import app_context, read_here, reading, reading_here, write_here, writing
from workbench.web.forms import (
    Files,
    Findings,
    announce_notes,
    errors_on,
    findings_of,
    form_text,
    sent_files,
    status_of,
    wants_json,
)
from workbench.web.jobs import pack_runs_soon
from workbench.web.navigation import announce_step, step_way
from workbench.web.requests import Reply, go_to, see_other
from workbench.workflow import setup
from workbench.workflow.overview.readiness import readiness
from workbench.workflow.people.groups import Sender
from workbench.workflow.pools.planning import pace_of
from workbench.workflow.runs.uploads import (
    SET_UP_RUNS,
    Batch,
    add_to_batch,
    discard_batch,
    file_content,
    keep_files,
)

blueprint = Blueprint("setup", __name__, url_prefix="/c/<slug>/set-up")


@blueprint.get("")
@organiser
def index(findings: Findings = ()) -> str:
    """What was dropped and not added yet, and what judging still needs."""
    with reading_here() as (db, campaign_id):
        texts = setup.dropped_files(db, campaign_id)
        batch = setup.dropped_runs(db, campaign_id)
        state = readiness(db, campaign_id)
        hours = pace_of(db, campaign_id).hours(state.pairs) if state.pairs else None
    return render_template(
        "setup/index.html",
        texts=texts,
        runs=[one for one in batch.files if one.kept_at is None] if batch else [],
        ready=sum(one.ready for one in texts) + len(_keepable(batch)),
        batch=SET_UP_RUNS,
        state=state,
        hours=hours,
        steps=[(step, *step_way(step, state.draft)) for step in state.missing_steps],
        findings=findings,
    )


@blueprint.post("")
@organiser
def drop() -> Reply:
    """Recognise and check files; nothing of them is in the campaign yet. A script is answered in JSON."""
    try:
        _drop(sent_files())
    except WorkbenchError as error:
        if wants_json():
            return jsonify(error=str(error)), status_of(error)
        return index(findings_of(error, "Files")), status_of(error)
    address = url_for("setup.index")
    return jsonify(address=address) if wants_json() else see_other(address)


@blueprint.post("/add")
@organiser
def add() -> Reply:
    """Add everything that is ready: topics first, then documents, then runs, each file whole."""
    sender, done, notes = Sender(viewer().id), [], list[str]()
    with errors_on(index, "Files"):
        waiting = [one for one in read_here(setup.dropped_files) if one.ready]
        for one in sorted(waiting, key=lambda one: one.kind is not FileKind.TOPICS):
            if one.kind is FileKind.TOPICS:
                loaded = write_here(setup.add_topics, one.id, notes=notes)
                done.append(counted(loaded.read, "topic"))
            else:
                pooled = "pooled" in request.form
                loaded = setup.add_documents(
                    app_context().database, here().id, one.id, pooled=pooled, notes=notes, writing=writing
                )
                done.append(counted(loaded.read - loaded.passed_over, "document"))
        runs = _keepable(read_here(setup.dropped_runs))
        kept = []
        for number in runs:
            with writing() as db:  # one each: who saves meanwhile waits for one file
                kept.append(keep_files(db, here().id, SET_UP_RUNS, [number], sender=sender))
        pack_runs_soon()
        if tags := [tag for one in kept for tag in one.tags]:
            done.append(counted(len(tags), "run"))
    if refused := tuple(finding for one in kept for finding in one.refused):
        return index(refused), 422
    announce_notes(notes)
    announce_step(f"Added: {', '.join(done)}." if done else "Nothing was left to add.")
    return go_to("setup.index")


@blueprint.post("/<int:number>/kind")
@organiser
def read_as(number: int) -> Response:
    """Read topics as documents, or the other way round."""
    name, content = read_here(setup.dropped_content, number)
    kind = FileKind.TOPICS if form_text("kind") == FileKind.TOPICS else FileKind.DOCUMENTS
    checked = setup.check_text(name, content, Recognised(kind))
    write_here(setup.store_text, checked, Sender(viewer().id), instead_of=number)
    _check_runs_again()
    return go_to("setup.index")


@blueprint.post("/<int:number>/remove")
@organiser
def remove(number: int) -> Response:
    """Forget a dropped file that was not added."""
    write_here(setup.forget_dropped, number)
    _check_runs_again()
    return go_to("setup.index")


@blueprint.post("/discard")
@organiser
def discard() -> Response:
    """Forget the dropped runs that were not added."""
    write_here(discard_batch, SET_UP_RUNS)
    return go_to("setup.index")


def _drop(files: Files) -> None:
    sender = Sender(viewer().id)
    found = [(name, stream, setup.kind_of_file(name, stream)) for name, stream in files]
    texts = [one for one in found if one[2].kind is not FileKind.RUN]
    for name, stream, kind in texts:
        checked = setup.check_text(name, stream, kind)
        write_here(setup.store_text, checked, sender)
    if any(kind.kind is FileKind.TOPICS for _, _, kind in texts):
        _check_runs_again()
    _drop_runs([(name, stream) for name, stream, kind in found if kind.kind is FileKind.RUN], sender)


def _drop_runs(files: list[tuple[str, BinaryIO]], sender: Sender) -> None:
    if not files:
        return
    checker = read_here(setup.set_up_checker, reading)
    for name, stream in files:
        upload = setup.check_run_file(checker, name, stream)
        # Nothing was locked while the file was checked.
        write_here(add_to_batch, SET_UP_RUNS, upload, sender)
        checker = checker.with_run(upload) if checker is not None else None


def _check_runs_again() -> None:
    """Check the dropped runs once more, since other topics are to come now."""
    with reading_here() as (db, campaign_id):
        batch = setup.dropped_runs(db, campaign_id)
        checker = setup.set_up_checker(db, campaign_id, reading)
    for one in batch.files if batch else ():
        if one.kept_at is None and one.readable:
            name, content = read_here(file_content, SET_UP_RUNS, one.id)
            upload = setup.check_run_file(checker, name, io.BytesIO(content))
            write_here(add_to_batch, SET_UP_RUNS, upload, Sender(viewer().id), instead_of=one.id)


def _keepable(batch: Batch | None) -> list[int]:
    return [one.id for one in batch.keepable] if batch else []
