"""A participant's view: the runs and uploads of the participant's own groups, and nothing else; their quota.

Every use-case here takes a participant or a group, and looks only at rows of the groups for which that
account sends runs. The result contains no pool, no name of an organiser, and no warning that compares a run
with another one. What participants upload must not fill the disk that everybody saves on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, InvalidInput, NotFound
from workbench.formats.run_report import RunReport
from workbench.storage.tables import AccountRow, CheckedFileRow, GroupMemberRow, RunRow
from workbench.workflow.people.groups import Sender
from workbench.workflow.runs.run_checks import check_file, run_checker
from workbench.workflow.runs.run_metadata import RunMetadata
from workbench.workflow.runs.run_records import CampaignRun, RunRecord, change_metadata, run_record, runs_of
from workbench.workflow.runs.store import remove_run, require_tag, run_file, store_runs
from workbench.workflow.runs.uploads import Batch, batch_of

# Warnings about a file alone. One that compares runs would name another group's, so what is not listed here
# is not shown.
ABOUT_THE_FILE = frozenset(
    {
        "replaces", "second-column", "tag-length", "tag-name", "topics-missing", "short-topics", "rank",
        "rank-repeated", "rank-order", "ties", "near-ties", "unknown-topic", "too-many", "unknown-document",
    }
)  # fmt: skip


def require_own_group(participant: Sender, group_id: int | None) -> int:
    """The group, if the participant sends runs for it; raises NotFound for any other."""
    if group_id is None or group_id not in (participant.groups or {}):
        raise NotFound("you do not submit runs for this group", remedy="ask the organiser for a link")
    return group_id


def own_batch(db: Session, campaign_id: int, batch: str, participant: Sender) -> Batch:
    """A batch of one's groups as they may see it; raises NotFound for anybody else's."""
    found = batch_of(db, campaign_id, batch, participant)
    return replace(found, files=tuple(replace(one, report=own_report(one.report)) for one in found.files))


def own_report(report: RunReport) -> RunReport:
    """What a group may know of its file: nothing that compares it with other runs."""
    return replace(report, warnings=tuple(one for one in report.warnings if one.code in ABOUT_THE_FILE))


def own_runs(db: Session, campaign_id: int, participant: Sender) -> tuple[CampaignRun, ...]:
    """The runs of the participant's groups, by tag."""
    groups = list(participant.groups or {})
    colleagues = _colleagues(db, groups)
    return tuple(_redacted(run, colleagues) for run in runs_of(db, campaign_id, group_ids=groups))


def own_record(db: Session, campaign_id: int, tag: str, participant: Sender) -> RunRecord:
    """One run of the participant's groups with its earlier versions; raises NotFound for every other."""
    run = _own_run(db, campaign_id, tag, participant)
    groups = participant.groups or {}
    colleagues = _colleagues(db, list(groups))
    record = run_record(db, campaign_id, tag)
    versions = (one for one in record.versions if one.metadata.group_id in groups)
    redacted = tuple(_redacted(one, colleagues) for one in versions)
    return RunRecord(_redacted(run, colleagues), record.size, redacted)


def own_content(
    db: Session, campaign_id: int, tag: str, participant: Sender, sha256: str | None
) -> tuple[str, Iterator[bytes]]:
    """A run of the participant's groups, or an earlier version of it, as `run_file`; raises NotFound."""
    record = own_record(db, campaign_id, tag, participant)
    if sha256 is not None and sha256 not in {record.run.sha256, *(one.sha256 for one in record.versions)}:
        raise _not_found()
    return run_file(db, campaign_id, tag, sha256=sha256 or record.run.sha256)


def replace_own(
    db: Session, campaign_id: int, tag: str, file: tuple[str, BinaryIO], participant: Sender
) -> None:
    """Replace a run of the participant's groups by a file with the same tag; it waits for a verdict again.

    Raises NotFound for every other run, Conflict where it is in use or the group's quota is, InvalidInput for
    a file that is refused.
    """
    group = RunMetadata(_unused_run(db, campaign_id, tag, participant).metadata.group_id)
    upload = check_file(run_checker(db, campaign_id), *file)
    if group.group_id is not None:
        require_room(db, campaign_id, group.group_id, more=len(upload.content_gzip or b""))
    done = store_runs(db, campaign_id, [upload], group, participant, replacing=True)
    if done.refused:
        raise InvalidInput(done.refused[0].errors)
    require_tag(done.added[0], tag)


