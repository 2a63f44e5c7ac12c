"""The pages of uploaded files, for organisers and participants: checked, corrected, added as runs."""

from __future__ import annotations

import io
from collections.abc import Collection
from functools import partial
from typing import BinaryIO

from flask import Blueprint, jsonify, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, NotFound, WorkbenchError
from workbench.figures import counted
from workbench.formats.run_report import FileVerdict, RunReport, by_finding, report_to_json
from workbench.formats.run_rules import NOTES
from workbench.web import notices
from workbench.web.access import here
from workbench.web.context import reading, writing, writing_here
from workbench.web.downloads import attachment
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    query_text,
    sent_files,
    sent_text,
    status_of,
    wants_json,
    whole_number,
)
from workbench.web.jobs import pack_runs_soon
from workbench.web.navigation import announce_step
from workbench.web.pages.run_records import KINDS, Face, sent_metadata, serve, typed_metadata
from workbench.web.requests import Reply, go_to, see_other
from workbench.web.templating import fresh_id
from workbench.workflow.runs.run_checks import RunChecker, check_file
from workbench.workflow.runs.uploads import (
    SET_UP_RUNS,
    Kept,
    add_to_batch,
    corrected_file,
    discard_batch,
    file_content,
    keep_files,
)
from workbench.workflow.setup import require_topics_added

# Of more refused files than these the details are folded.
MOST_OPEN = 6


def serve_uploads(blueprint: Blueprint, face: Face) -> None:
    """Give a blueprint the pages of uploaded files."""
    pages = _UploadPages(face)
    views = (
        ("", "POST", pages.add),
        ("/<batch>", "GET", pages.batch),
        ("/<batch>/keep", "POST", pages.keep),
        ("/<batch>/discard", "POST", pages.discard),
        ("/<batch>/<int:number>", "POST", pages.replace),
        ("/<batch>/<int:number>/corrected", "GET", pages.corrected),
        ("/<batch>/<int:number>/corrected", "POST", pages.correct),
    )
    serve(blueprint, face.may_change, views)


