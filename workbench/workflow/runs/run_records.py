"""The runs of a campaign as listed and as JSON, and the record of one: metadata, verdict, pools, versions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, Text, cast, func, select, update
from sqlalchemy.orm import Session, aliased
from typing_extensions import TypedDict

from workbench.errors import Finding, NotFound, WorkbenchError, finding_from_json
from workbench.formats.identifiers import storable
from workbench.formats.run_rules import NOTES
from workbench.frozen import filled, frozen_dataclass, record_of
from workbench.records import Verdict
from workbench.storage.run_files import plain_size
from workbench.storage.tables import AccountRow, GroupRow, PoolRow, RunRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.groups import require_group
from workbench.workflow.runs.run_metadata import RunCost, RunKind, RunMetadata

LONGEST_REASON = 1000
_COLUMNS = (
    RunRow.id, RunRow.tag, RunRow.file_name, RunRow.sha256, RunRow.topics, RunRow.lines, RunRow.warnings,
    RunRow.added_at, RunRow.replaced_at, RunRow.group_id, RunRow.kind, RunRow.description, RunRow.priority,
    RunRow.verdict, RunRow.verdict_reason, RunRow.verdict_at, RunRow.seconds_per_query, RunRow.index_bytes,
)  # fmt: skip
HEADER = (
    "tag", "group", "kind", "description", "priority", "seconds_per_query", "index_bytes",
    "verdict", "reason", "file", "topics", "lines", "warnings", "sha256", "sent_by", "sent_at",
    "verdict_by", "verdict_at", "pools",
)  # fmt: skip
"""The columns of `metadata_rows`."""


class RunFinding(TypedDict):
    """A warning about a run that was added."""

    line: int | None
    code: str
    message: str
    remedy: str


class RunJson(TypedDict):
    """A run with what is said of it and what was found in it."""

    tag: str
    group: str | None
    kind: str | None
    description: str
    priority: int | None
    seconds_per_query: float | None
    index_bytes: int | None
    verdict: str
    reason: str
    verdict_by: str | None
    verdict_at: str | None
    file: str
    topics: int
    lines: int
    sha256: str
    sent_by: str | None
    sent_at: str | None
    warnings: list[RunFinding]


class PoolOfRun(TypedDict):
    """A pool that was built from a run; `earlier_version` if the run was replaced since."""

    name: str
    sha256: str
    earlier_version: bool


class RunVersion(TypedDict):
    """An earlier version of a run."""

    sha256: str
    file: str
    group: str | None
    topics: int
    lines: int
    sent_by: str | None
    sent_at: str | None
    replaced_at: str | None
    pools: list[str]


class RunRecordJson(RunJson):
    """Everything about a run, with its pools and earlier versions; `bytes` is its plain size."""

    bytes: int
    pools: list[PoolOfRun]
    earlier_versions: list[RunVersion]


@frozen_dataclass
class RunPool:
    """A pool that was built from a run; `earlier` marks one built from a version that was replaced since."""

    id: int
    name: str
    sha256: str
    draft: bool
    earlier: bool


@frozen_dataclass
class CampaignRun:
    """A version of a run of a campaign; `sha256` is of the uncompressed file, `warnings` are from its check.

    `pools` come in the order of their making, those of earlier versions last. `in_use` says that a pool was
    built from some version of the run, so that it must stay. `replaced_at` is None for the current version.
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
    replaced_at: datetime | None
    group: str
    metadata: RunMetadata
    verdict: Verdict
    verdict_reason: str
    verdict_by: str
    verdict_at: datetime | None
    pools: tuple[RunPool, ...]
    in_use: bool

    @property
    def alarming(self) -> tuple[Finding, ...]:
        """The warnings that are more than notes."""
        return tuple(one for one in self.warnings if one.code not in NOTES)


@frozen_dataclass
class ListedRun:
    """As much of a current run as is needed to choose and score it; `group` is empty without one."""

    tag: str
    sha256: str
    verdict: Verdict
    group: str


@frozen_dataclass
class RunRecord:
    """Everything about a run: its current version, the plain size in bytes, earlier versions."""

    run: CampaignRun
    size: int
    versions: tuple[CampaignRun, ...]

    def without_drafts(self) -> RunRecord:
        """The record as it may be shown to those who must not know of drafts."""
        return replace(self, run=without_drafts(self.run), versions=tuple(map(without_drafts, self.versions)))


def without_drafts(run: CampaignRun) -> CampaignRun:
    """A run without the drafts of pools that it is in, which are for organisers only."""
    return replace(run, pools=tuple(pool for pool in run.pools if not pool.draft))


