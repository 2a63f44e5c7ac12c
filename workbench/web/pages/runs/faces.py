"""The two faces of the pages on runs: organisers see every run, participants those of their groups.

The pages ask their face for whatever differs: who may open them, whose rows are read and written, what is
shown. A participant's queries all begin with the groups for which the account sends runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from flask import Blueprint

from workbench.errors import Conflict
from workbench.formats.run_report import RunReport
from workbench.storage import Session
from workbench.web.access import here, organiser, participant, reader, viewer
from workbench.web.context import reading
from workbench.web.pages.runs.metadata_form import sent_group
from workbench.web.requests import Reply
from workbench.workflow.people import groups
from workbench.workflow.people.groups import Sender
from workbench.workflow.people.roles import Role
from workbench.workflow.runs import own_runs, run_records, store, uploads
from workbench.workflow.runs.run_checks import RunChecker, run_checker
from workbench.workflow.runs.run_metadata import RunMetadata
from workbench.workflow.runs.run_records import CampaignRun, RunRecord
from workbench.workflow.runs.uploads import Batch
from workbench.workflow.setup.dropped_files import topics_to_come

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
        return own_runs.own_content(db, here().id, tag, self.sender(db), sha256=sha256)

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
