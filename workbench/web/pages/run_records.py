"""The pages of one run, and their two faces: organisers see every run, participants those of their groups.

The pages ask their face for whatever differs: who may open them, whose rows are read and written, what is
shown. A participant's queries all begin with the groups for which the account sends runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import Conflict, InvalidInput, NotFound, rejected
from workbench.formats.run_report import RunReport
from workbench.records import Verdict
from workbench.storage import Session
from workbench.web.access import here, organiser, participant, reader, viewer
from workbench.web.context import reading, write_here, writing
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
    sent_text,
    whole_number,
)
from workbench.web.jobs import pack_runs_soon
from workbench.web.requests import Reply, write_id
from workbench.workflow.people import groups
from workbench.workflow.people.groups import Sender
from workbench.workflow.people.membership import Role
from workbench.workflow.runs import own_runs, run_records, store, uploads
from workbench.workflow.runs.run_checks import RunChecker, run_checker
from workbench.workflow.runs.run_metadata import COST_FIELDS, RunMetadata, read_metadata
from workbench.workflow.runs.run_records import CampaignRun, RunRecord, give_verdict
from workbench.workflow.runs.uploads import Batch
from workbench.workflow.setup import topics_to_come

KINDS = (("", "not given"), ("automatic", "automatic"), ("manual", "manual"))
FIELDS = ("group", "kind", "description", "priority", *COST_FIELDS)


def typed_metadata() -> Mapping[str, str]:
    """What this request's form has typed, by field."""
    return {field: sent_text(field) for field in FIELDS}


def metadata_as_typed(metadata: RunMetadata) -> Mapping[str, str]:
    """Metadata as they are written in the fields of a form."""
    return {
        "group": "" if metadata.group_id is None else str(metadata.group_id),
        "kind": metadata.kind or "",
        "description": metadata.description,
        "priority": "" if metadata.priority is None else str(metadata.priority),
        **{field: _typed(getattr(metadata.cost, field)) for field in COST_FIELDS},
    }


def _typed(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)


def sent_metadata() -> RunMetadata:
    """The metadata that the form gives; raises InvalidInput, and NotFound for a group that is no number."""
    return read_metadata(typed_metadata(), group_id=sent_group())


def sent_group(field: str = "group") -> int | None:
    """The number of the group that was chosen, None for none; raises NotFound for what is no number."""
    text = request.values.get(field, "").strip()
    number = whole_number(text)
    if text and number is None:
        raise NotFound("there is no such group", remedy="choose one from the list")
    return number


View = Callable[..., Reply]


class OrganiserFace:
    """Organisers add runs, and see those of every group with their pools and all warnings."""

    own = False
    home = "runs.index"
    may_look, may_change = staticmethod(reader), staticmethod(organiser)

    def sender(self, db: Session) -> Sender:
        """Who uploads files."""
        return Sender(viewer().id)

    def sent_group(self, sender: Sender) -> int | None:
        """The group for which this request's files are sent."""
        return None

    def require_room(self, db: Session, group_id: int | None, *, more: int = 0) -> None:
        """Organisers have no quota."""

    def groups(self, db: Session) -> Mapping[str, int]:
        """The groups that the form offers, numbers by name."""
        return groups.group_names(db, here().id)

    def checker(self, db: Session, batch: str) -> RunChecker:
        """What the files of a batch are checked against."""
        return run_checker(
            db,
            here().id,
            batch=batch,
            opening=reading,
            topics=topics_to_come(db, here().id) if batch == uploads.SET_UP_RUNS else None,
        )

    def batch(self, db: Session, name: str) -> Batch:
        """A batch as it may be shown."""
        return uploads.batch_of(db, here().id, name)

    def report(self, report: RunReport) -> RunReport:
        """A report as it may be shown."""
        return report

    def check_metadata(self, db: Session, metadata: RunMetadata) -> RunMetadata:
        """The metadata that a form gives to new runs; raises NotFound for a group of another campaign."""
        if metadata.group_id is not None:
            groups.require_group(db, here().id, metadata.group_id)
        return metadata

    def record(self, db: Session, tag: str) -> RunRecord:
        """The record of a run as it may be shown."""
        record = run_records.run_record(db, here().id, tag)
        return record if Role.ORGANISER in here().roles else record.without_drafts()

    def content(self, db: Session, tag: str, sha256: str | None) -> tuple[str, Iterator[bytes]]:
        """A run's file name and its plain content in parts."""
        return store.run_file(db, here().id, tag, sha256=sha256)

    def change(self, db: Session, tag: str, metadata: RunMetadata) -> None:
        """Give a run other metadata."""
        run_records.change_metadata(db, here().id, tag, metadata)

    def replace(self, db: Session, tag: str, file: tuple[str, BinaryIO]) -> None:
        """Replace a run by a file with the same tag."""
        store.replace_run(db, here().id, tag, file, self.sender(db))

    def require_removable(self, run: CampaignRun) -> None:
        """Raise Conflict where the run must stay."""
        if run.in_use:
            pool = run.pools[0].name
            raise Conflict(
                f"pool {pool!r} was built from run {run.tag!r}", remedy="a pooled run cannot be removed"
            )

    def remove(self, db: Session, tag: str) -> None:
        """Remove a run with all its versions."""
        store.remove_run(db, here().id, tag)


