"""Adaptive pools: how a recipe marks one, its state at the start, and its numbered events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.pooling.adaptive.live import Adaptive, Happening, PoolEvent
from workbench.pooling.strategies import ADAPTIVE, start
from workbench.pooling.strategy import named
from workbench.records import Run, TieRule
from workbench.storage.tables import (
    AssessorRow,
    PoolEntryRow,
    PoolEventRow,
    PoolRow,
    TopicRow,
)
from workbench.workflow.clock import shared_now
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


@dataclass(frozen=True, slots=True)
class ChoiceReason:
    """Why a learner's pool handed a document out: `rank` from 1 in a round, or in a random order."""

    origin: str
    rank: int
    round: int | None = None
    score: float | None = None

    @property
    def in_words(self) -> str:
        """The reason for people."""
        if self.round is None:
            return f"{_ORIGINS.get(self.origin, self.origin)} {self.rank}"
        score = "" if self.score is None else f", score {self.score:.3f}".replace("-", "−")
        return f"learner, round {self.round}, rank {self.rank}{score}"


_ORIGINS = {"random": "random share, draw", "unranked": "no ranking left, draw"}


@dataclass(frozen=True, slots=True)
class PoolEventLine:
    """What happened in a topic, as the strategy saw it; `assessor` is None for what was known before.

    `reason` is why a learner's pool handed the document out.
    """

    topic: str
    number: int
    happening: str
    docno: str
    relevant: bool | None
    assessor: str | None
    at: datetime
    reason: ChoiceReason | None = None

    @property
    def event(self) -> PoolEvent:
        """The event as the strategy sees it."""
        return PoolEvent(Happening(self.happening), self.topic, self.docno, self.relevant)


def adaptive_recipe(pool: Adaptive) -> dict[str, Any]:
    """What the recipe of an adaptive pool adds: that it is one, and its number of documents by topic."""
    return {"adaptive": True, "totals": {topic: pool.left(topic) for topic in pool.topics}}


def most_pairs(pool: Adaptive) -> int:
    """How many documents a pool still asks for at most, in all topics."""
    return sum(pool.left(topic) for topic in pool.topics)


def pool_events(db: Session, campaign_id: int, name: str) -> tuple[PoolEventLine, ...]:
    """All that happened in an adaptive pool, by topic (bytes), in order; raises as `adaptive_pool_row`."""
    pool = adaptive_pool_row(db, campaign_id, name)
    event = PoolEventRow
    rows = db.execute(
        select(
            event.topic,
            event.number,
            event.happening,
            event.docno,
            event.relevant,
            AssessorRow.name,
            event.at,
            event.origin,
            event.rank,
            event.round,
            event.score,
        )
        .outerjoin(AssessorRow, AssessorRow.id == event.assessor_id)
        .where(event.pool_id == pool.id)
        .order_by(event.topic, event.number)
    )
    return tuple(PoolEventLine(*row[:7], reason=_reason(*row[7:])) for row in rows)


def reasons_of(db: Session, pool_id: int, topic: str) -> dict[str, ChoiceReason]:
    """Why a learner's pool handed out each document of a topic, the last time; empty for other pools."""
    event = PoolEventRow
    rows = db.execute(
        select(event.docno, event.origin, event.rank, event.round, event.score)
        .where(event.pool_id == pool_id, event.topic == topic, event.origin.is_not(None))
        .order_by(event.number)
    )
    reasons = ((row[0], _reason(*row[1:])) for row in rows)
    return {docno: reason for docno, reason in reasons if reason is not None}


def _reason(
    origin: str | None, rank: int | None, made_in: int | None, score: float | None
) -> ChoiceReason | None:
    return None if origin is None else ChoiceReason(origin, rank or 0, made_in, score)


@dataclass(frozen=True, slots=True)
class TopicEvent:
    """An event of a pool's topic as the table has it; no other has all of this in common with it."""

    number: int
    happening: str
    docno: str
    relevant: bool | None
    assessor_id: int | None
    at: datetime
    origin: str | None


def topic_events(db: Session, pool_id: int, topic: str, *, since: int = 0) -> tuple[TopicEvent, ...]:
    """The events of a topic from this number on, in order."""
    event = PoolEventRow
    rows = db.execute(
        select(
            event.number,
            event.happening,
            event.docno,
            event.relevant,
            event.assessor_id,
            event.at,
            event.origin,
        )
        .where(event.pool_id == pool_id, event.topic == topic, event.number >= since)
        .order_by(event.number)
    )
    return tuple(TopicEvent(*row) for row in rows)


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


def lock_topic(db: Session, campaign_id: int, topic: str) -> None:
    """Wait until no other transaction hands out or takes answers in this topic, and keep others out.

    SQLite has one writer anyway.
    """
    db.execute(
        select(TopicRow.topic)
        .where(TopicRow.campaign_id == campaign_id, TopicRow.topic == topic)
        .with_for_update()
    )


def append_pool_events(
    db: Session,
    pool_id: int,
    events: Sequence[PoolEvent],
    *,
    assessor_id: int | None = None,
    judgment_event_id: int | None = None,
    reason: ChoiceReason | None = None,
) -> None:
    """Append what happened, in order, with the reason of a choice; the topics are locked (`lock_topic`)."""
    if not events:
        return
    numbers = _last_numbers(db, pool_id, {event.topic for event in events})
    now = shared_now(db)
    why = {} if reason is None else asdict(reason)
    rows: list[dict[str, Any]] = []
    for event in events:
        numbers[event.topic] = numbers.get(event.topic, 0) + 1
        rows.append(
            {
                "pool_id": pool_id,
                "topic": event.topic,
                "number": numbers[event.topic],
                "happening": str(event.happening),
                "docno": event.docno,
                "relevant": event.relevant if event.happening is Happening.JUDGED else None,
                "assessor_id": assessor_id,
                "judgment_event_id": judgment_event_id,
                "at": now,
                **why,
            }
        )
    db.execute(insert(PoolEventRow), rows)


def _last_numbers(db: Session, pool_id: int, topics: Iterable[str]) -> dict[str, int]:
    event = PoolEventRow
    return dict(
        db.execute(
            select(event.topic, func.max(event.number))
            .where(event.pool_id == pool_id, event.topic.in_(list(topics)))
            .group_by(event.topic)
        ).all()
    )
