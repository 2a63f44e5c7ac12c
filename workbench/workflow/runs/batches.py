"""Batches of checked files as they wait to be kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.formats.error_collector import shown
from workbench.formats.run_report import RunReport, Verdict, report_from_json, with_findings
from workbench.storage.tables import AccountRow, CheckedFileRow
from workbench.workflow.runs.duplicate_runs import Holder, tag_findings
from workbench.workflow.runs.run_rules import rules_of
from workbench.workflow.runs.submitting import held_tags

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
