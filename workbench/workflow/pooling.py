"""Pools made from runs by a recipe that is kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from workbench import __version__
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.pooling.difference import minus
from workbench.pooling.parameters import named
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import STRATEGIES
from workbench.records import PoolEntry, TieRule
from workbench.storage.tables import PoolEntryRow, PoolRow, RunRow
from workbench.workflow.checks import storable
from workbench.workflow.pool_rows import name_taken
from workbench.workflow.pools import PoolReport, pool_report, recipe_in_words
from workbench.workflow.progress import graded_by_people
from workbench.workflow.submitting import stored_run

LONGEST_NAME = 120


def make_pool(
    db: Session,
    campaign_id: int,
    *,
    strategy: str = "depth",
    parameters: Mapping[str, object] = MappingProxyType({}),
    ties: TieRule = TieRule.TREC_EVAL,
    tags: Collection[str] | None = None,
    name: str = "",
    supplementary: bool = False,
    created_by: int | None = None,
) -> PoolReport:
    """Pool the chosen runs (all if None) by a strategy of `workbench.pooling` and open the pool for judging.

    With `supplementary` what another pool has, or a person has judged, is left out. Raises WorkbenchError
    without runs and for an unknown strategy, InvalidInput for its parameters, NotFound for an unknown tag,
    Conflict for a name that is taken.
    """
    made_by = named(STRATEGIES, strategy)
    values = made_by.values(parameters)
    texts = made_by.texts(values)
    chosen = _chosen_runs(db, campaign_id, tags)
    name = storable(" ".join(name.split())) or _free_name(db, campaign_id, recipe_in_words(strategy, texts))
    if len(name) > LONGEST_NAME:
        raise WorkbenchError(f"the name has {len(name)} characters", remedy=f"at most {LONGEST_NAME}")
    if name_taken(db, campaign_id, name):
        raise Conflict(f"there is a pool {name!r} already", remedy="give this one another name")
    runs = (stored_run(db, campaign_id, tag) for tag, _ in chosen)
    pool = made_by.build(runs, ties=ties, **values)
    if supplementary:
        pool = minus(pool, _pooled_or_judged(db, campaign_id))
    now = datetime.now(UTC)
    row = PoolRow(
        campaign_id=campaign_id,
        name=name,
        recipe={
            "strategy": strategy,
            "parameters": texts,
            "ties": str(ties),
            "supplementary": supplementary,
            "runs": [{"tag": tag, "sha256": sha256} for tag, sha256 in chosen],
            "largest_possible": dict(pool.largest_possible),
            "version": __version__,
        },
        pairs=len(pool.entries),
        largest_possible=sum(pool.largest_possible.values()),
        created_by=created_by,
        created_at=now,
        opened_at=now,
    )
    db.add(row)
    db.flush()
    if pool.entries:
        db.execute(insert(PoolEntryRow), [_entry_values(row.id, entry, pool) for entry in pool.entries])
    return pool_report(db, campaign_id, name)


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


def _pooled_or_judged(db: Session, campaign_id: int) -> set[tuple[str, str]]:
    pooled = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno).join(PoolRow).where(PoolRow.campaign_id == campaign_id)
    )
    judged = graded_by_people(db, campaign_id)
    return {(topic, docno) for topic, docno in pooled} | judged


def _entry_values(pool_id: int, entry: PoolEntry, pool: Pool) -> dict[str, Any]:
    pair = (entry.topic, entry.docno)
    return {
        "pool_id": pool_id,
        "topic": entry.topic,
        "docno": entry.docno,
        "brought_by": [[each.tag, each.rank] for each in entry.contributions],
        "best_rank": entry.contributions[0].rank,
        "run_count": len(entry.contributions),
        "weight": pool.weights.get(pair),
        "inclusion": pool.inclusion.get(pair),
        "stratum": pool.strata.get(pair),
    }


def _free_name(db: Session, campaign_id: int, stem: str) -> str:
    name, number = stem, 2
    while name_taken(db, campaign_id, name):
        name, number = f"{stem} ({number})", number + 1
    return name
