"""Pools: made from runs by a recipe that is kept, opened for judging, closed for ever."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from workbench import __version__
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.pooling.depth import depth_pool
from workbench.records import Contribution, PoolEntry, TieRule
from workbench.storage.tables import PoolEntryRow, PoolRow, RunRow, TopicRow
from workbench.workflow.checks import storable
from workbench.workflow.submitting import stored_run

LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class PoolLine:
    """A pool in the list; `largest_possible` is its size had no two runs a document in common."""

    id: int
    name: str
    depth: int
    ties: TieRule
    tags: tuple[str, ...]
    pairs: int
    largest_possible: int
    created_at: datetime
    closed: bool

    @property
    def share(self) -> float:
        """The size as a share of the largest possible, 0 to 1."""
        return self.pairs / self.largest_possible if self.largest_possible else 0.0


@dataclass(frozen=True, slots=True)
class TopicSize:
    """A topic's part of a pool."""

    topic: str
    title: str
    pairs: int
    largest_possible: int


@dataclass(frozen=True, slots=True)
class RunPart:
    """What a run brought to a pool; `alone` are pairs that no other run brought."""

    tag: str
    pairs: int
    alone: int


@dataclass(frozen=True, slots=True)
class PoolReport:
    """A pool with its recipe, its topics and what each run brought."""

    pool: PoolLine
    recipe: dict[str, Any]
    by_topic: tuple[TopicSize, ...]
    by_run: tuple[RunPart, ...]


def make_pool(
    db: Session,
    campaign_id: int,
    *,
    depth: int,
    ties: TieRule = TieRule.TREC_EVAL,
    tags: Collection[str] | None = None,
    name: str = "",
    created_by: int | None = None,
) -> PoolReport:
    """Pool the first `depth` documents of the chosen runs (all if None) and open the pool for judging.

    Raises WorkbenchError without runs, NotFound for an unknown tag, Conflict for a name that is taken.
    """
    chosen = _chosen_runs(db, campaign_id, tags)
    name = storable(" ".join(name.split())) or _free_name(db, campaign_id, f"depth {depth}")
    if len(name) > LONGEST_NAME:
        raise WorkbenchError(f"the name has {len(name)} characters", remedy=f"at most {LONGEST_NAME}")
    if _taken(db, campaign_id, name):
        raise Conflict(f"there is a pool {name!r} already", remedy="give this one another name")
    pool = depth_pool((stored_run(db, campaign_id, tag) for tag, _ in chosen), depth=depth, ties=ties)
    row = PoolRow(
        campaign_id=campaign_id,
        name=name,
        recipe={
            "strategy": "depth",
            "depth": depth,
            "ties": str(ties),
            "runs": [{"tag": tag, "sha256": sha256} for tag, sha256 in chosen],
            "largest_possible": dict(pool.largest_possible),
            "version": __version__,
        },
        pairs=len(pool.entries),
        largest_possible=sum(pool.largest_possible.values()),
        created_by=created_by,
        created_at=datetime.now(UTC),
    )
    db.add(row)
    db.flush()
    if pool.entries:
        db.execute(insert(PoolEntryRow), [_entry_values(row.id, entry) for entry in pool.entries])
    return pool_report(db, campaign_id, name)


def pools_of(db: Session, campaign_id: int) -> tuple[PoolLine, ...]:
    """The pools of a campaign, oldest first."""
    rows = db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id))
    return tuple(_line(row) for row in rows)


def pool_report(db: Session, campaign_id: int, name: str) -> PoolReport:
    """One pool in full; raises NotFound."""
    row = _pool_row(db, campaign_id, name)
    sizes = dict(
        db.execute(
            select(PoolEntryRow.topic, func.count())
            .where(PoolEntryRow.pool_id == row.id)
            .group_by(PoolEntryRow.topic)
        ).all()
    )
    topics = db.execute(
        select(TopicRow.topic, TopicRow.title)
        .where(TopicRow.campaign_id == campaign_id)
        .order_by(TopicRow.position)
    )
    largest: dict[str, int] = row.recipe["largest_possible"]
    return PoolReport(
        pool=_line(row),
        recipe=row.recipe,
        by_topic=tuple(TopicSize(t, title, sizes.get(t, 0), largest.get(t, 0)) for t, title in topics),
        by_run=_run_parts(db, row),
    )


