"""Uploaded files that were checked as runs and wait, in batches, for somebody to add them."""

from __future__ import annotations

import io
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, InvalidInput, NotFound, WorkbenchError
from workbench.formats.error_collector import shown
from workbench.formats.run_report import RunReport, Verdict, report_from_json, report_to_json, with_findings
from workbench.records import Verdict as About
from workbench.storage.tables import AccountRow, CampaignRow, CheckedFileRow
from workbench.workflow.runs.duplicate_runs import Holder, tag_findings
from workbench.workflow.runs.run_checks import RunChecker, RunUpload, repair_in
from workbench.workflow.runs.run_metadata import RunMetadata
from workbench.workflow.runs.run_rules import rules_of
from workbench.workflow.runs.store import held_tags, store_checked

DAYS_KEPT = 7
Groups = Collection[int] | None
"""Whose files are looked at: those sent for these groups, or None for those that an organiser sent."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file of a batch; `readable` says whether its content is there, so that it can be mended."""

    id: int
    report: RunReport
    readable: bool
    kept_at: datetime | None

    @property
    def keepable(self) -> bool:
        """Whether it can become a run."""
        return self.kept_at is None and self.report.verdict is not Verdict.REFUSED


@dataclass(frozen=True, slots=True)
class Batch:
    """Files that were sent together: refused ones first, then those with warnings, then the others."""

    name: str
    files: tuple[CheckedFile, ...]
    added_by: str
    added_at: datetime

    @property
    def expires_at(self) -> datetime:
        """When what is not kept is forgotten."""
        return self.added_at + timedelta(days=DAYS_KEPT)

    def of(self, verdict: Verdict) -> tuple[CheckedFile, ...]:
        """The files with this verdict that are not runs yet."""
        return tuple(one for one in self.files if one.kept_at is None and one.report.verdict is verdict)

    @property
    def keepable(self) -> tuple[CheckedFile, ...]:
        """The files that can become runs."""
        return tuple(one for one in self.files if one.keepable)

    @property
    def kept(self) -> tuple[CheckedFile, ...]:
        """The files that are runs by now."""
        return tuple(one for one in self.files if one.kept_at is not None)


@dataclass(frozen=True, slots=True)
class WaitingBatch:
    """A batch of which something is not kept yet."""

    name: str
    files: int
    added_at: datetime


def batch_of(db: Session, campaign_id: int, batch: str, *, groups: Groups = None) -> Batch:
    """A batch as it stands now, tags that were taken meanwhile told; raises NotFound.

    What stands against a group's tag is told when it is kept, since whose run has it is not theirs to know.
    """
    rows = db.execute(
        select(CheckedFileRow, CheckedFileRow.content_gzip.is_not(None), AccountRow.name)
        .outerjoin(AccountRow, AccountRow.id == CheckedFileRow.added_by)
        .where(*rows_of_batch(campaign_id, batch, groups))
        .order_by(CheckedFileRow.id)
    ).all()
    if not rows:
        raise NotFound(
            "there is no such batch of files", remedy=f"it was discarded, or is older than {DAYS_KEPT} days"
        )
    held = held_tags(db, campaign_id) if groups is None else {}
    rules = rules_of(db, campaign_id)
    files = []
    for row, readable, _ in rows:
        report = report_from_json(row.report)
        if row.kept_at is None and report.tag is not None and not report.errors:
            about = tag_findings(report.tag, report.sha256, held, source=report.file)
            report = with_findings(report, about, rules)
            if not report.errors:
                held[report.tag or ""] = Holder(f"the file {shown(report.file)}", report.sha256)
        files.append(CheckedFile(row.id, report, readable, row.kept_at))
    files.sort(key=lambda one: (one.kept_at is not None, list(Verdict)[::-1].index(one.report.verdict)))
    return Batch(batch, tuple(files), rows[0][2] or "", rows[0][0].added_at)


