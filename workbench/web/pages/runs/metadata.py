"""The record of a run: everything about it, what may be changed of it, and the records of all as a table."""

from __future__ import annotations

from typing import BinaryIO

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.formats.metadata_table import COLUMNS, MetadataTable, read_metadata_table, write_table
from workbench.records import Verdict
from workbench.web import notices
from workbench.web.access import here, organiser, reader, viewer
from workbench.web.context import reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import (
    announce,
    counted,
    findings_of,
    sent_files,
    sent_id,
    sent_ids,
    status_of,
    with_each,
)
from workbench.web.ids import write_id
from workbench.web.pages.runs.metadata_form import KINDS, AboutForm, about_as_typed, sent_about, typed_about
from workbench.web.pages.runs.run_choice import run_choice
from workbench.web.requests import see_other
from workbench.workflow.people.groups import group_names
from workbench.workflow.runs import run_records, store
from workbench.workflow.runs.metadata_tables import HEADER, RecordsLoaded, load_records, record_rows
from workbench.workflow.runs.run_records import runs_of

blueprint = Blueprint("records", __name__, url_prefix="/c/<slug>/runs")
Answer = Response | tuple[str, int]


@blueprint.get("/run")
@reader
def run() -> str:
    """The record of one run; `?tag=` names it."""
    return _page(sent_id("tag"))


@blueprint.post("/run")
@organiser
def change() -> Answer:
    """Say something else of a run."""
    tag = sent_id("tag")
    try:
        about = sent_about()
        with writing() as db:
            run_records.change_record(db, here().id, tag, about)
    except InvalidInput as error:
        return _page(tag, typed=typed_about(), findings=error.findings), 422
    notices.add(f"The record of run {tag} is saved.")
    return _to(tag)


@blueprint.post("/run/verdict")
@organiser
def judge() -> Answer:
    """Accept a run, set it aside with a reason, or say that it is only received."""
    tag, reason = sent_id("tag"), request.form.get("reason", "")
    verdict = _verdict()
    try:
        with writing() as db:
            given = reason if verdict is Verdict.SET_ASIDE else ""
            run_records.give_verdict(db, here().id, [tag], verdict, reason=given, by=viewer().id)
    except WorkbenchError as error:
        return _page(tag, reason=reason, findings=findings_of(error, "Reason", "reason")), status_of(error)
    notices.add(f"Run {tag} is {verdict.words}.")
    return _to(tag)


@blueprint.post("/accept")
@organiser
def accept() -> Response:
    """Accept several runs at once."""
    with writing() as db:
        changed = run_records.give_verdict(db, here().id, sent_ids("run"), Verdict.ACCEPTED, by=viewer().id)
    notices.add(f"{counted(changed, 'run')} accepted.")
    return see_other(url_for("runs.index"))


@blueprint.post("/run/replace")
@organiser
def replace() -> Answer:
    """Replace a run by a file with the same tag; the one there is kept as an earlier version."""
    tag = sent_id("tag")
    try:
        file = one_file()
        with writing() as db:
            store.replace_run(db, here().id, tag, file, added_by=viewer().id)
    except InvalidInput as error:
        return _page(tag, refused=error.findings), 422
    notices.add(f"Run {tag} is replaced; the earlier version is kept.")
    return _to(tag)


@blueprint.get("/records")
@organiser
def table() -> str:
    """How the records of many runs are changed at once."""
    return render_template("runs/metadata.html", columns=COLUMNS, new_groups=False, findings=())


@blueprint.post("/records")
@organiser
def load() -> Answer:
    """Load tables of records for runs that are there; all of it, or nothing."""
    new_groups = "new_groups" in request.form
    try:
        tables = with_each(sent_files(), lambda name, stream: read_metadata_table(stream, source=name))
        with writing() as db:

            def load_one(name: str, table: MetadataTable) -> RecordsLoaded:
                return load_records(db, here().id, table, source=name, new_groups=new_groups)

            done = with_each(tables, load_one)
    except WorkbenchError as error:
        found = findings_of(error, "Records")
        page = render_template("runs/metadata.html", columns=COLUMNS, new_groups=new_groups, findings=found)
        return page, status_of(error)
    announce([(name, _in_words(loaded)) for name, loaded in done])
    return see_other(url_for("runs.index"))


@blueprint.get("/records.csv")
@reader
def as_csv() -> Response:
    """The records of the runs that the address chooses, as CSV."""
    return attachment(_table(","), f"{here().slug}.runs.csv", kind="text/csv")


@blueprint.get("/records.tsv")
@reader
def as_tsv() -> Response:
    """The same, parted by tabs."""
    return attachment(_table("\t"), f"{here().slug}.runs.tsv", kind="text/tab-separated-values")


def one_file() -> tuple[str, BinaryIO]:
    """The one file of a form; raises InvalidInput where there are more, or none."""
    files = sent_files()
    if len(files) > 1:
        raise InvalidInput([Finding("Files", None, "files", f"these are {len(files)} files", "choose one")])
    return files[0]


def _table(parted: str) -> bytes:
    with reading() as db:
        runs = run_choice().of(runs_of(db, here().id))
    return write_table(HEADER, record_rows(runs), parted=parted)


def _verdict() -> Verdict:
    try:
        return Verdict(request.form.get("verdict", ""))
    except ValueError:
        remedy = f"one of {', '.join(Verdict)}"
        raise InvalidInput([Finding("Verdict", None, "verdict", "this is no verdict", remedy)]) from None


def _in_words(loaded: RecordsLoaded) -> str:
    said = f"{counted(loaded.rows, 'row')}, {counted(loaded.changed, 'record')} changed"
    if loaded.new_groups:
        said += f", {counted(len(loaded.new_groups), 'group')} made"
    if loaded.passed_over:
        said += f"; not read: {', '.join(loaded.passed_over)}"
    return said + "."


def _to(tag: str) -> Response:
    return see_other(url_for("records.run", tag=write_id(tag)))


def _page(
    tag: str,
    *,
    typed: AboutForm | None = None,
    reason: str | None = None,
    findings: tuple[Finding, ...] = (),
    refused: tuple[Finding, ...] = (),
) -> str:
    with reading() as db:
        record = run_records.run_record(db, here().id, tag)
        groups = group_names(db, here().id)
    return render_template(
        "runs/run.html",
        record=record,
        typed=typed or about_as_typed(record.run.about),
        groups=groups,
        kinds=KINDS,
        reason=record.run.verdict_reason if reason is None else reason,
        findings=findings,
        refused=refused,
    )
