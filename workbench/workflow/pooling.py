"""Pools made from runs by a recipe that is kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench import __version__
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.pooling.adaptive.live import Adaptive
from workbench.pooling.adaptive.strategies import ADAPTIVE
from workbench.pooling.difference import minus
from workbench.pooling.parameters import Strategy, named
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import STRATEGIES
from workbench.records import PoolEntry, TieRule
from workbench.storage.tables import PoolEntryRow, PoolRow, RunRow
from workbench.workflow.about_runs import Verdict
from workbench.workflow.adaptive_pools import adaptive_recipe, leave_out, pairs_asked_for
from workbench.workflow.checks import storable
from workbench.workflow.pool_rows import LONGEST_NAME, checked_name, name_taken
from workbench.workflow.pools import PoolReport, pool_report, recipe_in_words
from workbench.workflow.progress import graded_by_people
from workbench.workflow.submitting import stored_run

EVERY_STRATEGY: Mapping[str, Strategy[Pool | Adaptive]] = {**STRATEGIES, **ADAPTIVE}
_SHOWN = LONGEST_NAME - 10  # room for the number that makes a name free


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
    draft: bool = False,
    created_by: int | None = None,
) -> PoolReport:
    """Pool the chosen runs by a strategy of `workbench.pooling` and open the pool for judging.

    Without `tags` all accepted runs are taken. An adaptive pool begins empty and hands its documents out
    while people judge. A `draft` is not opened. With `supplementary` what a pool that was opened has, or a
    person has judged, is left out. Raises WorkbenchError without runs and for an unknown strategy,
    InvalidInput for its parameters, NotFound for an unknown tag, Conflict for a name that is taken.
    """
    made_by = named(EVERY_STRATEGY, strategy)
    texts = made_by.texts(made_by.values(parameters))
    chosen = _chosen_runs(db, campaign_id, tags)
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
    runs = (stored_run(db, row.campaign_id, tag) for tag, _ in chosen)
    values = strategy.values(row.recipe["parameters"])
    built = strategy.build(runs, ties=TieRule(row.recipe["ties"]), **values)
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


def pooled_or_judged(db: Session, campaign_id: int) -> set[tuple[str, str]]:
    """The pairs of every pool that was opened, and those that a person graded: what need not be pooled."""
    pooled = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    )
    judged = graded_by_people(db, campaign_id)
    return {(topic, docno) for topic, docno in pooled} | judged


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


def _chosen_runs(db: Session, campaign_id: int, tags: Collection[str] | None) -> list[tuple[str, str]]:
    rows = db.execute(
        select(RunRow.tag, RunRow.sha256, RunRow.verdict)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    ).all()
    unknown = set(tags or ()) - {tag for tag, _, _ in rows}
    if unknown:
        raise NotFound(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [
        (tag, sha256)
        for tag, sha256, verdict in rows
        if (verdict == Verdict.ACCEPTED if tags is None else tag in tags)
    ]
    if not chosen:
        remedy = "accept some, or choose some by their tags" if rows else "load runs, or choose some"
        raise WorkbenchError("a pool needs at least one run", remedy=remedy)
    return chosen


def runs_that_hold(db: Session, campaign_id: int) -> dict[str, str]:
    """The hash of every run by its tag, in the order of tags; a run that was replaced does not hold."""
    return dict(
        db.execute(
            select(RunRow.tag, RunRow.sha256)
            .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
            .order_by(RunRow.tag)
        ).all()
    )


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