def waiting_batches(db: Session, campaign_id: int, *, groups: Groups = None) -> tuple[WaitingBatch, ...]:
    """The batches of a campaign of which something is not kept yet, newest first."""
    rows = db.execute(
        select(CheckedFileRow.batch, func.count(), func.min(CheckedFileRow.added_at))
        .where(
            *rows_of_batch(campaign_id, None, groups),
            CheckedFileRow.kept_at.is_(None),
            CheckedFileRow.added_at >= oldest_kept(),
        )
        .group_by(CheckedFileRow.batch)
        .order_by(func.min(CheckedFileRow.id).desc())
    )
    return tuple(WaitingBatch(name, files, added_at) for name, files, added_at in rows)


def rows_of_batch(campaign_id: int, batch: str | None, groups: Groups) -> tuple[ColumnElement[bool], ...]:
    """The rows of a batch (of all if None) that these groups sent, or an organiser."""
    row = CheckedFileRow
    whose = row.group_id.is_(None) if groups is None else row.group_id.in_(list(groups))
    mine = (row.campaign_id == campaign_id, whose)
    return mine if batch is None else (*mine, row.batch == batch)


def row_of_batch(db: Session, campaign_id: int, batch: str, number: int, groups: Groups) -> CheckedFileRow:
    """The row of a file of a batch; raises NotFound. For use-cases only."""
    mine = (*rows_of_batch(campaign_id, batch, groups), CheckedFileRow.id == number)
    row = db.scalar(select(CheckedFileRow).where(*mine))
    if row is None:
        raise NotFound("this batch has no such file", remedy="open the batch again")
    return row


def oldest_kept() -> datetime:
    """What was sent before this moment and not kept is forgotten."""
    return datetime.now(UTC) - timedelta(days=DAYS_KEPT)