def change_own(db: Session, campaign_id: int, tag: str, metadata: RunMetadata, participant: Sender) -> None:
    """Give a run of the participant's groups other metadata; it stays in its group.

    Raises NotFound for every other run and Conflict where it is in use.
    """
    run = _unused_run(db, campaign_id, tag, participant)
    change_metadata(db, campaign_id, tag, replace(metadata, group_id=run.metadata.group_id))


def withdraw_own(db: Session, campaign_id: int, tag: str, participant: Sender) -> None:
    """Remove a run of the participant's groups, with its earlier versions.

    Raises NotFound for every other run and Conflict where it is in use.
    """
    _unused_run(db, campaign_id, tag, participant)
    remove_run(db, campaign_id, tag)


def require_unused(run: CampaignRun) -> None:
    """Raise Conflict where a pool was built from the run."""
    if run.in_use:
        raise Conflict("this run is in use and cannot be changed", remedy="ask the organiser")


def _own_run(db: Session, campaign_id: int, tag: str, participant: Sender) -> CampaignRun:
    for run in runs_of(db, campaign_id, group_ids=list(participant.groups or {})):
        if run.tag == tag:
            return run
    raise _not_found()


def _unused_run(db: Session, campaign_id: int, tag: str, participant: Sender) -> CampaignRun:
    # Locked, lest a pool be made of it or a colleague replace it meanwhile.
    db.execute(
        select(RunRow.id).where(RunRow.campaign_id == campaign_id, RunRow.tag == tag).with_for_update()
    )
    run = _own_run(db, campaign_id, tag, participant)
    require_unused(run)
    return run


def _redacted(run: CampaignRun, colleagues: frozenset[str]) -> CampaignRun:
    return replace(
        run,
        warnings=tuple(one for one in run.warnings if one.code in ABOUT_THE_FILE),
        added_by=run.added_by if run.added_by in colleagues else "",
        verdict_by="",
        verdict_at=None,
        pools=(),
    )


def _colleagues(db: Session, group_ids: list[int]) -> frozenset[str]:
    return frozenset(
        db.scalars(
            select(AccountRow.name)
            .join(GroupMemberRow, GroupMemberRow.account_id == AccountRow.id)
            .where(GroupMemberRow.group_id.in_(group_ids))
        )
    )


def _not_found() -> NotFound:
    # One answer for a run that does not exist and for one of another group.
    return NotFound("your group has no such run", remedy="see the list of your runs")


MOST_WAITING = 200
"""Checked files of a group that are not submitted."""
MOST_BYTES = 4 * 1024**3
"""All that is stored of a group in a campaign: checked files, runs and their earlier versions, as gzip."""


def require_room(db: Session, campaign_id: int, group_id: int, *, more: int = 0) -> None:
    """Raise Conflict where a group has used its quota, or would with so many more bytes."""
    file, run = CheckedFileRow, RunRow
    waiting, of_files = db.execute(
        select(func.count(), func.coalesce(func.sum(func.length(file.content_gzip)), 0)).where(
            file.campaign_id == campaign_id, file.group_id == group_id, file.kept_at.is_(None)
        )
    ).one()
    of_runs = select(func.coalesce(func.sum(func.length(run.content_gzip)), 0)).where(
        run.campaign_id == campaign_id, run.group_id == group_id
    )
    if waiting >= MOST_WAITING:
        raise Conflict(
            f"{waiting} checked files of your group are not submitted yet",
            remedy=f"submit or discard some: at most {MOST_WAITING} may wait",
        )
    if of_files + (db.scalar(of_runs) or 0) + more > MOST_BYTES:
        raise Conflict(
            f"your group has used its {MOST_BYTES / 1024**3:g} GiB of storage",
            remedy="discard checked files, withdraw runs that you no longer need, or ask the organiser",
        )