class ParticipantFace:
    """Participants send runs for their groups, and see those of these groups only; see `own_runs`."""

    own = True
    home = "own_runs.index"
    may_look, may_change = staticmethod(participant), staticmethod(participant)

    def sender(self, db: Session) -> Sender:
        """Who uploads files, and for which groups."""
        return groups.participant(db, here().id, viewer().id)

    def sent_group(self, sender: Sender) -> int | None:
        """The group for which this request's files are sent; raises NotFound for anybody else's."""
        return own_runs.require_own_group(sender, sent_group())

    def require_room(self, db: Session, group_id: int | None, *, more: int = 0) -> None:
        """Raise Conflict where the group has used its quota."""
        if group_id is not None:
            own_runs.require_room(db, here().id, group_id, more=more)

    def groups(self, db: Session) -> Mapping[str, int]:
        """The groups that the form offers: none, since the group was chosen with the upload."""
        return {}

    def checker(self, db: Session, batch: str) -> RunChecker:
        """What the files of a batch are checked against."""
        return run_checker(db, here().id, batch=batch, opening=reading)

    def batch(self, db: Session, name: str) -> Batch:
        """A batch as it may be shown."""
        return own_runs.own_batch(db, here().id, name, self.sender(db))

    def report(self, report: RunReport) -> RunReport:
        """A report as it may be shown."""
        return own_runs.own_report(report)

    def check_metadata(self, db: Session, metadata: RunMetadata) -> RunMetadata:
        """The metadata that a form gives to new runs; their group is that of the upload."""
        return metadata

    def record(self, db: Session, tag: str) -> RunRecord:
        """The record of a run as it may be shown."""
        return own_runs.own_record(db, here().id, tag, self.sender(db))

    def content(self, db: Session, tag: str, sha256: str | None) -> tuple[str, Iterator[bytes]]:
        """A run's file name and its plain content in parts."""
        return own_runs.own_content(db, here().id, tag, self.sender(db), sha256)

    def change(self, db: Session, tag: str, metadata: RunMetadata) -> None:
        """Give a run other metadata."""
        own_runs.change_own(db, here().id, tag, metadata, self.sender(db))

    def replace(self, db: Session, tag: str, file: tuple[str, BinaryIO]) -> None:
        """Replace a run by a file with the same tag."""
        own_runs.replace_own(db, here().id, tag, file, self.sender(db))

    def require_removable(self, run: CampaignRun) -> None:
        """Raise Conflict where the run must stay."""
        own_runs.require_unused(run)

    def remove(self, db: Session, tag: str) -> None:
        """Withdraw a run with all its versions."""
        own_runs.withdraw_own(db, here().id, tag, self.sender(db))


Face = OrganiserFace | ParticipantFace


def serve(blueprint: Blueprint, guard: Callable[[View], Any], views: Iterable[tuple[str, str, View]]) -> None:
    """Give a blueprint views of a face: the address, the method, and the view with its own name."""
    for rule, method, view in views:
        # A function of its own for each, since the guard writes its statement on it.
        def answer(view: View = view, **values: Any) -> Reply:
            return view(**values)

        blueprint.add_url_rule(rule, view.__name__, guard(answer), methods=[method])


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
        return _accepted(tag, f"Run {tag} is saved.")

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
        return _accepted(tag, f"Run {tag} is replaced; the earlier version is kept.")

    def judge(self) -> Reply:
        """Accept a run, set it aside with a reason, or mark it as only received."""
        tag, verdict = sent_id("tag"), _verdict()
        reason = form_text("reason") if verdict is Verdict.SET_ASIDE else ""
        with errors_on(self._page, "Reason", "reason"):
            write_here(give_verdict, [tag], verdict, reason=reason, by=viewer().id)
        return _accepted(tag, f"Run {tag} is {verdict.words}.")

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


def _accepted(tag: str, text: str) -> Response:
    return accepted(text, ".run", tag=write_id(tag))