def runs_of(
    db: Session,
    campaign_id: int,
    *,
    group_ids: Collection[int] | None = None,
    added_after: datetime | None = None,
) -> tuple[CampaignRun, ...]:
    """The current runs of a campaign (or those of some groups, or added after a time), by tag."""
    current: list[ColumnElement[bool]] = [RunRow.replaced_at.is_(None)]
    if group_ids is not None:
        current.append(RunRow.group_id.in_(group_ids))
    if added_after is not None:
        current.append(RunRow.added_at > added_after)
    chosen = _versions(campaign_id, current).order_by(RunRow.tag)
    pools = _pools(db, campaign_id)
    return tuple(_campaign_run(row, pools.get(row.tag, ())) for row in db.connection().execute(chosen))


def listed_runs(db: Session, campaign_id: int) -> tuple[ListedRun, ...]:
    """The current runs of a campaign by tag, without their records."""
    # The names of groups apart: of a thousand runs a join takes as long as all else.
    groups = dict(
        db.execute(select(GroupRow.id, GroupRow.name).where(GroupRow.campaign_id == campaign_id)).all()
    )
    chosen = (
        select(RunRow.tag, RunRow.sha256, RunRow.verdict, RunRow.group_id)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    )
    return tuple(
        ListedRun(tag, sha256, Verdict(verdict), groups.get(group_id or 0, ""))
        for tag, sha256, verdict, group_id in db.connection().execute(chosen)
    )


def lines_of_runs(db: Session, campaign_id: int) -> int:
    """How many lines the current runs have together."""
    current = RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None)
    return db.scalar(select(func.sum(RunRow.lines)).where(*current)) or 0


def runs_with_warnings(db: Session, campaign_id: int) -> int:
    """How many of the current runs have warnings of their check, notes aside."""
    chosen = select(RunRow.warnings).where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
    found = db.scalars(chosen.where(cast(RunRow.warnings, Text) != "[]"))
    return sum(any(one["code"] not in NOTES for one in warnings) for warnings in found)


