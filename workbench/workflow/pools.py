"""Pools as they are: the list, one in full, its pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.records import Contribution, TieRule
from workbench.storage.tables import PoolEntryRow, PoolRow, TopicRow
from workbench.workflow.pool_rows import pool_row


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
    row = pool_row(db, campaign_id, name)
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
    row = pool_row(db, campaign_id, name)
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
