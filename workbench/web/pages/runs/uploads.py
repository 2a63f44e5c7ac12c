"""The pages of a dry run, for organisers and for groups: files checked, looked at, mended, kept as runs."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from flask import Blueprint, jsonify, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, NotFound, WorkbenchError
from workbench.formats.run_report import RunReport, Verdict, report_to_json
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here, viewer
from workbench.web.context import reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import counted, sent_files, sent_text, status_of, whole_number
from workbench.web.pages.runs.metadata_form import KINDS, typed_about
from workbench.web.requests import see_other
from workbench.web.templating import fresh_id
from workbench.workflow.runs import uploads
from workbench.workflow.runs.run_checks import RunChecker, RunUpload, check_file
from workbench.workflow.runs.run_metadata import RunMetadata

# Of more refused files than these the details are folded.
MOST_OPEN = 6
Answer = str | Response | tuple[str, int] | tuple[Response, int]


@dataclass(frozen=True, slots=True)
class Desk:
    """At whose desk files are checked; `sending` is a group's, where runs are sent and not kept.

    `expected` gives what a batch's files are checked against, `sender` the group for which a file is sent
    now, `groups` those whose files are seen (None at the organisers'), `seen` a batch and `told` a report as
    they may be shown, `said` what is to be said of runs that are kept, `offered` the groups that can be said.
    """

    guard: Callable[[Callable[..., Any]], Callable[..., Any]]
    home: str
    sending: bool
    expected: Callable[[Session, str], RunChecker]
    sender: Callable[[Session], int | None]
    groups: Callable[[Session], uploads.Groups]
    seen: Callable[[Session, str], uploads.Batch]
    told: Callable[[RunReport], RunReport]
    said: Callable[[Session], RunMetadata]
    offered: Callable[[Session], Mapping[str, int]]


def serve_batches(blueprint: Blueprint, desk: Desk) -> None:
    """Give a blueprint the pages of a desk."""
    pages = _Pages(desk)
    for rule, name, method in (
        ("", "add", "POST"),
        ("/<batch>", "batch", "GET"),
        ("/<batch>/keep", "keep", "POST"),
        ("/<batch>/discard", "discard", "POST"),
        ("/<batch>/<int:number>", "replace", "POST"),
        ("/<batch>/<int:number>/corrected", "corrected", "GET"),
        ("/<batch>/<int:number>/corrected", "mend", "POST"),
    ):
        view = getattr(pages, name)

        # A function of its own for each, since the guard writes its statement on it.
        def answer(view: Callable[..., Answer] = view, **values: Any) -> Answer:
            return view(**values)

        blueprint.add_url_rule(rule, name, desk.guard(answer), methods=[method])


class _Pages:
    """The pages of one desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def add(self) -> Answer:
        """Check files and put them into a batch; nothing of them is a run. A program is answered in JSON."""
        try:
            return self._add(sent_text("batch") or fresh_id())
        except WorkbenchError as error:
            if not _wants_json():
                raise
            return jsonify(error=str(error)), 404 if isinstance(error, NotFound) else status_of(error)

    def batch(self, batch: str) -> Answer:
        """What was found in the files of a batch; `?format=json` for a program."""
        if request.args.get("format") != "json" and not _wants_json():
            return self._page(batch)
        with reading() as db:
            found = self._desk.seen(db, batch)
        return jsonify(
            batch=found.name,
            added_at=found.added_at.isoformat(),
            files=[
                {"id": one.id, "kept": one.kept_at is not None, **report_to_json(one.report)}
                for one in found.files
            ],
        )

    def keep(self, batch: str) -> Answer:
        """Make runs of the chosen files; what is kept already stays as it is."""
        ids = [_number(text) for text in request.form.getlist("file")]
        if not ids:
            notices.add("No file was chosen: tick those that are to be kept.", "fair")
            return see_other(url_for(".batch", batch=batch))
        try:
            with writing() as db:
                kept = uploads.keep_checked(
                    db,
                    here().id,
                    batch,
                    ids,
                    by=viewer().id,
                    about=self._desk.said(db),
                    groups=self._desk.groups(db),
                    replacing="replacing" in request.form,
                )
        except InvalidInput as error:
            return self._page(batch, error.findings), 422
        before = f"; {counted(kept.before, 'file was', 'files were')} kept before" if kept.before else ""
        done = "sent" if self._desk.sending else "added"
        notices.add(f"{counted(len(kept.tags), 'run')} {done}{before}.")
        with reading() as db:
            left = len(self._desk.seen(db, batch).files) - len(ids)
        return see_other(url_for(".batch", batch=batch) if left > 0 else url_for(self._desk.home))

    def discard(self, batch: str) -> Answer:
        """Forget the files that are no runs."""
        with writing() as db:
            gone = uploads.discard_batch(db, here().id, batch, groups=self._desk.groups(db))
        notices.add(f"{counted(gone, 'file')} discarded.")
        return see_other(url_for(self._desk.home))

    def replace(self, batch: str, number: int) -> Answer:
        """Check one file and put it in the place of another of the batch."""
        (name, stream), *more = sent_files()
        if more:
            raise WorkbenchError("one file takes the place of one", remedy="choose a single file")
        return self._instead_of(number, batch, self._expected(batch), name, stream)

    def corrected(self, batch: str, number: int) -> Answer:
        """The corrected file, as far as the mend is mechanical; `?tag=` chooses one of several tags."""
        name, content = self._corrected(self._expected(batch), batch, number)
        return attachment(content, name)

    def mend(self, batch: str, number: int) -> Answer:
        """Put the corrected file in the place of the one that was sent."""
        expected = self._expected(batch)
        name, content = self._corrected(expected, batch, number)
        return self._instead_of(number, batch, expected, name, io.BytesIO(content))

    def _add(self, batch: str) -> Response:
        with reading() as db:
            group_id = self._desk.sender(db)
        expected = self._expected(batch)
        reports = []
        for name, stream in sent_files():
            checked = check_file(expected, name, stream)
            self._put(batch, checked, group_id=group_id)
            expected = expected.with_run(checked)
            reports.append(self._desk.told(checked.report))
        address = url_for(".batch", batch=batch)
        if _wants_json():
            return jsonify(address=address, files=[_brief(report) for report in reports])
        return see_other(address)

    def _page(self, batch: str, findings: tuple[Finding, ...] = ()) -> str:
        with reading() as db:
            found = self._desk.seen(db, batch)
            groups = self._desk.offered(db)
        counts = {str(verdict): len(found.of(verdict)) for verdict in Verdict}
        return render_template(
            "runs/batch.html",
            batch=found,
            counts=counts,
            opened=counts[Verdict.REFUSED] <= MOST_OPEN,
            home=self._desk.home,
            kinds=KINDS,
            findings=findings,
            groups=groups,
            typed=typed_about(),
            replacing="replacing" in request.form,
            sending=self._desk.sending,
        )

    def _instead_of(
        self, number: int, batch: str, expected: RunChecker, name: str, stream: BinaryIO
    ) -> Response:
        with reading() as db:
            group_id = uploads.sent_for(db, here().id, batch, number, groups=self._desk.groups(db))
        checked = check_file(expected, name, stream)
        self._put(batch, checked, group_id=group_id, instead_of=number)
        report = self._desk.told(checked.report)
        if report.error_count:
            notices.add(f"{report.file} is checked: {counted(report.error_count, 'error')} in it.", "poor")
        else:
            notices.add(f"{report.file} is checked: {report.verdict}.")
        return see_other(url_for(".batch", batch=batch))

    def _put(
        self, batch: str, checked: RunUpload, *, group_id: int | None, instead_of: int | None = None
    ) -> None:
        """Keep what was found; nothing was locked while the file was checked."""
        with writing() as db:
            uploads.add_checked(
                db,
                here().id,
                batch,
                checked,
                added_by=viewer().id,
                group_id=group_id,
                instead_of=instead_of,
            )

    def _expected(self, batch: str) -> RunChecker:
        with reading() as db:
            return self._desk.expected(db, batch)

    def _corrected(self, expected: RunChecker, batch: str, number: int) -> tuple[str, bytes]:
        with reading() as db:
            name, content = uploads.checked_content(
                db, here().id, batch, number, groups=self._desk.groups(db)
            )
        return uploads.corrected(expected, name, content, tag=sent_text("tag") or None)


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
