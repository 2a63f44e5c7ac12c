"""Storing checked runs, under a free tag or in place of an earlier version; reading and removing them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, finding_to_json, rejected
from workbench.formats.run_report import RunReport, with_findings
from workbench.frozen import frozen_dataclass
from workbench.records import Verdict
from workbench.storage.engine import Database
from workbench.storage.run_files import plain_file
from workbench.storage.tables import CampaignRow, PoolRow, RunRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.groups import ORGANISER, Sender
from workbench.workflow.runs.packed_store import pack_runs
from workbench.workflow.runs.run_checks import RunUpload, check_files, run_checker, stored_tags, tag_findings
from workbench.workflow.runs.run_metadata import RunCost, RunKind, RunMetadata
from workbench.workflow.runs.run_records import CampaignRun, run_row, runs_of
from workbench.workflow.runs.run_rules import require_open, rules_of

NO_METADATA = RunMetadata()
PAUSE = 1
"""Between two files the database is left to others, for so many times as long as one takes."""


@frozen_dataclass
class RunsAdded:
    """What became of several files: the runs that were stored, and the reports of files that were refused."""

    added: tuple[CampaignRun, ...]
    refused: tuple[RunReport, ...]


def add_runs(
    db: Session,
    campaign_id: int,
    files: Iterable[tuple[str, BinaryIO]],
    metadata: RunMetadata = NO_METADATA,
    sender: Sender = ORGANISER,
    *,
    replacing: bool = False,
) -> RunsAdded:
    """Check each (name, stream), plain or gzip, and store the good ones; a refused file leaves nothing.

    Raises WorkbenchError where the campaign has no topics to check against. A caller that must not hold a
    writing transaction for long calls `check_files`, `store_in_turn` and `packed_store.pack_runs_one_by_one`.
    """
    checked = check_files(run_checker(db, campaign_id), files, replacing=replacing)
    done = store_runs(db, campaign_id, checked, metadata, sender, replacing=replacing)
    pack_runs(db, campaign_id)
    return done


def store_runs(
    db: Session,
    campaign_id: int,
    uploads: Iterable[RunUpload],
    metadata: RunMetadata = NO_METADATA,
    sender: Sender = ORGANISER,
    *,
    replacing: bool = False,
) -> RunsAdded:
    """Store the good ones of files that were checked, as `store_run` does."""
    added, refused = _stored(
        uploads,
        lambda upload, again: store_run(db, campaign_id, upload, metadata, sender, replacing=again),
        replacing=replacing,
    )
    return _runs_added(db, campaign_id, added, refused)


def _stored(
    uploads: Iterable[RunUpload], store: Callable[[RunUpload, bool], str], *, replacing: bool
) -> tuple[list[str], list[RunReport]]:
    """The tags of the files that are stored, none in place of another of them, and reports of the refused."""
    added: list[str] = []
    refused: list[RunReport] = []
    for upload in uploads:
        try:
            added.append(store(upload, replacing and upload.report.tag not in added))
        except InvalidInput as error:
            count = len(error.findings)
            refused.append(replace(upload.report, tag=None, errors=error.findings, error_count=count))
    return added, refused


def _runs_added(
    db: Session, campaign_id: int, added: Sequence[str], refused: Sequence[RunReport]
) -> RunsAdded:
    runs = {run.tag: run for run in runs_of(db, campaign_id)} if added else {}
    # Somebody may have removed one meanwhile.
    return RunsAdded(tuple(runs[tag] for tag in added if tag in runs), tuple(refused))


def store_in_turn(
    database: Database,
    campaign_id: int,
    uploads: Iterable[RunUpload],
    metadata: RunMetadata = NO_METADATA,
    *,
    replacing: bool = False,
) -> RunsAdded:
    """The same as `store_runs`, each file in a transaction of its own.

    A process that is killed leaves the runs that it stored, and adding the files again adds the rest.
    """

    def store(upload: RunUpload, again: bool) -> str:
        begun = time.monotonic()
        try:
            with database.writing() as db:
                return store_run(db, campaign_id, upload, metadata, replacing=again)
        finally:
            time.sleep(PAUSE * (time.monotonic() - begun))

    added, refused = _stored(uploads, store, replacing=replacing)
    with database.reading() as db:
        return _runs_added(db, campaign_id, added, refused)


def store_run(
    db: Session,
    campaign_id: int,
    upload: RunUpload,
    metadata: RunMetadata,
    sender: Sender = ORGANISER,
    *,
    replacing: bool = False,
) -> str:
    """Store a file that was checked and found good, with its metadata; returns its tag.

    Its packed form is made later (`packed_store`): that takes too long for a writing transaction.

    With `replacing` the run that has the tag is kept as an earlier version, and metadata that are not given
    are taken over from it. A participant's run is received until the organiser accepts it; it replaces only
    an unused run of the same group, and nothing is disclosed of any other but that its tag is taken.
    Raises InvalidInput where the file was refused or its tag is taken by now, Conflict where somebody else
    took it at this very moment.
    """
    report = upload.report
    # Locked, so that a tag cannot be taken twice at once; answers, which name the campaign, do not wait.
    db.get_one(CampaignRow, campaign_id, with_for_update={"key_share": True})
    if report.tag is not None and not report.errors and sender.organiser:
        known = stored_tags(db, campaign_id)
        if replacing:
            known.pop(report.tag, None)
        found = tag_findings(report.tag, report.sha256, known, source=upload.file_name)
        report = with_findings(report, found, rules_of(db, campaign_id))
    if report.errors or report.tag is None or report.sha256 is None or upload.content_gzip is None:
        raise InvalidInput(report.errors)
    before = db.scalar(
        select(RunRow)
        .where(RunRow.campaign_id == campaign_id, RunRow.tag == report.tag, RunRow.replaced_at.is_(None))
        .with_for_update()
    )
    if before is not None:
        refusal = tag_refusal(db, before, report, metadata.group_id, sender, replacing=replacing)
        if refusal is not None:
            raise InvalidInput([refusal])
        metadata = _inherited(metadata, before)
    if not sender.organiser:
        require_open(db, campaign_id, metadata.group_id, upload.file_name, replacing=before is not None)
    now = utc_now(None)
    row = RunRow(
        campaign_id=campaign_id,
        tag=report.tag,
        file_name=upload.file_name,
        content_gzip=upload.content_gzip,
        sha256=report.sha256,
        topics=report.topics,
        lines=report.lines,
        warnings=[finding_to_json(finding) for finding in report.warnings],
        added_by=sender.account_id,
        added_at=now,
        group_id=metadata.group_id,
        kind=metadata.kind,
        description=metadata.description,
        priority=metadata.priority,
        seconds_per_query=metadata.cost.seconds_per_query,
        index_bytes=metadata.cost.index_bytes,
        verdict=Verdict.ACCEPTED if sender.organiser else Verdict.RECEIVED,
    )
    if before is not None:
        before.replaced_at = now
    try:
        db.flush()
        db.add(row)
        db.flush()
    except IntegrityError:
        raise Conflict(
            f"somebody else has just added a run {report.tag}", remedy="look at it, then decide"
        ) from None
    return report.tag


def replace_run(
    db: Session, campaign_id: int, tag: str, file: tuple[str, BinaryIO], sender: Sender = ORGANISER
) -> CampaignRun:
    """Replace the run with a tag by a file with the same tag; its metadata stay.

    Raises NotFound, and InvalidInput for a file that is refused, is the same, or has another tag.
    """
    run_row(db, campaign_id, tag)
    done = add_runs(db, campaign_id, [file], sender=sender, replacing=True)
    if done.refused:
        raise InvalidInput(done.refused[0].errors)
    (added,) = done.added
    require_tag(added, tag)
    return added


def require_tag(run: CampaignRun, expected: str) -> None:
    """Raise InvalidInput where the run of a file has another tag than the one that it is to replace."""
    if run.tag != expected:
        message = f"the file contains run {run.tag}, not {expected}"
        remedy = f"put {expected} in the sixth column"
        raise rejected(run.file_name, None, "other-tag", message, remedy)


def run_file(
    db: Session, campaign_id: int, tag: str, *, sha256: str | None = None
) -> tuple[str, Iterator[bytes]]:
    """A run's file name without `.gz` and its bytes as they were sent, uncompressed; raises NotFound.

    Of the current version, or of the one with this hash, replaced or not. The bytes come in parts, each read
    as it is asked for, within the transaction.
    """
    row = run_row(db, campaign_id, tag, sha256=sha256)
    return row.file_name.removesuffix(".gz"), plain_file(db, row.id)


def remove_run(db: Session, campaign_id: int, tag: str) -> None:
    """Delete a run with all its versions; raises NotFound.

    Raises Conflict where a pool was built from one of them, since the pool must stay explained.
    """
    row = run_row(db, campaign_id, tag)
    for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id)):
        if any(run["tag"] == tag for run in pool.recipe["runs"]):
            raise Conflict(
                f"pool {pool.name!r} was built from run {tag!r}", remedy="a pooled run cannot be removed"
            )
    db.execute(delete(RunRow).where(RunRow.campaign_id == campaign_id, RunRow.tag == row.tag))
    db.flush()


def _inherited(metadata: RunMetadata, before: RunRow) -> RunMetadata:
    """The metadata of a new version: what was given, else what the version before it had."""
    seconds, size = metadata.cost.seconds_per_query, metadata.cost.index_bytes
    return RunMetadata(
        before.group_id if metadata.group_id is None else metadata.group_id,
        metadata.kind or (RunKind(before.kind) if before.kind else None),
        metadata.description or before.description,
        before.priority if metadata.priority is None else metadata.priority,
        RunCost(
            before.seconds_per_query if seconds is None else seconds,
            before.index_bytes if size is None else size,
        ),
    )


def tag_refusal(
    db: Session,
    before: RunRow,
    report: RunReport,
    group_id: int | None,
    sender: Sender,
    *,
    replacing: bool,
) -> Finding | None:
    """Why a file of a group cannot become a run where another run has its tag; None where it can."""
    source, tag = report.file, before.tag
    if not sender.organiser and before.group_id != group_id:
        # Whose it is, and whether it is this very file, is nobody's business but the organiser's.
        return Finding(source, None, "tag-taken", f"the tag {tag} is taken", "give this run another tag")
    if before.sha256 == report.sha256:
        return Finding(source, None, "same-file", f"this file is already run {tag}")
    if not replacing:
        remedy = "give this run its own tag, or choose to replace the existing run"
        return Finding(source, None, "tag-taken", f"there is already a run {tag}", remedy)
    if not sender.organiser and _pooled(db, before):
        message = f"run {tag} is in use and can no longer be replaced"
        return Finding(source, None, "in-use", message, "ask the organiser, or send it under another tag")
    return None


def _pooled(db: Session, row: RunRow) -> bool:
    recipes = db.scalars(select(PoolRow.recipe).where(PoolRow.campaign_id == row.campaign_id))
    return any(run["tag"] == row.tag for recipe in recipes for run in recipe["runs"])
