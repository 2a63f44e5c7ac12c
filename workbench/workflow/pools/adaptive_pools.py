"""Adaptive pools: how a recipe marks one, how it begins, and everything that happened in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.pooling.adaptive.events import Event, Happening
from workbench.pooling.adaptive.live import Adaptive
from workbench.pooling.adaptive.strategies import ADAPTIVE, start
from workbench.pooling.parameters import named
from workbench.records import Run, TieRule, sorted_ids
from workbench.storage.events import current_events
from workbench.storage.tables import AssessorRow, CampaignRow, PoolEntryRow, PoolEventRow, PoolRow
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.pools.pool_events import append_pool_events
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
class PoolEventLine:
    """What happened in a topic, as the strategy saw it; `assessor` is None for what was known before."""

    topic: str
    number: int
    happening: str
    docno: str
    relevant: bool | None
    assessor: str | None
    at: datetime

    @property
    def event(self) -> Event:
        """What the event says to the strategy."""
        return Event(Happening(self.happening), self.topic, self.docno, self.relevant)


def adaptive_recipe(pool: Adaptive) -> dict[str, Any]:
    """What an adaptive pool's recipe says besides: that it is one, and how many documents it asks for."""
    return {"adaptive": True, "totals": {topic: pool.left(topic) for topic in pool.topics}}


def pairs_asked_for(pool: Adaptive) -> int:
    """How many documents a pool still asks for at most, in all topics."""
    return sum(pool.left(topic) for topic in pool.topics)


def leave_out(db: Session, pool: PoolRow, known: Collection[tuple[str, str]]) -> None:
    """Begin a supplementary pool: what is known of its documents is told first, and is not handed out.

    A pair that people graded teaches the strategy by its highest grade, one that is only pooled nothing.
    """
    built = before_anything(db, pool)
    relevant = _relevant_pairs(db, pool.campaign_id)
    told = []
    for topic, docno in sorted_pairs(known):
        if built.has(topic, docno):
            event = Event(Happening.JUDGED, topic, docno, relevant.get((topic, docno)))
            built.record(event)
            told.append(event)
    append_pool_events(db, pool.id, told)
    pool.recipe = {**pool.recipe, **adaptive_recipe(built)}
    pool.pairs = pairs_asked_for(built)
    db.flush()


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
        )
        .outerjoin(AssessorRow, AssessorRow.id == event.assessor_id)
        .where(event.pool_id == pool.id)
        .order_by(event.topic, event.number)
    )
    return tuple(PoolEventLine(*row) for row in rows)


def adaptive_pool_row(db: Session, campaign_id: int, name: str) -> PoolRow:
    """The row of an adaptive pool; raises NotFound, and WorkbenchError where the pool is of another kind."""
    pool = db.scalar(select(PoolRow).where(PoolRow.campaign_id == campaign_id, PoolRow.name == name))
    if pool is None:
        raise NotFound(f"there is no pool {name!r} in this campaign")
    if not is_adaptive(pool):
        raise WorkbenchError(
            f"pool {name!r} is not adaptive", remedy="its documents were chosen when it was made"
        )
    return pool


def sorted_pairs(pairs: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of topic and docno, sorted as bytes."""
    by_topic: dict[str, list[str]] = {}
    for topic, docno in pairs:
        by_topic.setdefault(topic, []).append(docno)
    return [(topic, docno) for topic in sorted_ids(by_topic) for docno in sorted_ids(by_topic[topic])]


def _relevant_pairs(db: Session, campaign_id: int) -> dict[tuple[str, str], bool]:
    """What people graded: whether the highest grade of a pair is relevant."""
    relevant_from = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from
    machines = set(
        db.scalars(select(AssessorRow.id).where(AssessorRow.campaign_id == campaign_id, AssessorRow.machine))
    )
    found: dict[tuple[str, str], bool] = {}
    for event in current_events(db, campaign_id):
        if event.grade is not None and event.assessor_id not in machines:
            pair = (event.topic, event.docno)
            found[pair] = found.get(pair, False) or event.grade >= relevant_from
    return found


def before_anything(db: Session, pool: PoolRow) -> Adaptive:
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
                f"run {run['tag']} is not what it was when pool {pool.name!r} was made",
                remedy="an adaptive pool chooses from the very runs that it was made from",
            ) from None
