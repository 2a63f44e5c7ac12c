"""The record of a run: reading it whole, changing what is said of it, the organiser's verdict, replacing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.records import Verdict
from workbench.storage.tables import AccountRow, GroupRow, PoolRow, RunRow
from workbench.workflow.checks import storable
from workbench.workflow.clock import utc_now
from workbench.workflow.people.groups import require_group
from workbench.workflow.runs.run_lines import RunLine, run_line
from workbench.workflow.runs.run_metadata import AboutRun
from workbench.workflow.runs.submitting import add_runs, run_row

LONGEST_REASON = 1000


@dataclass(frozen=True, slots=True)
class RunVersion:
    """A version of a run that another one replaced, and the pools that were built from it."""

    sha256: str
    file_name: str
    group: str
    topics: int
    lines: int
    added_by: str
    added_at: datetime
    replaced_at: datetime
    pools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunPool:
    """A pool that was built from a run; `earlier` says that it was from a version that was replaced since."""

    id: int
    name: str
    sha256: str
    earlier: bool


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Everything that is kept of a run; `size` is of the plain file in bytes, `versions` are latest first."""

    run: RunLine
    size: int
    pools: tuple[RunPool, ...]
    versions: tuple[RunVersion, ...]


def run_record(db: Session, campaign_id: int, tag: str) -> RunRecord:
    """The record of the run that has a tag; raises NotFound."""
    line = run_line(db, campaign_id, tag)
    pools = [
        RunPool(pool.id, pool.name, run["sha256"], run["sha256"] != line.sha256)
        for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id))
        for run in pool.recipe["runs"]
        if run["tag"] == tag
    ]
    earlier = db.execute(
        select(RunRow, AccountRow.name, GroupRow.name)
        .outerjoin(AccountRow, AccountRow.id == RunRow.added_by)
        .outerjoin(GroupRow, GroupRow.id == RunRow.group_id)
        .where(RunRow.campaign_id == campaign_id, RunRow.tag == tag, RunRow.replaced_at.is_not(None))
        .order_by(RunRow.id.desc())
    )
    versions = tuple(
        RunVersion(
            row.sha256,
            row.file_name,
            group or "",
            row.topics,
            row.lines,
            by or "",
            row.added_at,
            row.replaced_at,
            tuple(pool.name for pool in pools if pool.sha256 == row.sha256),
        )
        for row, by, group in earlier
        if row.replaced_at is not None
    )
    return RunRecord(line, plain_size(db, line.id), tuple(pools), versions)


def change_record(db: Session, campaign_id: int, tag: str, about: AboutRun) -> None:
    """Say something else of a run; its earlier versions go to another group with it. Raises NotFound."""
    row = run_row(db, campaign_id, tag)
    if about.group_id is not None:
        require_group(db, campaign_id, about.group_id)
    if about.group_id != row.group_id:
        db.execute(
            update(RunRow)
            .where(
                RunRow.campaign_id == campaign_id,
                RunRow.tag == row.tag,
                RunRow.replaced_at.is_not(None),
                RunRow.group_id.is_not_distinct_from(row.group_id),
            )
            .values(group_id=about.group_id)
        )
    row.group_id, row.kind = about.group_id, about.kind
    row.description, row.priority = about.description, about.priority
    db.flush()


def give_verdict(
    db: Session,
    campaign_id: int,
    tags: Collection[str],
    verdict: Verdict,
    *,
    reason: str = "",
    by: int | None,
) -> int:
    """Say of runs that they are accepted, set aside or only received; gives how many were not so before.

    Raises NotFound for a tag, WorkbenchError without a reason for setting aside or with one that is too long.
    """
    reason = " ".join(storable(reason).split())
    if verdict is Verdict.SET_ASIDE and not reason:
        raise WorkbenchError("setting a run aside needs a reason", remedy="its group will read it")
    if len(reason) > LONGEST_REASON:
        raise WorkbenchError(
            f"the reason has {len(reason):,} characters", remedy=f"at most {LONGEST_REASON:,}"
        )
    changed = 0
    for tag in dict.fromkeys(tags):
        row = run_row(db, campaign_id, tag)
        if (row.verdict, row.verdict_reason) == (verdict, reason):
            continue
        row.verdict, row.verdict_reason = verdict, reason
        row.verdict_by, row.verdict_at = by, utc_now(None)
        changed += 1
    db.flush()
    return changed


def replace_run(
    db: Session, campaign_id: int, tag: str, file: tuple[str, BinaryIO], *, added_by: int | None = None
) -> RunLine:
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


def plain_size(db: Session, run_id: int) -> int:
    """The size of a run's plain file in bytes."""
    content = db.scalar(select(RunRow.content_gzip).where(RunRow.id == run_id)) or b""
    # Gzip ends with the size of what went in, modulo 4 GiB; ours has one member (RFC 1952, section 2.3.1).
    return int.from_bytes(content[-4:], "little")
