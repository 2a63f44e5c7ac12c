"""Uploaded files that were checked as runs and wait, in batches, for somebody to add them."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, Severity, WorkbenchError
from workbench.formats.error_collector import shown
from workbench.formats.run_report import (
    FileVerdict,
    RunReport,
    report_from_json,
    report_to_json,
    with_findings,
)
from workbench.frozen import frozen_dataclass
from workbench.storage.chunks import chunks
from workbench.storage.tables import CampaignRow, CheckedFileRow, RunRow
from workbench.workflow.people.groups import ORGANISER, Sender
from workbench.workflow.runs.run_checks import (
    KnownRun,
    RunChecker,
    RunUpload,
    repair_in,
    stored_tags,
    tag_findings,
)
from workbench.workflow.runs.run_metadata import RunMetadata
from workbench.workflow.runs.run_rules import rules_of
from workbench.workflow.runs.store import NO_METADATA, store_run, tag_refusal

DAYS_KEPT = 7
REPLACES = "replaces"
SET_UP_RUNS, SET_UP_TEXTS = "set-up-runs", "set-up-texts"
"""The batches of the page on which a campaign is set up: its runs, and its topics and documents."""

_BATCH = re.compile(r"[0-9a-zA-Z-]{8,64}")


@frozen_dataclass
class CheckedFile:
    """A file of a batch; `readable` says whether its content is there, so that it can be repaired."""

    id: int
    report: RunReport
    readable: bool
    kept_at: datetime | None

    @property
    def keepable(self) -> bool:
        """Whether it can become a run."""
        return self.kept_at is None and self.report.verdict is not FileVerdict.REFUSED


@frozen_dataclass
class Batch:
    """Files that were uploaded together: refused ones first, then those with warnings, then the others."""

    name: str
    files: tuple[CheckedFile, ...]
    added_at: datetime

    @property
    def expires_at(self) -> datetime:
        """When files that are no runs are deleted."""
        return self.added_at + timedelta(days=DAYS_KEPT)

    def of(self, verdict: FileVerdict) -> tuple[CheckedFile, ...]:
        """The files with this verdict that are not runs yet."""
        return tuple(one for one in self.files if one.kept_at is None and one.report.verdict is verdict)

    @property
    def keepable(self) -> tuple[CheckedFile, ...]:
        """The files that can become runs."""
        return tuple(one for one in self.files if one.keepable)

    @property
    def kept(self) -> tuple[CheckedFile, ...]:
        """The files that have become runs."""
        return tuple(one for one in self.files if one.kept_at is not None)


@frozen_dataclass
class Kept:
    """What became of files that were to be runs: the tags of new runs, and why others are none."""

    tags: tuple[str, ...]
    refused: tuple[Finding, ...]


@frozen_dataclass
class WaitingBatch:
    """A batch with files that are not runs yet."""

    name: str
    files: int
    added_at: datetime


def add_to_batch(
    db: Session,
    campaign_id: int,
    batch: str,
    upload: RunUpload,
    sender: Sender = ORGANISER,
    *,
    group_id: int | None = None,
    instead_of: int | None = None,
) -> int:
    """Put a file that was checked into a batch, `instead_of` another file of it; returns its number.

    With `group_id` it was sent for that group, whose people alone see it in the batch. The same file sent
    once more takes its own place. Raises NotFound where the batch has no other file that could be replaced,
    Conflict where that one became a run meanwhile.
    """
    if not _BATCH.fullmatch(batch) or batch == SET_UP_TEXTS:
        raise NotFound("there is no such batch of files", remedy="upload the files again")
    db.get_one(CampaignRow, campaign_id, with_for_update={"key_share": True})
    old = (CheckedFileRow.added_at < _oldest_kept(), CheckedFileRow.kept_at.is_(None))
    db.execute(delete(CheckedFileRow).where(*old))
    if instead_of is not None:
        row = _file_row(db, campaign_id, batch, instead_of, sender)
        if row.kept_at is not None:
            raise Conflict(f"{row.file_name} has become a run", remedy="upload the new file as another run")
        group_id = row.group_id
        db.delete(row)
    db.execute(
        delete(CheckedFileRow).where(
            CheckedFileRow.campaign_id == campaign_id,
            CheckedFileRow.batch == batch,
            CheckedFileRow.group_id.is_not_distinct_from(group_id),
            CheckedFileRow.kept_at.is_(None),
            CheckedFileRow.file_name == upload.file_name,
            CheckedFileRow.sha256.is_not_distinct_from(upload.report.sha256),
        )
    )
    row = CheckedFileRow(
        campaign_id=campaign_id,
        batch=batch,
        file_name=upload.file_name,
        content_gzip=upload.content_gzip,
        sha256=upload.report.sha256,
        report=report_to_json(upload.report),
        added_by=sender.account_id,
        group_id=group_id,
        added_at=datetime.now(UTC),
    )
    db.add(row)
    db.flush()
    return row.id


def batch_of(db: Session, campaign_id: int, batch: str, sender: Sender = ORGANISER) -> Batch:
    """A batch as it is now, with all that would refuse a file if it were added now; raises NotFound.

    That is a tag that a run has by now, or another file of the batch. Participants learn no more of a run of
    another group than that its tag is taken; for one of their own they are told that they can replace it.
    """
    rows = db.execute(
        select(CheckedFileRow, CheckedFileRow.content_gzip.is_not(None))
        .where(*_of_batch(campaign_id, batch, sender))
        .order_by(CheckedFileRow.id)
    ).all()
    if not rows or batch == SET_UP_TEXTS:
        raise NotFound(
            "there is no such batch of files",
            remedy=f"upload the files again: the batch was discarded, or is older than {DAYS_KEPT} days",
        )
    known = stored_tags(db, campaign_id) if sender.organiser else {}
    runs = {} if sender.organiser else _runs_by_tag(db, campaign_id, [row for row, _ in rows])
    rules = rules_of(db, campaign_id)
    files = []
    for row, readable in rows:
        report = report_from_json(row.report)
        tag, sha256 = report.tag, report.sha256
        if row.kept_at is None and tag is not None and sha256 is not None and not report.errors:
            found = list(tag_findings(tag, sha256, known, source=report.file))
            if tag in runs and not found:
                refusal = tag_refusal(db, runs[tag], report, row.group_id, sender, replacing=True)
                found = [refusal] if refusal else []
                if refusal is None:
                    report = replace(report, warnings=(*report.warnings, _replaceable(report, tag)))
            report = with_findings(report, found, rules)
            if not report.errors:
                known[tag] = KnownRun(f"the file {shown(report.file)}", tag, sha256)
        files.append(CheckedFile(row.id, report, readable, row.kept_at))
    files.sort(key=lambda one: (one.kept_at is not None, list(FileVerdict)[::-1].index(one.report.verdict)))
    return Batch(batch, tuple(files), rows[0][0].added_at)


def _runs_by_tag(db: Session, campaign_id: int, files: Sequence[CheckedFileRow]) -> dict[str, RunRow]:
    tags = {row.report["tag"] for row in files if row.kept_at is None} - {None}
    current = RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None)
    found: dict[str, RunRow] = {}
    for some in chunks(sorted(tags)):
        found |= {run.tag: run for run in db.scalars(select(RunRow).where(*current, RunRow.tag.in_(some)))}
    return found


def _replaceable(report: RunReport, tag: str) -> Finding:
    message = f"your group has a run {tag} already"
    remedy = "choose to replace it below, or give this run its own tag"
    return Finding(report.file, None, REPLACES, message, remedy, Severity.WARNING)


def waiting_batches(db: Session, campaign_id: int, sender: Sender = ORGANISER) -> tuple[WaitingBatch, ...]:
    """The batches of a campaign with files that are not runs yet, newest first."""
    rows = db.execute(
        select(CheckedFileRow.batch, func.count(), func.min(CheckedFileRow.added_at))
        .where(
            *_of_batch(campaign_id, None, sender),
            CheckedFileRow.kept_at.is_(None),
            CheckedFileRow.added_at >= _oldest_kept(),
            CheckedFileRow.batch != SET_UP_TEXTS,
        )
        .group_by(CheckedFileRow.batch)
        .order_by(func.min(CheckedFileRow.id).desc())
    )
    return tuple(WaitingBatch(name, files, added_at) for name, files, added_at in rows)


def keep_files(
    db: Session,
    campaign_id: int,
    batch: str,
    ids: Collection[int] | None = None,
    metadata: RunMetadata = NO_METADATA,
    sender: Sender = ORGANISER,
    *,
    replacing: bool = False,
) -> Kept:
    """Make runs of the files of a batch with these numbers, of all good ones if None.

    Files that are runs already are left as they are, and one that is refused by now stops no other.
    `metadata` apply to each new run; a participant's runs belong to the group for which the file was sent.
    Raises NotFound for a number that the batch does not have.
    """
    # Locked, so that a second click waits and finds the files kept; answers do not wait.
    db.get_one(CampaignRow, campaign_id, with_for_update={"key_share": True})
    found = batch_of(db, campaign_id, batch, sender)
    by_id = {one.id: one for one in found.files}
    chosen = [one.id for one in found.keepable] if ids is None else sorted(set(ids))
    tags: list[str] = []
    refused: list[Finding] = []
    for number in chosen:
        row = _file_row(db, campaign_id, batch, number, sender)
        if row.kept_at is not None:
            continue
        if by_id[number].report.errors:
            refused += by_id[number].report.errors
            continue
        upload = RunUpload(row.file_name, row.content_gzip, report_from_json(row.report))
        given = metadata if sender.organiser else replace(metadata, group_id=row.group_id)
        try:
            tags.append(store_run(db, campaign_id, upload, given, sender, replacing=replacing))
        except InvalidInput as error:
            refused += error.findings
            continue
        row.kept_at = datetime.now(UTC)
        row.content_gzip = None  # the run has it now
        db.flush()
    return Kept(tuple(tags), tuple(refused))


def discard_batch(db: Session, campaign_id: int, batch: str, sender: Sender = ORGANISER) -> int:
    """Delete the files of a batch that are not runs; returns their number."""
    waiting = delete(CheckedFileRow).where(
        *_of_batch(campaign_id, batch, sender), CheckedFileRow.kept_at.is_(None)
    )
    return len(db.execute(waiting.returning(CheckedFileRow.id)).all())


def file_content(
    db: Session, campaign_id: int, batch: str, number: int, sender: Sender = ORGANISER
) -> tuple[str, bytes]:
    """The name of a file of a batch and its content as gzip; raises NotFound where there is none."""
    row = _file_row(db, campaign_id, batch, number, sender)
    if row.content_gzip is None:
        raise NotFound(
            f"the content of {row.file_name} was not kept", remedy="correct your own copy and upload it"
        )
    return row.file_name, row.content_gzip


def corrected_file(checker: RunChecker, name: str, content_gzip: bytes, tag: str | None) -> tuple[str, bytes]:
    """A name for the corrected file and its content; raises WorkbenchError where nothing can be repaired."""
    check = checker.check(io.BytesIO(content_gzip), name)
    found = repair_in(checker, name, check, content_gzip, tag=tag)
    if found is None:
        raise WorkbenchError(
            f"nothing in {name} can be repaired automatically",
            remedy="correct the file yourself and check it again",
        )
    return name.removesuffix(".gz"), found[1]


def _of_batch(campaign_id: int, batch: str | None, sender: Sender) -> tuple[ColumnElement[bool], ...]:
    """The rows of a batch (of all if None) of the sender's groups, or of the organisers."""
    row = CheckedFileRow
    whose = row.group_id.is_(None) if sender.groups is None else row.group_id.in_(list(sender.groups))
    visible = (row.campaign_id == campaign_id, whose)
    return visible if batch is None else (*visible, row.batch == batch)


def _file_row(db: Session, campaign_id: int, batch: str, number: int, sender: Sender) -> CheckedFileRow:
    chosen = (*_of_batch(campaign_id, batch, sender), CheckedFileRow.id == number)
    row = db.scalar(select(CheckedFileRow).where(*chosen))
    if row is None:
        raise NotFound("this batch has no such file", remedy="open the batch again")
    return row


def _oldest_kept() -> datetime:
    return datetime.now(UTC) - timedelta(days=DAYS_KEPT)
