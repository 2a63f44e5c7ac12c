"""Pools: made from runs by a recipe that is kept, opened for judging, closed for ever."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from workbench import __version__
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.pooling.difference import minus
from workbench.pooling.parameters import named
from workbench.pooling.planning import depth_read
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import STRATEGIES
from workbench.records import Contribution, PoolEntry, TieRule
from workbench.storage.tables import PoolEntryRow, PoolRow, TopicRow
from workbench.workflow.checks import storable
from workbench.workflow.packed_store import pack_runs, run_for_use
from workbench.workflow.pool_sources import chosen_runs, pooled_or_judged

LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class PoolLine:
    """A pool in the list; `largest_possible` is its size had no two runs a document in common.

    `parameters` are the strategy's, as texts. A supplementary pool left out what was pooled or judged before.
    """

    id: int
    name: str
    strategy: str
    parameters: tuple[tuple[str, str], ...]
    supplementary: bool
    ties: TieRule
    tags: tuple[str, ...]
    pairs: int
    largest_possible: int
    created_at: datetime
    closed: bool

    @property
    def recipe(self) -> str:
        """The strategy and its parameters in words: `depth 100`, `rrf, budget 50, k 60`."""
        return recipe_in_words(self.strategy, dict(self.parameters))

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
class PooledPair:
    """A pair of a pool: who brought it and how high, and what the strategy says of it, if anything."""

    topic: str
    docno: str
    contributions: tuple[Contribution, ...]
    weight: float | None
    inclusion: float | None
    stratum: int | None


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
    chosen = chosen_runs(db, campaign_id, tags)
    name = storable(" ".join(name.split())) or _free_name(db, campaign_id, recipe_in_words(strategy, texts))
    if len(name) > LONGEST_NAME:
        raise WorkbenchError(f"the name has {len(name)} characters", remedy=f"at most {LONGEST_NAME}")
    if _taken(db, campaign_id, name):
        raise Conflict(f"there is a pool {name!r} already", remedy="give this one another name")
    pack_runs(db, campaign_id)
    depth = depth_read(strategy, values)
    runs = (run_for_use(db, campaign_id, tag, depth=depth, ties=ties) for tag, _ in chosen)
    pool = made_by.build(runs, ties=ties, **values)
    if supplementary:
        pool = minus(pool, pooled_or_judged(db, campaign_id))
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


def recipe_in_words(strategy: str, parameters: Mapping[str, str]) -> str:
    """A strategy with those of its parameters that have a value."""
    words = [f"{name.replace('_', ' ')} {text}" for name, text in parameters.items() if text]
    return ", ".join(words if words and words[0].startswith(f"{strategy} ") else [strategy, *words])


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
) -> tuple[PooledPair, ...]:
    """The pairs of a pool (or of one topic of it), sorted by topic and docno as bytes."""
    row = _pool_row(db, campaign_id, name)
    entry = PoolEntryRow
    chosen = select(
        entry.topic, entry.docno, entry.brought_by, entry.weight, entry.inclusion, entry.stratum
    ).where(entry.pool_id == row.id)
    if topic is not None:
        chosen = chosen.where(entry.topic == topic)
    rows = db.execute(chosen.order_by(entry.topic, entry.docno))
    return tuple(
        PooledPair(
            t, docno, tuple(Contribution(tag, rank) for tag, rank in brought), weight, inclusion, stratum
        )
        for t, docno, brought, weight, inclusion, stratum in rows
    )


def close_pool(db: Session, campaign_id: int, name: str) -> None:
    """Close a pool: no judgment and no assignment is taken for it any more."""
    row = _pool_row(db, campaign_id, name)
    row.closed_at = row.closed_at or datetime.now(UTC)
    db.flush()


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
        strategy=row.recipe["strategy"],
        parameters=tuple(row.recipe["parameters"].items()),
        supplementary=row.recipe["supplementary"],
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
