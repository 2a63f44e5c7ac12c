"""Adaptive pools of a campaign: made empty, told at once, replayed from what is kept of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound, WorkbenchError
from workbench.pooling.adaptive.events import Event, Happening
from workbench.pooling.adaptive.live import Adaptive
from workbench.records import sorted_ids
from workbench.storage.events import current_events
from workbench.storage.tables import AssessorRow, CampaignRow, PoolEventRow, PoolRow, TopicRow
from workbench.workflow.adaptive.adaptive_states import before_anything
from workbench.workflow.adaptive.ledgers import Ledger, is_adaptive, ledgers
from workbench.workflow.adaptive.pool_events import append_pool_events
from workbench.workflow.campaigns.scales import scale_from_json

CUTOFFS = (5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True)
class LiveTopicLine:
    """A topic of an adaptive pool; `found` has the relevant documents among the first so many judged.

    One number for each of the report's cut-offs; None where not so many are judged yet.
    """

    topic: str
    title: str
    total: int
    handed_out: int
    answered: int
    relevant: int
    found: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class OutNow:
    """A document that an assessor has and has not answered."""

    topic: str
    docno: str
    assessor: str
    since: datetime


@dataclass(frozen=True, slots=True)
class LiveReport:
    """How far an adaptive pool has come."""

    cutoffs: tuple[int, ...]
    by_topic: tuple[LiveTopicLine, ...]
    out: tuple[OutNow, ...]

    @property
    def total(self) -> int:
        """How many documents are asked for at most."""
        return sum(line.total for line in self.by_topic)

    @property
    def handed_out(self) -> int:
        """How many documents are, or were, before an assessor."""
        return sum(line.handed_out for line in self.by_topic)

    @property
    def answered(self) -> int:
        """How many documents have an answer of any kind."""
        return sum(line.answered for line in self.by_topic)

    @property
    def relevant(self) -> int:
        """How many documents were judged relevant."""
        return sum(line.relevant for line in self.by_topic)


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
    relevant = _relevant(db, pool.campaign_id)
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


def live_report(db: Session, campaign_id: int, name: str) -> LiveReport:
    """How far an adaptive pool has come; raises NotFound, and WorkbenchError where it is not adaptive."""
    pool = adaptive_pool_row(db, campaign_id, name)
    titles = _titles(db, campaign_id)
    names = _assessors(db, campaign_id)
    by_topic = {topic: ledger for (_, topic), ledger in ledgers(db, [pool]).items()}
    most = max((_answered(ledger) for ledger in by_topic.values()), default=0)
    cutoffs = tuple(cut for cut in CUTOFFS if cut <= most)
    order = _first_answers(db, pool.id)
    return LiveReport(
        cutoffs,
        tuple(
            _topic_line(topic, title, by_topic[topic], order.get(topic, []), cutoffs)
            for topic, title in titles.items()
            if topic in by_topic
        ),
        tuple(
            OutNow(topic, held.docno, names[held.assessor_id], held.since)
            for topic in titles
            if topic in by_topic
            for held in by_topic[topic].held
            if not held.answered
        ),
    )


def pool_events(db: Session, campaign_id: int, name: str) -> tuple[PoolEventLine, ...]:
    """All that happened in an adaptive pool, by topic (bytes), then in order; raises as `live_report`."""
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


def _topic_line(
    topic: str, title: str, ledger: Ledger, order: list[str], cutoffs: tuple[int, ...]
) -> LiveTopicLine:
    relevant = {held.docno: held.relevant is True for held in ledger.held if held.answered}
    in_order = [relevant[docno] for docno in order if docno in relevant]
    return LiveTopicLine(
        topic=topic,
        title=title,
        total=ledger.total,
        handed_out=len(ledger.held),
        answered=len(in_order),
        relevant=sum(in_order),
        found=tuple(sum(in_order[:cut]) if len(in_order) >= cut else None for cut in cutoffs),
    )


def _answered(ledger: Ledger) -> int:
    return sum(held.answered for held in ledger.held)


def _first_answers(db: Session, pool_id: int) -> dict[str, list[str]]:
    """The docnos by topic in the order in which they were answered first."""
    event = PoolEventRow
    rows = db.execute(
        select(event.topic, event.docno)
        .where(event.pool_id == pool_id, event.happening == str(Happening.JUDGED))
        .order_by(event.topic, event.number)
    )
    order: dict[str, dict[str, None]] = {}
    for topic, docno in rows:
        order.setdefault(topic, {}).setdefault(docno)
    return {topic: list(docnos) for topic, docnos in order.items()}


def _relevant(db: Session, campaign_id: int) -> dict[tuple[str, str], bool]:
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


def _titles(db: Session, campaign_id: int) -> dict[str, str]:
    return dict(
        db.execute(
            select(TopicRow.topic, TopicRow.title)
            .where(TopicRow.campaign_id == campaign_id)
            .order_by(TopicRow.position)
        ).all()
    )


def _assessors(db: Session, campaign_id: int) -> dict[int, str]:
    return dict(
        db.execute(
            select(AssessorRow.id, AssessorRow.name).where(AssessorRow.campaign_id == campaign_id)
        ).all()
    )
