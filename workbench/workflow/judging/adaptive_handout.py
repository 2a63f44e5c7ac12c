"""Adaptive pools: who has which document, and which one comes next."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Row, bindparam, delete, insert, select
from sqlalchemy.orm import Session

from workbench.pooling.adaptive.live import Happening, PoolEvent
from workbench.records import PoolEntry
from workbench.storage.events import LATER, WITHDRAWN, CurrentEvent, current_events
from workbench.storage.tables import (
    AssignmentRow,
    CampaignRow,
    JudgmentEventRow,
    PoolEntryRow,
    PoolEventRow,
    PoolRow,
)
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.judging.own_assignments import own_assignment
from workbench.workflow.pools.adaptive_pools import append_pool_event, is_adaptive, lock_topic, totals
from workbench.workflow.pools.pool_rows import PoolState, state_of

# A document that is out for so long without an answer goes to a colleague who would have none otherwise.
LEASE = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class HandedOut:
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
class AdaptiveTopic:
    """A topic of an adaptive pool: how many documents it asks for, and what is handed out, in order."""

    total: int
    held: tuple[HandedOut, ...]

    def of(self, assessor_id: int) -> tuple[HandedOut, ...]:
        """What an assessor has, in the order in which it was handed out."""
        return tuple(one for one in self.held if one.assessor_id == assessor_id)

    def abandoned(self, assessor_id: int, now: datetime) -> tuple[HandedOut, ...]:
        """What colleagues of an assessor have had for too long."""
        return tuple(one for one in self.held if one.assessor_id != assessor_id and one.abandoned(now))

    def left(self, assessor_id: int, now: datetime | None = None) -> int:
        """How many documents an assessor can still be handed out."""
        return self.total - len(self.held) + len(self.abandoned(assessor_id, now or datetime.now(UTC)))


def adaptive_topic(db: Session, pool: PoolRow, topic: str) -> AdaptiveTopic:
    """The ledger of one topic."""
    return adaptive_topics(db, [pool], topic=topic)[pool.id, topic]


def adaptive_topics(
    db: Session, pools: Iterable[PoolRow], *, topic: str | None = None
) -> dict[tuple[int, str], AdaptiveTopic]:
    """The ledgers of all topics (or of one) of the adaptive ones among these pools, by pool and topic."""
    adaptive = [pool for pool in pools if is_adaptive(pool)]
    held: dict[tuple[int, str], dict[str, HandedOut]] = {}
    for event in _events(db, [pool.id for pool in adaptive], topic):
        _take(held.setdefault((event.pool_id, event.topic), {}), event)
    found = {}
    for pool in adaptive:
        wanted = totals(pool) if topic is None else {topic: totals(pool).get(topic, 0)}
        for one, total in wanted.items():
            # A document that is handed out again joins at the end of the dictionary: it was taken out before.
            found[pool.id, one] = AdaptiveTopic(total, tuple(held.get((pool.id, one), {}).values()))
    return found


def adaptive_topics_of(db: Session, campaign_id: int) -> dict[tuple[int, str], AdaptiveTopic]:
    """The ledgers of all adaptive pools of a campaign, by pool and topic."""
    return adaptive_topics(db, db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id)).all())


def _take(held: dict[str, HandedOut], event: Row[Any]) -> None:
    if event.happening == Happening.HANDED_OUT:
        held[event.docno] = HandedOut(
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


def hand_out(db: Session, states: AdaptiveStates, assignment_id: int, account_id: int) -> str | None:
    """Choose the next document of an adaptive topic and give it to the assessor; returns its docno.

    One that the assessor has already and not answered comes again. None where the budget or the documents
    are used up, or the pool is closed or not adaptive. What colleagues have had for longer than the lease is
    taken back from them where nothing else is left. Raises NotFound as `prepare_handing_out`, and Conflict
    where a run of the pool is not what it was.
    """
    mine, pool, _ = own_assignment(db, assignment_id, account_id, writing=True)
    if state_of(pool) is not PoolState.OPEN or not is_adaptive(pool):
        return None
    lock_topic(db, pool.campaign_id, mine.topic)
    answers = current_events(db, pool.campaign_id, assessor_ids=[mine.assessor_id], topic=mine.topic)
    answered = {event.docno: event for event in answers}
    now = adaptive_topic(db, pool, mine.topic)
    waiting = next((one.docno for one in now.of(mine.assessor_id) if one.docno not in answered), None)
    return waiting or _next(db, states, pool, mine, now, answered)


def take_answer(db: Session, campaign_id: int, event: CurrentEvent) -> None:
    """Tell the adaptive pools that handed a pair to an assessor what the assessor says of it now.

    It counts wherever it was said: the answer is the assessor's, not the pool's. What is no grade, or was
    taken back, is neither relevant nor not.
    """
    pair = {"topic": event.topic, "docno": event.docno, "assessor_id": event.assessor_id}
    for pool in filter(is_adaptive, db.scalars(_CONCERNED, {"campaign_id": campaign_id, **pair}).all()):
        lock_topic(db, campaign_id, event.topic)
        if any(
            one.docno == event.docno for one in adaptive_topic(db, pool, event.topic).of(event.assessor_id)
        ):
            _say(db, pool, event)


def take_back(db: Session, assignment: AssignmentRow) -> int:
    """Take back what an assessor has of an adaptive topic and has not answered; returns how many.

    Others get it, where the strategy still wants it.
    """
    pool = db.get_one(PoolRow, assignment.pool_id)
    if not is_adaptive(pool):
        return 0
    lock_topic(db, pool.campaign_id, assignment.topic)
    out = [
        one
        for one in adaptive_topic(db, pool, assignment.topic).of(assignment.assessor_id)
        if not one.answered
    ]
    for one in out:
        _give_back(db, pool, assignment.topic, one)
    return len(out)


def _next(
    db: Session,
    states: AdaptiveStates,
    pool: PoolRow,
    mine: AssignmentRow,
    now: AdaptiveTopic,
    answered: dict[str, CurrentEvent],
) -> str | None:
    abandoned = list(now.abandoned(mine.assessor_id, datetime.now(UTC)))
    while True:
        coming = states.coming(db, pool, mine.topic)
        if coming is None and not abandoned:
            return None
        if coming is None:
            _give_back(db, pool, mine.topic, abandoned.pop(0))
            continue
        docno, entry = coming
        _give(db, pool, mine, entry)
        if docno not in answered:
            return docno
        # The assessor has judged it elsewhere: nobody judges a document twice.
        _say(db, pool, answered[docno])


def _say(db: Session, pool: PoolRow, event: CurrentEvent) -> None:
    scale = scale_from_json(db.get_one(CampaignRow, pool.campaign_id).scale)
    relevant = None if event.grade is None else event.grade >= scale.relevant_from
    said = PoolEvent(Happening.JUDGED, event.topic, event.docno, relevant)
    append_pool_event(db, pool.id, said, assessor_id=event.assessor_id, judgment_event_id=event.id)


def _give(db: Session, pool: PoolRow, mine: AssignmentRow, entry: PoolEntry) -> None:
    given = PoolEvent(Happening.HANDED_OUT, entry.topic, entry.docno)
    append_pool_event(db, pool.id, given, assessor_id=mine.assessor_id)
    db.execute(
        insert(PoolEntryRow).values(
            pool_id=pool.id,
            topic=entry.topic,
            docno=entry.docno,
            brought_by=[[each.tag, each.rank] for each in entry.contributions],
            best_rank=entry.contributions[0].rank,
            run_count=len(entry.contributions),
        )
    )


def _give_back(db: Session, pool: PoolRow, topic: str, held: HandedOut) -> None:
    back = PoolEvent(Happening.GIVEN_BACK, topic, held.docno)
    append_pool_event(db, pool.id, back, assessor_id=held.assessor_id)
    db.execute(
        delete(PoolEntryRow).where(
            PoolEntryRow.pool_id == pool.id, PoolEntryRow.topic == topic, PoolEntryRow.docno == held.docno
        )
    )


# The open pools of a campaign that handed a pair to an assessor; put together once, since every saved answer
# asks it.
_CONCERNED = select(PoolRow).where(
    PoolRow.campaign_id == bindparam("campaign_id"),
    PoolRow.closed_at.is_(None),
    PoolRow.id.in_(
        select(PoolEventRow.pool_id).where(
            PoolEventRow.topic == bindparam("topic"),
            PoolEventRow.docno == bindparam("docno"),
            PoolEventRow.assessor_id == bindparam("assessor_id"),
            PoolEventRow.happening == str(Happening.HANDED_OUT),
        )
    ),
)
