"""Runs: received, checked whole before anything is stored, kept as they were sent."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, Severity
from workbench.formats.refusals import shown
from workbench.formats.run_report import with_findings
from workbench.formats.runs import read_run
from workbench.records import Run
from workbench.storage.tables import AccountRow, CampaignRow, PoolRow, RunRow, TopicRow
from workbench.workflow.known_runs import Holder, tag_findings
from workbench.workflow.run_checks import CheckedRun, check_files, expected_of
from workbench.workflow.run_rules import rules_of


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run as it is kept; `sha256` is of the uncompressed file, `warnings` are findings at its reading."""

    tag: str
    file_name: str
    topics: int
    lines: int
    sha256: str
    warnings: tuple[Finding, ...]
    added_by: str
    added_at: datetime
    pools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefusedRun:
    """A file that was refused, with all that is wrong in it; nothing of it was kept."""

    file_name: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class RunsAdded:
    """What became of several files."""

    added: tuple[RunLine, ...]
    refused: tuple[RefusedRun, ...]


def add_runs(
    db: Session, campaign_id: int, files: Iterable[tuple[str, BinaryIO]], *, added_by: int | None = None
) -> RunsAdded:
    """Check each (name, stream) and keep the good ones; a refused file leaves nothing behind.

    Plain or gzip. Raises WorkbenchError where the campaign has no topics to check against. Who must not hold
    a writing transaction while files are read calls `check_files`, then `store_runs`.
    """
    expected = expected_of(db, campaign_id)
    return store_runs(db, campaign_id, check_files(expected, files), added_by=added_by)


def store_runs(
    db: Session, campaign_id: int, files: Iterable[CheckedRun], *, added_by: int | None = None
) -> RunsAdded:
    """Keep the good ones of files that were checked."""
    added: list[str] = []
    refused: list[RefusedRun] = []
    for checked in files:
        try:
            added.append(store_run(db, campaign_id, checked, added_by=added_by))
        except InvalidInput as error:
            refused.append(RefusedRun(checked.file_name, error.findings))
    lines = {line.tag: line for line in runs_of(db, campaign_id)}
    return RunsAdded(tuple(lines[tag] for tag in added), tuple(refused))


def runs_of(db: Session, campaign_id: int) -> tuple[RunLine, ...]:
    """The runs of a campaign, by tag."""
    pools: dict[str, list[str]] = {}
    for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)):
        for run in pool.recipe["runs"]:
            pools.setdefault(run["tag"], []).append(pool.name)
    rows = db.execute(
        select(RunRow, AccountRow.name)
        .outerjoin(AccountRow, AccountRow.id == RunRow.added_by)
        .where(RunRow.campaign_id == campaign_id)
        .order_by(RunRow.tag)
    )
    return tuple(
        RunLine(
            tag=row.tag,
            file_name=row.file_name,
            topics=row.topics,
            lines=row.lines,
            sha256=row.sha256,
            warnings=tuple(_finding_from_json(finding) for finding in row.warnings),
            added_by=by or "",
            added_at=row.added_at,
            pools=tuple(pools.get(row.tag, ())),
        )
        for row, by in rows
    )


def run_content(db: Session, campaign_id: int, tag: str) -> tuple[str, bytes]:
    """A run's file name without `.gz` and its bytes as they were sent, uncompressed; raises NotFound."""
    row = _run_row(db, campaign_id, tag)
    name = row.file_name
    return (name[:-3] if name.endswith(".gz") else name), gzip.decompress(row.content_gzip)


def stored_run(db: Session, campaign_id: int, tag: str) -> Run:
    """A run read again from what is kept of it, in the topics of the campaign; raises NotFound."""
    row = _run_row(db, campaign_id, tag)
    run = read_run(io.BytesIO(row.content_gzip), source=row.file_name).run
    if all(warning["code"] != "unknown-topic" for warning in row.warnings):
        return run
    # A campaign may take runs with further topics; they have nobody to judge them.
    known = set(db.scalars(select(TopicRow.topic).where(TopicRow.campaign_id == campaign_id)))
    return Run(run.tag, {topic: ranking for topic, ranking in run.rankings.items() if topic in known})


def remove_run(db: Session, campaign_id: int, tag: str) -> None:
    """Forget a run; raises Conflict where a pool was built from it, since the pool must stay explained."""
    row = _run_row(db, campaign_id, tag)
    for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id)):
        if any(run["tag"] == tag for run in pool.recipe["runs"]):
            raise Conflict(f"pool {pool.name!r} was built from run {tag!r}", remedy="a pooled run stays")
    db.delete(row)
    db.flush()


def store_run(db: Session, campaign_id: int, checked: CheckedRun, *, added_by: int | None = None) -> str:
    """Keep a file that was checked and found good; gives its tag.

    Raises InvalidInput with its errors where it was refused, and where its tag is taken by now.
    """
    report, content = checked.report, checked.content_gzip
    # Locked, so that a tag cannot be taken twice at once.
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    rules = rules_of(db, campaign_id)
    if report.tag is not None and not report.errors:
        held = held_tags(db, campaign_id)
        about = tag_findings(report.tag, report.sha256, held, source=checked.file_name)
        report = with_findings(report, about, rules)
    if report.errors or report.tag is None or report.sha256 is None or content is None:
        raise InvalidInput(report.errors)
    db.add(
        RunRow(
            campaign_id=campaign_id,
            tag=report.tag,
            file_name=checked.file_name,
            content_gzip=content,
            sha256=report.sha256,
            topics=report.topics,
            lines=report.lines,
            warnings=[_finding_to_json(finding) for finding in report.warnings],
            added_by=added_by,
            added_at=datetime.now(UTC),
        )
    )
    db.flush()
    return report.tag


def held_tags(db: Session, campaign_id: int) -> dict[str, Holder]:
    """The tags of a campaign's runs that hold, and who has them."""
    rows = db.execute(
        select(RunRow.tag, RunRow.sha256)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    )
    return {tag: Holder(f"run {shown(tag)}", sha256) for tag, sha256 in rows}


def _run_row(db: Session, campaign_id: int, tag: str) -> RunRow:
    row = db.scalar(select(RunRow).where(RunRow.campaign_id == campaign_id, RunRow.tag == tag))
    if row is None:
        raise NotFound(f"there is no run {tag!r} in this campaign")
    return row


def _finding_to_json(finding: Finding) -> dict[str, object]:
    return {
        "source": finding.source,
        "line": finding.line,
        "code": finding.code,
        "message": finding.message,
        "remedy": finding.remedy,
        "severity": str(finding.severity),
        "column": finding.column,
    }


def _finding_from_json(data: dict[str, object]) -> Finding:
    line, column = data["line"], data.get("column")
    return Finding(
        source=str(data["source"]),
        line=line if isinstance(line, int) else None,
        code=str(data["code"]),
        message=str(data["message"]),
        remedy=str(data["remedy"]),
        severity=Severity(str(data["severity"])),
        column=column if isinstance(column, int) else None,
    )
