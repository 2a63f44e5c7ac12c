"""The pages of one run, for organisers and participants: its record, changing, replacing and removing it."""

from __future__ import annotations

from typing import BinaryIO

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import InvalidInput, rejected
from workbench.records import Verdict
from workbench.web import notices
from workbench.web.access import here, viewer
from workbench.web.context import reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    form_text,
    named,
    query_text,
    sent_files,
    sent_id,
)
from workbench.web.ids import write_id
from workbench.web.long_work import pack_runs_soon
from workbench.web.pages.runs.faces import Face, serve
from workbench.web.pages.runs.metadata_form import KINDS, metadata_as_typed, sent_metadata, typed_metadata
from workbench.web.requests import Reply, go_to
from workbench.workflow.runs.run_records import give_verdict


def serve_records(blueprint: Blueprint, face: Face, *, file: str, removal: str) -> None:
    """Give a blueprint the pages of one run; `file` and `removal` are the addresses that differ."""
    pages = _RecordPages(face)
    serve(blueprint, face.may_look, (("/run", "GET", pages.run), (file, "GET", pages.file)))
    changing = (
        ("/run", "POST", pages.change),
        ("/run/replace", "POST", pages.replace),
        (removal, "GET", pages.confirm_removal),
        (removal, "POST", pages.remove),
    )
    serve(blueprint, face.may_change, changing)
    if not face.own:
        serve(blueprint, face.may_change, (("/run/verdict", "POST", pages.judge),))


class _RecordPages:
    """The views of one face; `tag` in the address or the form names the run."""

    def __init__(self, face: Face) -> None:
        self._face = face

    def run(self) -> Reply:
        """The record of one run."""
        return self._page()

    def file(self) -> Reply:
        """A run as it was sent, uncompressed; `?sha256=` names an earlier version of it."""
        with reading() as db:
            sha256 = query_text("sha256") or None
            name, content = self._face.content(db, sent_id("tag"), sha256)
            return attachment(content, name)

    def change(self) -> Reply:
        """Give a run other metadata."""
        tag = sent_id("tag")
        with errors_on(self._page):
            metadata = sent_metadata()
            with writing() as db:
                self._face.change(db, tag, metadata)
        notices.add(f"Run {tag} is saved.")
        return _to(tag)

    def replace(self) -> Reply:
        """Replace a run by a file with the same tag; the run is kept as an earlier version."""
        tag = sent_id("tag")
        try:
            file = one_file()
            with writing() as db:
                self._face.replace(db, tag, file)
            pack_runs_soon()
        except InvalidInput as error:
            return self._page(refused=error.findings), 422
        notices.add(f"Run {tag} is replaced; the earlier version is kept.")
        return _to(tag)

    def judge(self) -> Reply:
        """Accept a run, set it aside with a reason, or mark it as only received."""
        tag, verdict = sent_id("tag"), _verdict()
        reason = form_text("reason") if verdict is Verdict.SET_ASIDE else ""
        with errors_on(self._page, "Reason", "reason"), writing() as db:
            give_verdict(db, here().id, [tag], verdict, reason=reason, by=viewer().id)
        notices.add(f"Run {tag} is {verdict.words}.")
        return _to(tag)

    def confirm_removal(self) -> Reply:
        """Ask once more."""
        with reading() as db:
            record = self._face.record(db, sent_id("tag"))
        self._face.require_removable(record.run)
        return render_template("runs/remove.html", record=record, own=self._face.own)

    def remove(self) -> Response:
        """Remove a run that is in no pool."""
        tag = sent_id("tag")
        with writing() as db:
            self._face.remove(db, tag)
        return accepted(f"Run {tag} is {'withdrawn' if self._face.own else 'removed'}.", self._face.home)

    def _page(self, *, findings: Findings = (), refused: Findings = ()) -> str:
        with reading() as db:
            record = self._face.record(db, sent_id("tag"))
            return render_template(
                "runs/run.html",
                record=record,
                typed=typed_metadata()
                if "description" in request.form
                else metadata_as_typed(record.run.metadata),
                groups=self._face.groups(db),
                kinds=KINDS,
                reason=request.form.get("reason", record.run.verdict_reason),
                findings=findings,
                refused=refused,
                own=self._face.own,
            )


def one_file() -> tuple[str, BinaryIO]:
    """The one file of a form; raises InvalidInput where there are more, or none."""
    files = sent_files()
    if len(files) > 1:
        raise rejected("Files", None, "files", f"{len(files)} files were sent", "choose a single file")
    return files[0]


def _verdict() -> Verdict:
    verdict = named(Verdict, form_text("verdict"))
    if verdict is None:
        raise rejected("Verdict", None, "verdict", "unknown verdict", f"use one of {', '.join(Verdict)}")
    return verdict


def _to(tag: str) -> Response:
    return go_to(".run", tag=write_id(tag))
