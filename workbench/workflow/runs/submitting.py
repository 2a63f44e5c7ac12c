"""Runs: received, checked whole before anything is stored, kept as they were sent."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.formats.error_collector import shown
from workbench.formats.run_report import with_findings
from workbench.records import Run, Verdict
from workbench.storage.tables import CampaignRow, PoolRow, RunRow
from workbench.workflow.findings import finding_to_json
from workbench.workflow.runs.duplicate_runs import Holder, tag_findings
from workbench.workflow.runs.packed_store import pack_run, run_for_use
from workbench.workflow.runs.run_checks import CheckedRun, check_files, expected_of
from workbench.workflow.runs.run_lines import RunLine, runs_of
from workbench.workflow.runs.run_metadata import AboutRun
from workbench.workflow.runs.run_rules import rules_of
from workbench.workflow.runs.storing import NewRun, store_run


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
    db: Session,
    campaign_id: int,
    files: Iterable[tuple[str, BinaryIO]],
    *,
    added_by: int | None = None,
    about: AboutRun | None = None,
    replacing: bool = False,
) -> RunsAdded:
    """Check each (name, stream) and keep the good ones; a refused file leaves nothing behind.

    Plain or gzip. Raises WorkbenchError where the campaign has no topics to check against. Who must not hold
    a writing transaction while files are read calls `check_files`, then `store_runs`.
    """
    checked = check_files(expected_of(db, campaign_id), files, replacing=replacing)
    return store_runs(db, campaign_id, checked, added_by=added_by, about=about, replacing=replacing)


def store_runs(
    db: Session,
    campaign_id: int,
    files: Iterable[CheckedRun],
    *,
    added_by: int | None = None,
    about: AboutRun | None = None,
    verdict: Verdict = Verdict.ACCEPTED,
    replacing: bool = False,
    of_group_only: bool = False,
) -> RunsAdded:
    """Keep the good ones of files that were checked.

    `about` is said of each; with `replacing` a run whose tag is taken replaces the one there, and what is not
    said of it is taken over. With `of_group_only` nothing is touched nor told of runs that are not of the
    group in `about`.
    """
    added: list[str] = []
    refused: list[RefusedRun] = []
    for checked in files:
        try:
            tag = store_checked(
                db,
                campaign_id,
                checked,
                added_by=added_by,
                about=about,
                verdict=verdict,
                replacing=replacing and checked.report.tag not in added,
                of_group_only=of_group_only,
            )
            added.append(tag)
        except InvalidInput as error:
            refused.append(RefusedRun(checked.file_name, error.findings))
    lines = {line.tag: line for line in runs_of(db, campaign_id)} if added else {}
    return RunsAdded(tuple(lines[tag] for tag in added), tuple(refused))


def store_checked(
    db: Session,
    campaign_id: int,
    checked: CheckedRun,
    *,
    added_by: int | None = None,
    about: AboutRun | None = None,
    verdict: Verdict = Verdict.ACCEPTED,
    replacing: bool = False,
    of_group_only: bool = False,
) -> str:
    """Keep a file that was checked and found good, as `store_runs` does; gives its tag.

    Raises InvalidInput with its errors where it was refused, and where its tag is taken by now.
    """
    report, content, said = checked.report, checked.content_gzip, about or AboutRun()
    # Locked, so that a tag cannot be taken twice at once.
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    if report.tag is not None and not report.errors and not of_group_only:
        held = held_tags(db, campaign_id)
        if replacing:
            held.pop(report.tag, None)
        found = tag_findings(report.tag, report.sha256, held, source=checked.file_name)
        report = with_findings(report, found, rules_of(db, campaign_id))
    if report.errors or report.tag is None or report.sha256 is None or content is None:
        raise InvalidInput(report.errors)
    run_id = store_run(
        db,
        campaign_id,
        NewRun(
            tag=report.tag,
            file_name=checked.file_name,
            content_gzip=content,
            sha256=report.sha256,
            topics=report.topics,
            lines=report.lines,
            warnings=[finding_to_json(finding) for finding in report.warnings],
        ),
        added_by=added_by,
        group_id=said.group_id,
        kind=said.kind,
        description=said.description,
        priority=said.priority,
        verdict=verdict,
        replacing=replacing,
        of_group_only=of_group_only,
    )
    pack_run(db, run_id)
    return report.tag


def held_tags(db: Session, campaign_id: int) -> dict[str, Holder]:
    """The tags of a campaign's runs that hold, and who has them."""
    rows = db.execute(
        select(RunRow.tag, RunRow.sha256)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    )
    return {tag: Holder(f"run {shown(tag)}", sha256) for tag, sha256 in rows}


def run_content(db: Session, campaign_id: int, tag: str, *, sha256: str | None = None) -> tuple[str, bytes]:
    """A run's file name without `.gz` and its bytes as they were sent, uncompressed; raises NotFound.

    Of the version that holds, or of the one with this hash, replaced or not.
    """
    row = run_row(db, campaign_id, tag, sha256=sha256)
    name = row.file_name
    return (name[:-3] if name.endswith(".gz") else name), gzip.decompress(row.content_gzip)


def stored_run(db: Session, campaign_id: int, tag: str, *, sha256: str | None = None) -> Run:
    """A run, whole, in the topics of the campaign: the version that holds, or that with this hash.

    Raises NotFound.
    """
    return run_for_use(db, campaign_id, tag, sha256=sha256)


def remove_run(db: Session, campaign_id: int, tag: str) -> None:
    """Forget a run with all its versions; raises NotFound.

    Raises Conflict where a pool was built from one of them, since the pool must stay explained.
    """
    row = run_row(db, campaign_id, tag)
    for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id)):
        if any(run["tag"] == tag for run in pool.recipe["runs"]):
            raise Conflict(f"pool {pool.name!r} was built from run {tag!r}", remedy="a pooled run stays")
    db.execute(delete(RunRow).where(RunRow.campaign_id == campaign_id, RunRow.tag == row.tag))
    db.flush()


def run_row(db: Session, campaign_id: int, tag: str, *, sha256: str | None = None) -> RunRow:
    """The row of the version of a run that holds, or of the latest one with this hash; raises NotFound.

    For use-cases only: no mapped row leaves the workflow.
    """
    chosen = select(RunRow).where(RunRow.campaign_id == campaign_id, RunRow.tag == tag)
    chosen = chosen.where(RunRow.replaced_at.is_(None) if sha256 is None else RunRow.sha256 == sha256)
    row = db.scalar(chosen.order_by(RunRow.id.desc()).limit(1))
    if row is None:
        version = "" if sha256 is None else f" with the hash {sha256[:12]}…"
        raise NotFound(f"there is no run {tag!r}{version} in this campaign")
    return row
