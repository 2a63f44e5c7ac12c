"""Pools made from runs by a recipe that is kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench import __version__
from workbench.errors import Conflict
from workbench.pooling.adaptive.live import Adaptive
from workbench.pooling.difference import minus
from workbench.pooling.every_strategy import EVERY_STRATEGY
from workbench.pooling.parameters import named
from workbench.pooling.planning import depth_read
from workbench.pooling.pool import Pool
from workbench.records import PoolEntry, TieRule
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.checks import storable
from workbench.workflow.pools.adaptive_pools import adaptive_recipe, leave_out, pairs_asked_for
from workbench.workflow.pools.listing import PoolReport, pool_report, recipe_in_words
from workbench.workflow.pools.pool_rows import LONGEST_NAME, checked_name, name_taken
from workbench.workflow.pools.pool_sources import chosen_runs, pooled_or_judged
from workbench.workflow.runs.packed_store import pack_runs, run_for_use

_SHOWN = LONGEST_NAME - 10  # room for the number that makes a name free


def make_pool(
    db: Session,
    campaign_id: int,
    *,
    strategy: str = "depth",
    parameters: Mapping[str, object] = MappingProxyType({}),
    ties: TieRule = TieRule.TREC_EVAL,
    tags: Collection[str] | None = None,
    priority: int | None = None,
    name: str = "",
    supplementary: bool = False,
    draft: bool = False,
    created_by: int | None = None,
) -> PoolReport:
    """Pool the chosen runs by a strategy of `workbench.pooling` and open the pool for judging.

    Without `tags` all accepted runs are taken; with a `priority` only those of them that their groups gave
    this one or a smaller number. None can be replaced meanwhile. An adaptive pool begins empty and hands its
    documents out while people judge. A `draft` is not opened. With `supplementary` what a pool that was
    opened has, or a person has judged, is left out. Raises WorkbenchError without runs and for an unknown
    strategy, InvalidInput for its parameters, NotFound for an unknown tag, Conflict for a name that is taken.
    """
    made_by = named(EVERY_STRATEGY, strategy)
    texts = made_by.texts(made_by.values(parameters))
    chosen = chosen_runs(db, campaign_id, tags, priority=priority, held=True)
    name = checked_name(db, campaign_id, name) or _free_name(
        db, campaign_id, recipe_in_words(strategy, texts)
    )
    recipe = {"strategy": strategy, "parameters": texts, "ties": str(ties), "supplementary": supplementary}
    now = datetime.now(UTC)
    row = PoolRow(
        campaign_id=campaign_id,
        name=name,
        recipe=recipe,
        pairs=0,
        largest_possible=0,
        created_by=created_by,
        created_at=now,
        opened_at=None if draft else now,
    )
    entries = pool_by_recipe(db, row, chosen)
    db.add(row)
    try:
        db.flush()
    except IntegrityError:
        raise Conflict(f"a pool {name!r} was made at the same moment", remedy="load the page again") from None
    write_entries(db, row.id, entries)
    if not draft:
        begin_handing_out(db, row)
    return pool_report(db, campaign_id, name)


def pool_by_recipe(
    db: Session, row: PoolRow, chosen: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Build the pool of a row's recipe from runs, given as tags and hashes; writes both into the row.

    The entries come by pair, as values of their rows. Raises as the strategy does.
    """
    strategy = named(EVERY_STRATEGY, row.recipe["strategy"])
    values, ties = strategy.values(row.recipe["parameters"]), TieRule(row.recipe["ties"])
    pack_runs(db, row.campaign_id)
    depth = depth_read(strategy.name, values)
    runs = (run_for_use(db, row.campaign_id, tag, depth=depth, ties=ties) for tag, _ in chosen)
    built = strategy.build(runs, ties=ties, **values)
    pool = built.pool() if isinstance(built, Adaptive) else built
    if row.recipe["supplementary"]:
        pool = minus(pool, pooled_or_judged(db, row.campaign_id))
    row.recipe = {
        **row.recipe,
        "runs": [{"tag": tag, "sha256": sha256} for tag, sha256 in chosen],
        "largest_possible": dict(pool.largest_possible),
        "version": __version__,
        **(adaptive_recipe(built) if isinstance(built, Adaptive) else {}),
    }
    row.pairs = pairs_asked_for(built) if isinstance(built, Adaptive) else len(pool.entries)
    row.largest_possible = sum(pool.largest_possible.values())
    return {(entry.topic, entry.docno): _entry_values(entry, pool) for entry in pool.entries}


def begin_handing_out(db: Session, row: PoolRow) -> None:
    """Tell a supplementary adaptive pool, as it is opened, what is pooled or judged by then."""
    if row.recipe.get("adaptive") and row.recipe["supplementary"]:
        leave_out(db, row, pooled_or_judged(db, row.campaign_id))


def write_entries(db: Session, pool_id: int, entries: Mapping[tuple[str, str], dict[str, Any]]) -> None:
    """Write entries, as `pool_by_recipe` gives them, into a pool that has none of them."""
    if entries:
        db.execute(insert(PoolEntryRow), [{"pool_id": pool_id, **values} for values in entries.values()])


def brought_by_nobody(pair: tuple[str, str]) -> dict[str, Any]:
    """The values of an entry that no run brought; who added it is to be said with them."""
    return {
        "topic": pair[0],
        "docno": pair[1],
        "brought_by": [],
        "best_rank": None,
        "run_count": 0,
        "weight": None,
        "inclusion": None,
        "stratum": None,
    }


def _entry_values(entry: PoolEntry, pool: Pool) -> dict[str, Any]:
    pair = (entry.topic, entry.docno)
    return {
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
    stem = storable(stem)
    stem = stem if len(stem) <= _SHOWN else stem[: _SHOWN - 1] + "…"
    name, number = stem, 2
    while name_taken(db, campaign_id, name):
        name, number = f"{stem} ({number})", number + 1
    return name
