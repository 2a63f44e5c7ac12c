"""Storing checked runs, under a free tag or in place of an earlier version; reading and removing them."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput
from workbench.formats.error_collector import shown
from workbench.formats.run_report import with_findings
from workbench.records import Verdict
from workbench.storage.tables import CampaignRow, PoolRow, RunRow
from workbench.workflow.clock import utc_now
from workbench.workflow.findings import finding_to_json
from workbench.workflow.runs.duplicate_runs import Holder, tag_findings
from workbench.workflow.runs.packed_store import pack_run
from workbench.workflow.runs.run_checks import RunUpload, check_files, run_checker
from workbench.workflow.runs.run_metadata import Kind, RunMetadata
from workbench.workflow.runs.run_records import CampaignRun, run_row, runs_of
from workbench.workflow.runs.run_rules import rules_of


@dataclass(frozen=True, slots=True)
class NewRun:
    """A checked file that holds a run; `content_gzip` is the whole of it, `sha256` of its plain bytes."""

    tag: str
    file_name: str
    content_gzip: bytes
    sha256: str
    topics: int
    lines: int
    warnings: list[Any]


def store_run(
    db: Session,
    campaign_id: int,
    new: NewRun,
    *,
    added_by: int | None = None,
    group_id: int | None = None,
    kind: Kind | None = None,
    description: str = "",
    priority: int | None = None,
    verdict: Verdict = Verdict.ACCEPTED,
    replacing: bool = False,
    of_group_only: bool = False,
) -> int:
    """Keep a run and give its row's number.

    With `replacing` the run that has the tag is kept beside it as an earlier version, and what is not said of
    the new one is taken over from it. With `of_group_only` the run there is replaced only if it is of
    `group_id` and in no pool, and of any other nothing is said but that its tag is taken.
    Raises InvalidInput where the tag is taken, Conflict where somebody else took it at this moment.
    """
    there = db.scalar(
        select(RunRow)
        .where(RunRow.campaign_id == campaign_id, RunRow.tag == new.tag, RunRow.replaced_at.is_(None))
        .with_for_update()
    )
    if there is not None:
        refusal = _refusal(db, there, new, group_id, replacing=replacing, of_group_only=of_group_only)
        if refusal is not None:
            raise InvalidInput([refusal])
    now = utc_now(None)
    row = RunRow(
        campaign_id=campaign_id,
        tag=new.tag,
        file_name=new.file_name,
        content_gzip=new.content_gzip,
        sha256=new.sha256,
        topics=new.topics,
        lines=new.lines,
        warnings=new.warnings,
        added_by=added_by,
        added_at=now,
        group_id=group_id,
        kind=kind,
        description=description,
        priority=priority,
        verdict=verdict,
    )
    if there is not None:
        row.group_id = there.group_id if group_id is None else group_id
        row.kind = there.kind if kind is None else kind
        row.description = description or there.description
        row.priority = there.priority if priority is None else priority
        there.replaced_at = now
    try:
        db.flush()
        db.add(row)
        db.flush()
    except IntegrityError:
        raise Conflict(
            f"a run {new.tag} was sent at this very moment by somebody else", remedy="look at it, then decide"
        ) from None
    return row.id


def _refusal(
    db: Session, there: RunRow, new: NewRun, group_id: int | None, *, replacing: bool, of_group_only: bool
) -> Finding | None:
    source, tag = new.file_name, new.tag
    if of_group_only and there.group_id != group_id:
        # Whose it is, and whether it is this very file, is nobody's business but the organiser's.
        return Finding(source, None, "tag-taken", f"the tag {tag} is taken", "give this run another tag")
    if there.sha256 == new.sha256:
        return Finding(source, None, "same-content", f"this very file is here already as run {tag}")
    if not replacing:
        remedy = "give this run its own tag, or say that it replaces the one there"
        return Finding(source, None, "tag-taken", f"a run {tag} is here already", remedy)
    if of_group_only and _pooled(db, there):
        message = f"run {tag} is in use and can no longer be replaced"
        return Finding(source, None, "in-use", message, "ask the organiser, or send it under another tag")
    return None


def _pooled(db: Session, there: RunRow) -> bool:
    recipes = db.scalars(select(PoolRow.recipe).where(PoolRow.campaign_id == there.campaign_id))
    return any(run["tag"] == there.tag for recipe in recipes for run in recipe["runs"])


@dataclass(frozen=True, slots=True)
class RefusedRun:
    """A file that was refused, with all that is wrong in it; nothing of it was kept."""

    file_name: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class RunsAdded:
    """What became of several files."""

    added: tuple[CampaignRun, ...]
    refused: tuple[RefusedRun, ...]


def add_runs(
    db: Session,
    campaign_id: int,
    files: Iterable[tuple[str, BinaryIO]],
    *,
    added_by: int | None = None,
    about: RunMetadata | None = None,
    replacing: bool = False,
) -> RunsAdded:
    """Check each (name, stream) and keep the good ones; a refused file leaves nothing behind.

    Plain or gzip. Raises WorkbenchError where the campaign has no topics to check against. Who must not hold
    a writing transaction while files are read calls `check_files`, then `store_runs`.
    """
    checked = check_files(run_checker(db, campaign_id), files, replacing=replacing)
    return store_runs(db, campaign_id, checked, added_by=added_by, about=about, replacing=replacing)


def store_runs(
    db: Session,
    campaign_id: int,
    files: Iterable[RunUpload],
    *,
    added_by: int | None = None,
    about: RunMetadata | None = None,
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
    checked: RunUpload,
    *,
    added_by: int | None = None,
    about: RunMetadata | None = None,
    verdict: Verdict = Verdict.ACCEPTED,
    replacing: bool = False,
    of_group_only: bool = False,
) -> str:
    """Keep a file that was checked and found good, as `store_runs` does; gives its tag.

    Raises InvalidInput with its errors where it was refused, and where its tag is taken by now.
    """
    report, content, said = checked.report, checked.content_gzip, about or RunMetadata()
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


def replace_run(
    db: Session, campaign_id: int, tag: str, file: tuple[str, BinaryIO], *, added_by: int | None = None
) -> CampaignRun:
    """Replace the run that has a tag by a file with the same tag; what is said of it stays.

    Raises NotFound, and InvalidInput for a file that is refused, is the same, or has another tag.
    """
    run_row(db, campaign_id, tag)
    done = add_runs(db, campaign_id, [file], added_by=added_by, replacing=True)
    if done.refused:
        raise InvalidInput(done.refused[0].findings)
    (added,) = done.added
    require_tag(added.tag, tag, source=added.file_name)
    return added


def require_tag(found: str, wanted: str, *, source: str) -> None:
    """Raise InvalidInput where the run of a file has another tag than the one that it is to replace."""
    if found != wanted:
        message = f"the file holds run {found}, not {wanted}"
        raise InvalidInput(
            [Finding(source, None, "other-tag", message, f"its sixth column must say {wanted}")]
        )
