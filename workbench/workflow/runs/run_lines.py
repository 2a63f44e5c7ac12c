"""The runs of a campaign that hold, with what is known of each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from workbench.errors import Finding, NotFound
from workbench.records import Verdict
from workbench.storage.tables import AccountRow, GroupRow, PoolRow, RunRow
from workbench.workflow.findings import finding_from_json
from workbench.workflow.runs.run_metadata import AboutRun, Kind


@dataclass(frozen=True, slots=True)
class RunLine:
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
    about: AboutRun
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
) -> tuple[RunLine, ...]:
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
        RunLine(
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
            about=AboutRun(row.group_id, Kind(row.kind) if row.kind else None, row.description, row.priority),
            verdict=Verdict(row.verdict),
            verdict_reason=row.verdict_reason,
            verdict_by=judged_by or "",
            verdict_at=row.verdict_at,
            earlier_pools=tuple(name for sha256, name in pools.get(row.tag, ()) if sha256 != row.sha256),
        )
        for row, by, judged_by, group in db.execute(chosen)
    )


def run_line(db: Session, campaign_id: int, tag: str) -> RunLine:
    """One run that holds, by its tag; raises NotFound."""
    for line in runs_of(db, campaign_id):
        if line.tag == tag:
            return line
    raise NotFound(f"there is no run {tag!r} in this campaign")