_BATCH = re.compile(r"[0-9a-zA-Z-]{8,64}")


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of files that were to be kept: the tags of new runs, and how many were kept before."""

    tags: tuple[str, ...]
    before: int


def add_checked(
    db: Session,
    campaign_id: int,
    batch: str,
    checked: RunUpload,
    *,
    added_by: int | None = None,
    group_id: int | None = None,
    instead_of: int | None = None,
) -> int:
    """Put a file that was checked into a batch, `instead_of` another of it; gives its number.

    With `group_id` it was sent for that group, whose people alone see it in the batch. The same file sent
    once more takes its own place. Raises NotFound where the batch has no other file that could be replaced,
    Conflict where that one was kept as a run meanwhile.
    """
    if not _BATCH.fullmatch(batch):
        raise NotFound("there is no such batch of files", remedy="send the files anew")
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    _forget_expired(db)
    groups = None if group_id is None else (group_id,)
    waiting = (*rows_of_batch(campaign_id, batch, groups), CheckedFileRow.kept_at.is_(None))
    if instead_of is not None:
        row = row_of_batch(db, campaign_id, batch, instead_of, groups)
        if row.kept_at is not None:
            raise Conflict(f"{row.file_name} is a run by now", remedy="send the new file as another run")
        db.delete(row)
    db.execute(
        delete(CheckedFileRow).where(
            *waiting,
            CheckedFileRow.file_name == checked.file_name,
            CheckedFileRow.sha256.is_not_distinct_from(checked.report.sha256),
        )
    )
    row = CheckedFileRow(
        campaign_id=campaign_id,
        batch=batch,
        file_name=checked.file_name,
        content_gzip=checked.content_gzip,
        sha256=checked.report.sha256,
        report=report_to_json(checked.report),
        added_by=added_by,
        group_id=group_id,
        added_at=datetime.now(UTC),
    )
    db.add(row)
    db.flush()
    return row.id


def keep_checked(
    db: Session,
    campaign_id: int,
    batch: str,
    ids: Collection[int] | None = None,
    *,
    by: int | None = None,
    about: RunMetadata | None = None,
    groups: Groups = None,
    replacing: bool = False,
) -> Kept:
    """Make runs of the files of a batch with these numbers, of all good ones if None; each once.

    `about` is said of each of them. A group's are received, until the organiser accepts them, and with
    `replacing` take the place of its runs with the same tags.
    Raises NotFound for a number that the batch has not, InvalidInput, and keeps none, where one of them is
    refused by now.
    """
    # Locked, so that a second click waits and finds the files kept.
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    found = batch_of(db, campaign_id, batch, groups=groups)
    by_id = {one.id: one for one in found.files}
    chosen = [one.id for one in found.keepable] if ids is None else list(dict.fromkeys(ids))
    before = len(found.kept) if ids is None else 0
    tags = []
    for number in sorted(chosen):
        if number not in by_id:
            raise NotFound("this batch has no such file", remedy="open the batch again")
        if by_id[number].kept_at is not None:
            before += 1
            continue
        row = row_of_batch(db, campaign_id, batch, number, groups)
        tags.append(_keep(db, row, by_id[number], by, about, replacing=replacing))
    return Kept(tuple(tags), before)


def discard_batch(db: Session, campaign_id: int, batch: str, *, groups: Groups = None) -> int:
    """Forget the files of a batch that are not runs; gives their number."""
    waiting = delete(CheckedFileRow).where(
        *rows_of_batch(campaign_id, batch, groups), CheckedFileRow.kept_at.is_(None)
    )
    return len(db.execute(waiting.returning(CheckedFileRow.id)).all())


def checked_content(
    db: Session, campaign_id: int, batch: str, number: int, *, groups: Groups = None
) -> tuple[str, bytes]:
    """The name of a file of a batch and its content as gzip; raises NotFound where there is none."""
    row = row_of_batch(db, campaign_id, batch, number, groups)
    if row.content_gzip is None:
        raise NotFound(f"nothing is kept of {row.file_name}", remedy="mend it where you have it")
    return row.file_name, row.content_gzip


def sent_for(db: Session, campaign_id: int, batch: str, number: int, *, groups: Groups = None) -> int | None:
    """The group for which a file of a batch was sent, None for an organiser's; raises NotFound."""
    return row_of_batch(db, campaign_id, batch, number, groups).group_id


def corrected(
    expected: RunChecker, name: str, content_gzip: bytes, *, tag: str | None = None
) -> tuple[str, bytes]:
    """A name for the corrected file and its content; raises WorkbenchError where nothing is mechanical."""
    check = expected.check(io.BytesIO(content_gzip), name)
    found = repair_in(expected, name, check, content_gzip, tag=tag)
    if found is None:
        raise WorkbenchError(
            f"nothing in {name} can be mended mechanically",
            remedy="it takes somebody who knows what was meant",
        )
    return name.removesuffix(".gz"), found[1]


def _keep(
    db: Session,
    row: CheckedFileRow,
    file: CheckedFile,
    by: int | None,
    about: RunMetadata | None,
    *,
    replacing: bool,
) -> str:
    if file.report.errors:
        raise InvalidInput(file.report.errors)
    checked = RunUpload(row.file_name, row.content_gzip, report_from_json(row.report))
    sent = row.group_id is not None
    if sent:
        about = replace(about or RunMetadata(), group_id=row.group_id)
    tag = store_checked(
        db,
        row.campaign_id,
        checked,
        added_by=by,
        about=about,
        verdict=About.RECEIVED if sent else About.ACCEPTED,
        replacing=replacing,
        of_group_only=sent,
    )
    row.kept_at = datetime.now(UTC)
    row.content_gzip = None  # the run has it now
    db.flush()
    return tag


def _forget_expired(db: Session) -> None:
    old = (CheckedFileRow.added_at < oldest_kept(), CheckedFileRow.kept_at.is_(None))
    db.execute(delete(CheckedFileRow).where(*old))
