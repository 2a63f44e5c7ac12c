"""Who has which document of an adaptive pool: its events of one topic, summed up.

An adaptive pool asks for one judgment a document. What was handed out is its assessor's, until it is given
back; the pool's entries are what is handed out now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from workbench.pooling.adaptive.events import Happening
from workbench.storage.events import LATER, WITHDRAWN
from workbench.storage.tables import JudgmentEventRow, PoolEventRow, PoolRow
from workbench.workflow.pools.adaptive_pools import is_adaptive, totals

# A document that is out for so long without an answer goes to a colleague who would have none otherwise.
LEASE = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Held:
    """A document that was handed out: to whom, when, as which event, and whether an answer holds.

    `relevant` is None without a grade.
    """

    docno: str
    assessor_id: int
    since: datetime
    number: int
    answered: bool
    relevant: bool | None

    def abandoned(self, now: datetime) -> bool:
        """Whether it is out for longer than the lease."""
        return not self.answered and self.since < now - LEASE


@dataclass(frozen=True, slots=True)
class Ledger:
    """A topic of an adaptive pool: how many documents it asks for, and what is handed out, in order."""

    total: int
    held: tuple[Held, ...]

    def of(self, assessor_id: int) -> tuple[Held, ...]:
        """What an assessor has, in the order in which it was handed out."""
        return tuple(one for one in self.held if one.assessor_id == assessor_id)

    def abandoned(self, assessor_id: int, now: datetime) -> tuple[Held, ...]:
        """What colleagues of an assessor have had for too long."""
        return tuple(one for one in self.held if one.assessor_id != assessor_id and one.abandoned(now))

    def left(self, assessor_id: int, now: datetime | None = None) -> int:
        """How many documents an assessor can still be handed out."""
        return self.total - len(self.held) + len(self.abandoned(assessor_id, now or datetime.now(UTC)))


def ledger(db: Session, pool: PoolRow, topic: str) -> Ledger:
    """The ledger of one topic."""
    return ledgers(db, [pool], topic=topic)[pool.id, topic]


def ledgers(
    db: Session, pools: Iterable[PoolRow], *, topic: str | None = None
) -> dict[tuple[int, str], Ledger]:
    """The ledgers of all topics (or of one) of the adaptive ones among these pools, by pool and topic."""
    adaptive = [pool for pool in pools if is_adaptive(pool)]
    held: dict[tuple[int, str], dict[str, Held]] = {}
    for event in _events(db, [pool.id for pool in adaptive], topic):
        _take(held.setdefault((event.pool_id, event.topic), {}), event)
    found = {}
    for pool in adaptive:
        wanted = totals(pool) if topic is None else {topic: totals(pool).get(topic, 0)}
        for one, total in wanted.items():
            # A document that is handed out again joins at the end of the dictionary: it was taken out before.
            found[pool.id, one] = Ledger(total, tuple(held.get((pool.id, one), {}).values()))
    return found


def ledgers_of(db: Session, campaign_id: int) -> dict[tuple[int, str], Ledger]:
    """The ledgers of all adaptive pools of a campaign, by pool and topic."""
    return ledgers(db, db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id)).all())


def _take(held: dict[str, Held], event: Row[Any]) -> None:
    if event.happening == Happening.HANDED_OUT:
        held[event.docno] = Held(
            event.docno, event.assessor_id, event.at, event.number, answered=False, relevant=None
        )
    elif event.happening == Happening.GIVEN_BACK:
        held.pop(event.docno, None)
    elif event.docno in held:
        held[event.docno] = replace(
            held[event.docno], answered=event.answer not in {WITHDRAWN, LATER}, relevant=event.relevant
        )


def _events(db: Session, pool_ids: Collection[int], topic: str | None) -> Iterable[Row[Any]]:
    if not pool_ids:
        return []
    event = PoolEventRow
    chosen = (
        select(
            event.pool_id,
            event.topic,
            event.number,
            event.happening,
            event.docno,
            event.relevant,
            event.assessor_id,
            event.at,
            JudgmentEventRow.answer,
        )
        .outerjoin(JudgmentEventRow, JudgmentEventRow.id == event.judgment_event_id)
        .where(event.pool_id.in_(pool_ids))
        .order_by(event.pool_id, event.topic, event.number)
    )
    return db.execute(chosen if topic is None else chosen.where(event.topic == topic))
