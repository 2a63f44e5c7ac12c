"""Adaptive pools: how a recipe marks one, its state at the start, and its numbered events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.pooling.adaptive_pool import Adaptive
from workbench.pooling.strategies import ADAPTIVE, start
from workbench.pooling.strategy import named
from workbench.records import Run, TieRule
from workbench.storage.tables import (
    PoolEntryRow,
    PoolRow,
)
from workbench.workflow.pools.pool_log import ChoiceReason, TopicEvent, events_of
from workbench.workflow.pools.pool_rows import pool_row
from workbench.workflow.runs.packed_store import run_for_use


def is_adaptive(pool: PoolRow) -> bool:
    """Whether the documents of a pool are chosen while people judge."""
    return bool(pool.recipe.get("adaptive", False))


def totals(pool: PoolRow) -> dict[str, int]:
    """How many documents an adaptive pool asks for at most, by topic."""
    found: dict[str, int] = pool.recipe.get("totals", {})
    return found


def topics_of_pool(db: Session, pool: PoolRow) -> set[str]:
    """The topics in which a pool has something to judge, or will have."""
    if is_adaptive(pool):
        return {topic for topic, total in totals(pool).items() if total}
    return set(db.scalars(select(PoolEntryRow.topic).where(PoolEntryRow.pool_id == pool.id).distinct()))


def adaptive_recipe(pool: Adaptive) -> dict[str, Any]:
    """What the recipe of an adaptive pool adds: that it is one, and its number of documents by topic."""
    return {"adaptive": True, "totals": {topic: pool.left(topic) for topic in pool.topics}}


def most_pairs(pool: Adaptive) -> int:
    """How many documents a pool still asks for at most, in all topics."""
    return sum(pool.left(topic) for topic in pool.topics)


def pool_events(db: Session, campaign_id: int, name: str) -> tuple[TopicEvent, ...]:
    """All that happened in an adaptive pool, by topic (bytes), in order; raises as `adaptive_pool_row`."""
    return events_of(db, adaptive_pool_row(db, campaign_id, name).id)


def reasons_of(db: Session, pool_id: int, topic: str) -> dict[str, ChoiceReason]:
    """Why a learner's pool handed out each document of a topic, the last time; empty for other pools."""
    return {one.docno: one.reason for one in events_of(db, pool_id, topic) if one.reason is not None}


def adaptive_pool_row(db: Session, campaign_id: int, name: str) -> PoolRow:
    """The row of an adaptive pool; raises NotFound, and WorkbenchError where the pool is of another kind."""
    pool = pool_row(db, campaign_id, name)
    if not is_adaptive(pool):
        raise WorkbenchError(
            f"pool {name!r} is not adaptive",
            remedy="name an adaptive pool: the documents of this one were chosen when it was made",
        )
    return pool


def initial_adaptive_pool(db: Session, pool: PoolRow) -> Adaptive:
    """An adaptive pool as its recipe makes it from its runs; raises Conflict where a run has changed."""
    recipe = pool.recipe
    values = named(ADAPTIVE, recipe["strategy"]).values(recipe["parameters"])
    ties = TieRule(recipe["ties"])
    runs = _runs(db, pool, values["depth"], ties)
    return start(runs, strategy=recipe["strategy"], ties=ties, parameters=values)


def _runs(db: Session, pool: PoolRow, depth: int, ties: TieRule) -> Iterator[Run]:
    for run in pool.recipe["runs"]:
        try:
            yield run_for_use(db, pool.campaign_id, run["tag"], depth=depth, ties=ties, sha256=run["sha256"])
        except NotFound:
            raise Conflict(
                f"run {run['tag']} has changed since pool {pool.name!r} was made",
                remedy="add that version again: an adaptive pool chooses from the runs it was made from",
            ) from None