class _UploadPages:
    """The views of one face."""

    def __init__(self, face: Face) -> None:
        self._face = face

    def add(self) -> Reply:
        """Check files and put them into a batch; none of them is a run yet. A program is answered in JSON."""
        try:
            return self._add(sent_text("batch") or fresh_id())
        except WorkbenchError as error:
            if not wants_json():
                raise
            return jsonify(error=str(error)), 404 if isinstance(error, NotFound) else status_of(error)

    def batch(self, batch: str) -> Reply:
        """What was found in the files of a batch; `?format=json` for a program."""
        if query_text("format") != "json" and not wants_json():
            return self._page(batch)
        with reading() as db:
            found = self._face.batch(db, batch)
        return jsonify(
            batch=found.name,
            added_at=found.added_at.isoformat(),
            files=[
                {"id": one.id, "kept": one.kept_at is not None, **report_to_json(one.report)}
                for one in found.files
            ],
        )

    def keep(self, batch: str) -> Reply:
        """Make runs of the selected files; those that are runs already stay as they are."""
        ids = [_number(text) for text in request.form.getlist("file")]
        if not ids:
            notices.add("No file was selected. Tick the files first.", "fair")
            return go_to(".batch", batch=batch)
        with errors_on(partial(self._page, batch)):
            kept = self._kept(batch, ids)
            pack_runs_soon()
        done = "submitted" if self._face.own else "added"
        if kept.refused:
            # The good ones are runs now; the page says of each other file why it is none.
            return self._page(batch, kept.refused, f"{counted(len(kept.tags), 'run')} {done}."), 422
        before = len(set(ids)) - len(kept.tags)
        already = f"; {counted(before, 'file was a run', 'files were runs')} already" if before else ""
        outcome = f"{counted(len(kept.tags), 'run')} {done}{already}."
        if self._face.own:
            notices.add(outcome)
        else:
            announce_step(outcome)
        with reading() as db:
            left = len(self._face.batch(db, batch).files) - len(ids)
        return go_to(".batch", batch=batch) if left > 0 else go_to(self._face.home)

    def _kept(self, batch: str, ids: Collection[int]) -> Kept:
        """Make runs of files, each in a transaction of its own: who saves meanwhile waits for one file."""
        tags: list[str] = []
        refused: list[Finding] = []
        for number in sorted(set(ids)):
            with writing_here() as (db, campaign_id):
                metadata = self._face.check_metadata(db, sent_metadata())
                sender = self._face.sender(db)
                if batch == SET_UP_RUNS and not self._face.own:
                    require_topics_added(db, campaign_id)
                replacing = "replacing" in request.form
                kept = keep_files(db, campaign_id, batch, [number], metadata, sender, replacing=replacing)
            tags += kept.tags
            refused += kept.refused
        return Kept(tuple(tags), tuple(refused))

    def discard(self, batch: str) -> Response:
        """Delete the files that are not runs."""
        with writing() as db:
            deleted = discard_batch(db, here().id, batch, self._face.sender(db))
        return accepted(f"{counted(deleted, 'file')} discarded.", self._face.home)

    def replace(self, batch: str, number: int) -> Reply:
        """Check one file and put it in the place of another of the batch."""
        (name, stream), *more = sent_files()
        if more:
            raise WorkbenchError("only one file can replace a file", remedy="choose a single file")
        return self._instead_of(number, batch, self._checker(batch), name, stream)

    def corrected(self, batch: str, number: int) -> Reply:
        """The file as repaired automatically; `?tag=` chooses one of several tags."""
        name, content = self._corrected(self._checker(batch), batch, number)
        return attachment(content, name)

    def correct(self, batch: str, number: int) -> Reply:
        """Put the repaired file in the place of the one that was uploaded."""
        checker = self._checker(batch)
        name, content = self._corrected(checker, batch, number)
        return self._instead_of(number, batch, checker, name, io.BytesIO(content))

    def _add(self, batch: str) -> Response:
        with reading() as db:
            sender = self._face.sender(db)
            group_id = self._face.sent_group(sender)
            # Before the files are read: checking them takes its time.
            self._face.require_room(db, group_id)
            checker = self._face.checker(db, batch)
        reports = []
        for name, stream in sent_files():
            upload = check_file(checker, name, stream)
            # Nothing was locked while the file was checked.
            with writing() as db:
                self._face.require_room(db, group_id, more=len(upload.content_gzip or b""))
                add_to_batch(db, here().id, batch, upload, sender, group_id=group_id)
            checker = checker.with_run(upload)
            reports.append(self._face.report(upload.report))
        address = url_for(".batch", batch=batch)
        if wants_json():
            return jsonify(address=address, files=[_brief(report) for report in reports])
        return see_other(address)

    def _page(self, batch: str, findings: Findings = (), outcome: str = "") -> str:
        with reading() as db:
            found = self._face.batch(db, batch)
            groups = self._face.groups(db)
        counts = {str(verdict): len(found.of(verdict)) for verdict in FileVerdict}
        return render_template(
            "runs/batch.html",
            batch=found,
            counts=counts,
            opened=counts[FileVerdict.REFUSED] <= MOST_OPEN,
            notes=NOTES,
            groups_of_findings=by_finding(one.report for one in found.files),
            home=self._face.home,
            kinds=KINDS,
            findings=findings,
            outcome=outcome,
            groups=groups,
            typed=typed_metadata(),
            replacing="replacing" in request.form,
            # After a refusal what was not selected stays so.
            selected=set(map(_number, request.form.getlist("file"))) if request.method == "POST" else None,
            own=self._face.own,
        )

    def _instead_of(
        self, number: int, batch: str, checker: RunChecker, name: str, stream: BinaryIO
    ) -> Response:
        upload = check_file(checker, name, stream)
        with writing() as db:
            sender = self._face.sender(db)
            add_to_batch(db, here().id, batch, upload, sender, instead_of=number)
        report = self._face.report(upload.report)
        if report.error_count:
            notices.add(f"{report.file} was checked: {counted(report.error_count, 'error')}.", "poor")
        else:
            notices.add(f"{report.file} was checked: {report.verdict}.")
        if batch == SET_UP_RUNS and not self._face.own:
            return go_to("setup.index")
        return go_to(".batch", batch=batch)

    def _checker(self, batch: str) -> RunChecker:
        with reading() as db:
            return self._face.checker(db, batch)

    def _corrected(self, checker: RunChecker, batch: str, number: int) -> tuple[str, bytes]:
        with reading() as db:
            name, content = file_content(db, here().id, batch, number, self._face.sender(db))
        return corrected_file(checker, name, content, sent_text("tag") or None)


def _brief(report: RunReport) -> dict[str, object]:
    return {
        "file": report.file,
        "verdict": str(report.verdict),
        "errors": report.error_count,
        "warnings": len(report.warnings),
    }


def _number(text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise NotFound("this batch has no such file", remedy="open the batch again")
    return number