def pool_entries(
    db: Session, campaign_id: int, name: str, *, topic: str | None = None
) -> tuple[PoolEntry, ...]:
    """The pairs of a pool (or of one topic of it), sorted by topic and docno as bytes."""
    row = _pool_row(db, campaign_id, name)
    chosen = select(PoolEntryRow.topic, PoolEntryRow.docno, PoolEntryRow.brought_by).where(
        PoolEntryRow.pool_id == row.id
    )
    if topic is not None:
        chosen = chosen.where(PoolEntryRow.topic == topic)
    rows = db.execute(chosen.order_by(PoolEntryRow.topic, PoolEntryRow.docno))
    return tuple(
        PoolEntry(t, docno, tuple(Contribution(tag, rank) for tag, rank in brought))
        for t, docno, brought in rows
    )


def close_pool(db: Session, campaign_id: int, name: str) -> None:
    """Close a pool: no judgment and no assignment is taken for it any more."""
    row = _pool_row(db, campaign_id, name)
    row.closed_at = row.closed_at or datetime.now(UTC)
    db.flush()


def _chosen_runs(db: Session, campaign_id: int, tags: Collection[str] | None) -> list[tuple[str, str]]:
    known = dict(
        db.execute(
            select(RunRow.tag, RunRow.sha256).where(RunRow.campaign_id == campaign_id).order_by(RunRow.tag)
        ).all()
    )
    unknown = set(tags or ()) - known.keys()
    if unknown:
        raise NotFound(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [(tag, sha256) for tag, sha256 in known.items() if tags is None or tag in tags]
    if not chosen:
        raise WorkbenchError("a pool needs at least one run", remedy="load runs, or choose some")
    return chosen


def _entry_values(pool_id: int, entry: PoolEntry) -> dict[str, Any]:
    return {
        "pool_id": pool_id,
        "topic": entry.topic,
        "docno": entry.docno,
        "brought_by": [[each.tag, each.rank] for each in entry.contributions],
        "best_rank": entry.contributions[0].rank,
        "run_count": len(entry.contributions),
    }


def _run_parts(db: Session, row: PoolRow) -> tuple[RunPart, ...]:
    pairs = {run["tag"]: 0 for run in row.recipe["runs"]}
    alone = dict(pairs)
    for brought in db.scalars(select(PoolEntryRow.brought_by).where(PoolEntryRow.pool_id == row.id)):
        for tag, _ in brought:
            pairs[tag] += 1
        if len(brought) == 1:
            alone[brought[0][0]] += 1
    return tuple(RunPart(tag, pairs[tag], alone[tag]) for tag in pairs)


def _line(row: PoolRow) -> PoolLine:
    return PoolLine(
        id=row.id,
        name=row.name,
        depth=row.recipe["depth"],
        ties=TieRule(row.recipe["ties"]),
        tags=tuple(run["tag"] for run in row.recipe["runs"]),
        pairs=row.pairs,
        largest_possible=row.largest_possible,
        created_at=row.created_at,
        closed=row.closed_at is not None,
    )


def _pool_row(db: Session, campaign_id: int, name: str) -> PoolRow:
    row = db.scalar(select(PoolRow).where(PoolRow.campaign_id == campaign_id, PoolRow.name == name))
    if row is None:
        raise NotFound(f"there is no pool {name!r} in this campaign")
    return row


def _taken(db: Session, campaign_id: int, name: str) -> bool:
    return (
        db.scalar(select(func.count()).where(PoolRow.campaign_id == campaign_id, PoolRow.name == name)) != 0
    )


def _free_name(db: Session, campaign_id: int, stem: str) -> str:
    name, number = stem, 2
    while _taken(db, campaign_id, name):
        name, number = f"{stem} ({number})", number + 1
    return name
