"""The runs of a campaign as listed, and the record of one: metadata, verdict, pools, earlier versions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session, aliased

from workbench.errors import Finding, NotFound, WorkbenchError
from workbench.records import Verdict
from workbench.storage.tables import AccountRow, GroupRow, PoolRow, RunRow
from workbench.workflow.checks import storable
from workbench.workflow.clock import utc_now
from workbench.workflow.findings import finding_from_json
from workbench.workflow.people.groups import require_group
from workbench.workflow.runs.run_metadata import Kind, RunMetadata


@dataclass(frozen=True, slots=True)
class CampaignRun:
    """A run as it is kept; `sha256` is of the uncompressed file, `warnings` are findings at its reading.

    `pools` were built from this version of it, `earlier_pools` from one that it replaced.
    """

    id: int
    tag: str
    file_name: str
    topics: int
    lines: int
    sha256: str
    warnings: tuple[Finding, ...]
    added_by: str
    added_at: datetime
    pools: tuple[str, ...]
    group: str
    about: RunMetadata
    verdict: Verdict
    verdict_reason: str
    verdict_by: str
    verdict_at: datetime | None
    earlier_pools: tuple[str, ...]

    @property
    def in_use(self) -> bool:
        """Whether a pool was built from some version of the run, which must stay explained."""
        return bool(self.pools or self.earlier_pools)


def runs_of(
    db: Session, campaign_id: int, *, group_ids: Collection[int] | None = None
) -> tuple[CampaignRun, ...]:
    """The runs of a campaign that hold (or those of some groups), by tag."""
    pools: dict[str, list[tuple[str, str]]] = {}
    for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)):
        for run in pool.recipe["runs"]:
            pools.setdefault(run["tag"], []).append((run["sha256"], pool.name))
    sender, judge = aliased(AccountRow), aliased(AccountRow)
    chosen = (
        select(RunRow, sender.name, judge.name, GroupRow.name)
        .outerjoin(sender, sender.id == RunRow.added_by)
        .outerjoin(judge, judge.id == RunRow.verdict_by)
        .outerjoin(GroupRow, GroupRow.id == RunRow.group_id)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    )
    if group_ids is not None:
        chosen = chosen.where(RunRow.group_id.in_(group_ids))
    return tuple(
        CampaignRun(
            id=row.id,
            tag=row.tag,
            file_name=row.file_name,
            topics=row.topics,
            lines=row.lines,
            sha256=row.sha256,
            warnings=tuple(finding_from_json(finding) for finding in row.warnings),
            added_by=by or "",
            added_at=row.added_at,
            pools=tuple(name for sha256, name in pools.get(row.tag, ()) if sha256 == row.sha256),
            group=group or "",
            about=RunMetadata(
                row.group_id, Kind(row.kind) if row.kind else None, row.description, row.priority
            ),
            verdict=Verdict(row.verdict),
            verdict_reason=row.verdict_reason,
            verdict_by=judged_by or "",
            verdict_at=row.verdict_at,
            earlier_pools=tuple(name for sha256, name in pools.get(row.tag, ()) if sha256 != row.sha256),
        )
        for row, by, judged_by, group in db.execute(chosen)
    )


def campaign_run(db: Session, campaign_id: int, tag: str) -> CampaignRun:
    """One run that holds, by its tag; raises NotFound."""
    for line in runs_of(db, campaign_id):
        if line.tag == tag:
            return line
    raise NotFound(f"there is no run {tag!r} in this campaign")


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

    run: CampaignRun
    size: int
    pools: tuple[RunPool, ...]
    versions: tuple[RunVersion, ...]


def run_record(db: Session, campaign_id: int, tag: str) -> RunRecord:
    """The record of the run that has a tag; raises NotFound."""
    line = campaign_run(db, campaign_id, tag)
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


def change_record(db: Session, campaign_id: int, tag: str, about: RunMetadata) -> None:
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


def plain_size(db: Session, run_id: int) -> int:
    """The size of a run's plain file in bytes."""
    content = db.scalar(select(RunRow.content_gzip).where(RunRow.id == run_id)) or b""
    # Gzip ends with the size of what went in, modulo 4 GiB; ours has one member (RFC 1952, section 2.3.1).
    return int.from_bytes(content[-4:], "little")