def longest_list(runs: Iterable[CampaignRun]) -> int | None:
    """How many documents the longest run has for a topic, on average over its topics; None without runs."""
    return max((-(-run.lines // run.topics) for run in runs if run.topics), default=None)


def campaign_run(db: Session, campaign_id: int, tag: str) -> CampaignRun:
    """The current run with a tag; raises NotFound."""
    for run in runs_of(db, campaign_id):
        if run.tag == tag:
            return run
    raise NotFound(f"there is no run {tag!r} in this campaign")


def run_record(db: Session, campaign_id: int, tag: str) -> RunRecord:
    """The record of the run with a tag; raises NotFound."""
    run = campaign_run(db, campaign_id, tag)
    replaced = [RunRow.tag == tag, RunRow.replaced_at.is_not(None)]
    earlier = _versions(campaign_id, replaced).order_by(RunRow.id.desc())
    pools = _pools(db, campaign_id).get(tag, ())
    versions = tuple(_campaign_run(row, pools) for row in db.connection().execute(earlier))
    return RunRecord(run, plain_size(db, run.id), versions)


def run_row(db: Session, campaign_id: int, tag: str, *, sha256: str | None = None) -> RunRow:
    """The row of the current version of a run, or of the latest one with this hash; raises NotFound.

    For use-cases only: no mapped row leaves the workflow.
    """
    chosen = select(RunRow).where(RunRow.campaign_id == campaign_id, RunRow.tag == tag)
    chosen = chosen.where(RunRow.replaced_at.is_(None) if sha256 is None else RunRow.sha256 == sha256)
    row = db.scalar(chosen.order_by(RunRow.id.desc()).limit(1))
    if row is None:
        version = "" if sha256 is None else f" with the hash {sha256[:12]}…"
        raise NotFound(f"there is no run {tag!r}{version} in this campaign")
    return row


def change_metadata(db: Session, campaign_id: int, tag: str, metadata: RunMetadata) -> None:
    """Give a run other metadata; its earlier versions move to another group with it. Raises NotFound."""
    row = run_row(db, campaign_id, tag)
    if metadata.group_id is not None:
        require_group(db, campaign_id, metadata.group_id)
    if metadata.group_id != row.group_id:
        db.execute(
            update(RunRow)
            .where(
                RunRow.campaign_id == campaign_id,
                RunRow.tag == row.tag,
                RunRow.replaced_at.is_not(None),
                RunRow.group_id.is_not_distinct_from(row.group_id),
            )
            .values(group_id=metadata.group_id)
        )
    row.group_id, row.kind = metadata.group_id, metadata.kind
    row.description, row.priority = metadata.description, metadata.priority
    row.seconds_per_query, row.index_bytes = metadata.cost.seconds_per_query, metadata.cost.index_bytes
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
    """Accept runs, set them aside or mark them as only received; returns how many were changed.

    Raises NotFound for a tag, WorkbenchError without a reason for setting aside or with one that is too long.
    """
    reason = " ".join(storable(reason).split())
    if verdict is Verdict.SET_ASIDE and not reason:
        raise WorkbenchError(
            "a reason is required to set a run aside", remedy="write one: the run's group will read it"
        )
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


def _versions(campaign_id: int, chosen: Iterable[ColumnElement[bool]]) -> Select[*tuple[Any, ...]]:
    # Columns take half the time of mapped rows, of which a campaign may have a thousand.
    sender, judge = aliased(AccountRow), aliased(AccountRow)
    names = sender.name.label("sender"), judge.name.label("judge"), GroupRow.name.label("group_name")
    return (
        select(*_COLUMNS, *names)
        .outerjoin(sender, sender.id == RunRow.added_by)
        .outerjoin(judge, judge.id == RunRow.verdict_by)
        .outerjoin(GroupRow, GroupRow.id == RunRow.group_id)
        .where(RunRow.campaign_id == campaign_id, *chosen)
    )


def _pools(db: Session, campaign_id: int) -> Mapping[str, list[tuple[int, str, str, bool]]]:
    """The pools (number, name, hash of the version, whether it is a draft) by the tags of their runs."""
    pools: dict[str, list[tuple[int, str, str, bool]]] = {}
    for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)):
        for run in pool.recipe["runs"]:
            pools.setdefault(run["tag"], []).append(
                (pool.id, pool.name, run["sha256"], pool.opened_at is None)
            )
    return pools


def _campaign_run(row: Row[*tuple[Any, ...]], pools: Collection[tuple[int, str, str, bool]]) -> CampaignRun:
    # Of a replaced version only its own pools are told; its run has them all.
    used = [RunPool(*pool, earlier=pool[2] != row.sha256) for pool in pools]
    if row.replaced_at is not None:
        used = [pool for pool in used if not pool.earlier]
    return record_of(
        CampaignRun,
        row,
        warnings=tuple(finding_from_json(finding) for finding in row.warnings),
        added_by=row.sender or "",
        group=row.group_name or "",
        metadata=RunMetadata(
            row.group_id,
            RunKind(row.kind) if row.kind else None,
            row.description,
            row.priority,
            RunCost(row.seconds_per_query, row.index_bytes),
        ),
        verdict=Verdict(row.verdict),
        verdict_by=row.judge or "",
        pools=tuple(sorted(used, key=lambda pool: pool.earlier)),
        in_use=bool(pools),
    )


def metadata_rows(runs: Iterable[CampaignRun]) -> list[tuple[object, ...]]:
    """One row a run under `HEADER`."""
    return [
        (
            run.tag, run.group, run.metadata.kind, run.metadata.description, run.metadata.priority,
            run.metadata.cost.seconds_per_query, run.metadata.cost.index_bytes,
            run.verdict, run.verdict_reason, run.file_name, run.topics, run.lines, len(run.warnings),
            run.sha256, run.added_by, run.added_at.isoformat(timespec="seconds"), run.verdict_by,
            run.verdict_at.isoformat(timespec="seconds") if run.verdict_at else None,
            "; ".join(pool.name for pool in run.pools),
        )
        for run in runs
    ]  # fmt: skip


def run_json(run: CampaignRun) -> RunJson:
    """A run with what is said of it and what was found in it."""
    about = run.metadata
    return filled(
        RunJson,
        run,
        group=run.group or None,
        kind=about.kind,
        description=about.description,
        priority=about.priority,
        seconds_per_query=about.cost.seconds_per_query,
        index_bytes=about.cost.index_bytes,
        reason=run.verdict_reason,
        verdict_by=run.verdict_by or None,
        verdict_at=moment(run.verdict_at),
        file=run.file_name,
        sent_by=run.added_by or None,
        sent_at=moment(run.added_at),
        warnings=[filled(RunFinding, warning) for warning in run.warnings],
    )


def run_record_json(record: RunRecord) -> RunRecordJson:
    """Everything about a run, with its pools and earlier versions."""
    return {
        **run_json(record.run),
        "bytes": record.size,
        "pools": [
            {"name": p.name, "sha256": p.sha256, "earlier_version": p.earlier} for p in by_number(record.run)
        ],
        "earlier_versions": [
            {
                "sha256": one.sha256,
                "file": one.file_name,
                "group": one.group or None,
                "topics": one.topics,
                "lines": one.lines,
                "sent_by": one.added_by or None,
                "sent_at": moment(one.added_at),
                "replaced_at": moment(one.replaced_at),
                "pools": [pool.name for pool in one.pools],
            }
            for one in record.versions
        ],
    }


def by_number(run: CampaignRun) -> list[RunPool]:
    """The pools of a run in the order of their making."""
    return sorted(run.pools, key=lambda pool: pool.id)


def moment(when: datetime | None) -> str | None:
    """A moment for programs: ISO 8601, in UTC."""
    return None if when is None else when.isoformat(timespec="seconds")
