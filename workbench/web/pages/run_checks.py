"""The dry run: files are checked and told, and become runs only when somebody keeps them."""

from __future__ import annotations

import io
from typing import BinaryIO

from flask import Blueprint, jsonify, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import NotFound, WorkbenchError
from workbench.formats.run_report import RunReport, Verdict, report_to_json
from workbench.web import notices
from workbench.web.about_form import KINDS, sent_about
from workbench.web.access import here, viewer
from workbench.web.door import reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import counted, sent_files, sent_text, status_of, whole_number
from workbench.web.readers import organiser
from workbench.web.requests import see_other
from workbench.web.templating import fresh_id
from workbench.workflow import checked_files
from workbench.workflow.groups import group_names, require_group
from workbench.workflow.run_checks import CheckedRun, Expected, check_file, expected_of

blueprint = Blueprint("run_checks", __name__, url_prefix="/c/<slug>/runs/checked")
# Of more refused files than these the details are folded.
MOST_OPEN = 6


@blueprint.post("")
@organiser
def add() -> Response | tuple[Response, int]:
    """Check files and put them into a batch; nothing of them is a run. A program is answered in JSON."""
    try:
        return _add(sent_text("batch") or fresh_id())
    except WorkbenchError as error:
        if not _wants_json():
            raise
        return jsonify(error=str(error)), 404 if isinstance(error, NotFound) else status_of(error)


def _add(batch: str) -> Response:
    expected = _expected(batch)
    reports = []
    for name, stream in sent_files():
        checked = _check(expected, batch, name, stream)
        expected = expected.with_run(checked)
        reports.append(checked.report)
    address = url_for("run_checks.batch", batch=batch)
    if _wants_json():
        return jsonify(address=address, files=[_brief(report) for report in reports])
    return see_other(address)


@blueprint.get("/<batch>")
@organiser
def batch(batch: str) -> str | Response:
    """What was found in the files of a batch; `?format=json` for a program."""
    with reading() as db:
        found = checked_files.batch_of(db, here().id, batch)
        groups = group_names(db, here().id)
    if request.args.get("format") == "json" or _wants_json():
        return jsonify(
            batch=found.name,
            added_at=found.added_at.isoformat(),
            files=[
                {"id": one.id, "kept": one.kept_at is not None, **report_to_json(one.report)}
                for one in found.files
            ],
        )
    counts = {str(verdict): len(found.of(verdict)) for verdict in Verdict}
    opened = counts[Verdict.REFUSED] <= MOST_OPEN
    return render_template(
        "run_checks/batch.html", batch=found, counts=counts, opened=opened, groups=groups, kinds=KINDS
    )


@blueprint.post("/<batch>/keep")
@organiser
def keep(batch: str) -> Response:
    """Make runs of the chosen files; what is kept already stays as it is."""
    ids = [_number(text) for text in request.form.getlist("file")]
    if not ids:
        notices.say("No file was chosen: tick those that are to be kept.", "fair")
        return see_other(url_for("run_checks.batch", batch=batch))
    about = sent_about()
    with writing() as db:
        if about.group_id is not None:
            require_group(db, here().id, about.group_id)
        kept = checked_files.keep_checked(db, here().id, batch, ids, by=viewer().id, about=about)
    before = f"; {counted(kept.before, 'file was', 'files were')} kept before" if kept.before else ""
    notices.say(f"{counted(len(kept.tags), 'run')} added{before}.")
    with reading() as db:
        left = len(checked_files.batch_of(db, here().id, batch).files) - len(ids)
    return see_other(url_for("run_checks.batch", batch=batch) if left > 0 else url_for("runs.index"))


@blueprint.post("/<batch>/discard")
@organiser
def discard(batch: str) -> Response:
    """Forget the files that are no runs."""
    with writing() as db:
        gone = checked_files.discard_batch(db, here().id, batch)
    notices.say(f"{counted(gone, 'file')} discarded.")
    return see_other(url_for("runs.index"))


@blueprint.post("/<batch>/<int:number>")
@organiser
def replace(batch: str, number: int) -> Response:
    """Check one file and put it in the place of another of the batch."""
    (name, stream), *more = sent_files()
    if more:
        raise WorkbenchError("one file takes the place of one", remedy="choose a single file")
    checked = _check(_expected(batch), batch, name, stream, instead_of=number)
    _say(checked.report)
    return see_other(url_for("run_checks.batch", batch=batch))


@blueprint.get("/<batch>/<int:number>/corrected")
@organiser
def corrected(batch: str, number: int) -> Response:
    """The corrected file, as far as the mend is mechanical; `?tag=` chooses one of several tags."""
    name, content = _corrected(_expected(batch), batch, number)
    return attachment(content, name)


@blueprint.post("/<batch>/<int:number>/corrected")
@organiser
def mend(batch: str, number: int) -> Response:
    """Put the corrected file in the place of the one that was sent."""
    expected = _expected(batch)
    name, content = _corrected(expected, batch, number)
    checked = _check(expected, batch, name, io.BytesIO(content), instead_of=number)
    _say(checked.report)
    return see_other(url_for("run_checks.batch", batch=batch))


def _expected(batch: str) -> Expected:
    with reading() as db:
        return expected_of(db, here().id, batch=batch, opening=reading)


def _check(
    expected: Expected, batch: str, name: str, stream: BinaryIO, *, instead_of: int | None = None
) -> CheckedRun:
    """Check a file while nothing is locked, then keep what was found."""
    checked = check_file(expected, name, stream)
    with writing() as db:
        checked_files.add_checked(db, here().id, batch, checked, added_by=viewer().id, instead_of=instead_of)
    return checked


def _corrected(expected: Expected, batch: str, number: int) -> tuple[str, bytes]:
    with reading() as db:
        name, content = checked_files.checked_content(db, here().id, batch, number)
    return checked_files.corrected(expected, name, content, tag=sent_text("tag") or None)


def _say(report: RunReport) -> None:
    if report.error_count:
        notices.say(f"{report.file} is checked: {counted(report.error_count, 'error')} in it.", "poor")
    else:
        notices.say(f"{report.file} is checked: {report.verdict}.")


def _brief(report: RunReport) -> dict[str, object]:
    return {
        "file": report.file,
        "verdict": str(report.verdict),
        "errors": report.error_count,
        "warnings": len(report.warnings),
    }


def _wants_json() -> bool:
    best = request.accept_mimetypes.best_match(["text/html", "application/json"])
    return best == "application/json"


def _number(text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise NotFound("this batch has no such file", remedy="open the batch again")
    return number
