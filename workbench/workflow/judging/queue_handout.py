"""Queues: who has which pair, which pairs still need somebody, and handing them out a few ahead."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.pooling.adaptive.live import Happening, PoolEvent
from workbench.records import Answer
from workbench.storage.events import LATER, WITHDRAWN, CurrentEvent, current_events
from workbench.storage.tables import (
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    PoolEntryRow,
    PoolEventRow,
    PoolRow,
)
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.order import OrderRule, in_order
from workbench.workflow.judging.own_assignments import own_assignment
from workbench.workflow.pools.adaptive_pools import append_pool_events, lock_topic
from workbench.workflow.pools.pool_rows import PoolState, state_of

LEASE_RULE = "lease_minutes"
LEASE_MINUTES = 30

Entry = tuple[str, int | None, int]
"""A pair as orders read it: docno, best rank, number of runs that brought it."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A pair that an assessor was handed and has not given back; `since` is when last."""

    docno: str
    assessor_id: int
    since: datetime


@dataclass(frozen=True, slots=True)
class QueueTopic:
    """A topic of a queue: its pairs, who holds what in the order of handing out, and what people said.

    `said` has what holds of each pair by assessor; what is put off is in it, and is no answer. `takers` are
    those who take a place of a pair, `graders` those of them who graded it.
    """

    per_pair: int
    entries: tuple[Entry, ...]
    holds: tuple[Hold, ...]
    said: Mapping[str, Mapping[int, CurrentEvent]]
    graders: Mapping[str, frozenset[int]]
    takers: Mapping[str, frozenset[int]]
    lease: timedelta

    def answered(self, docno: str, assessor_id: int) -> bool:
        """Whether an assessor's answer of any kind holds."""
        event = self.said[docno].get(assessor_id)
        return event is not None and event.answer != LATER

    def has_room(self, docno: str, assessor_id: int) -> bool:
        """Whether a pair has a place for this assessor, who may have it already."""
        return len(self.takers[docno] - {assessor_id}) < self.per_pair

    def held(self, docno: str, assessor_id: int) -> bool:
        """Whether an assessor was handed a pair, and has it still."""
        return any(one.docno == docno and one.assessor_id == assessor_id for one in self.holds)

    def of(self, assessor_id: int) -> tuple[str, ...]:
        """What an assessor has: first what was answered without being handed out, then what was, in order."""
        held = [one.docno for one in self.holds if one.assessor_id == assessor_id]
        alone = {docno for docno in self.said if self.answered(docno, assessor_id)} - set(held)
        first = sorted(alone, key=lambda docno: self.said[docno][assessor_id].id)
        return (*first, *held)

    def open_of(self, assessor_id: int) -> tuple[str, ...]:
        """What an assessor was handed and has not answered."""
        return tuple(one.docno for one in self.open if one.assessor_id == assessor_id)

    @property
    def open(self) -> tuple[Hold, ...]:
        """What is out: handed out, not answered."""
        return tuple(one for one in self.holds if not self.answered(one.docno, one.assessor_id))

    def free(self, assessor_id: int) -> frozenset[str]:
        """The pairs that an assessor can be handed now."""
        mine = set(self.of(assessor_id))
        return frozenset(
            docno for docno in self.said if docno not in mine and self.has_room(docno, assessor_id)
        )

    def abandoned(self, now: datetime) -> tuple[Hold, ...]:
        """What is out with people who for longer than the lease have said nothing in this topic."""
        latest: dict[int, datetime] = {}
        for said in self.said.values():
            for assessor_id, event in said.items():
                latest[assessor_id] = max(event.recorded_at, latest.get(assessor_id, event.recorded_at))
        return tuple(
            one
            for one in self.open
            if max(one.since, latest.get(one.assessor_id, one.since)) < now - self.lease
        )

    def recoverable(self, assessor_id: int, now: datetime) -> tuple[Hold, ...]:
        """What colleagues have abandoned and an assessor could get instead, longest ago first."""
        mine = set(self.of(assessor_id))
        found = (
            one
            for one in self.abandoned(now)
            if one.docno not in mine
            and not self.has_room(one.docno, assessor_id)
            and len(self.takers[one.docno] - {assessor_id, one.assessor_id}) < self.per_pair
        )
        return tuple(sorted(found, key=lambda one: one.since))

    def left(self, assessor_id: int, now: datetime | None = None) -> int:
        """How many pairs an assessor can still be handed, with what colleagues have abandoned."""
        recoverable = self.recoverable(assessor_id, now or datetime.now(UTC))
        return len(self.free(assessor_id)) + len({one.docno for one in recoverable})

    def may_come(self, assessor_id: int) -> frozenset[str]:
        """What an assessor has not answered and may get, be it that a colleague gives it back."""
        return frozenset(
            docno
            for docno, graders in self.graders.items()
            if len(graders) < self.per_pair and not self.answered(docno, assessor_id)
        )


def is_queue(pool: PoolRow) -> bool:
    """Whether assessors take the pairs of a pool from one queue."""
    return pool.per_pair is not None


def lease_minutes(desk_rules: Mapping[str, Any]) -> int:
    """After how many minutes without an answer others get what somebody was handed."""
    found = desk_rules.get(LEASE_RULE)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else LEASE_MINUTES


def queue_topic(db: Session, pool: PoolRow, topic: str) -> QueueTopic:
    """One topic of a queue as it stands; nothing is in it where the pool has nothing of the topic."""
    found = queue_topics(db, [pool], topic=topic).get((pool.id, topic))
    return found or QueueTopic(pool.per_pair or 1, (), (), {}, {}, {}, timedelta(0))


def queue_topics_of(db: Session, campaign_id: int) -> dict[tuple[int, str], QueueTopic]:
    """All topics of the queues of a campaign, by pool and topic."""
    return queue_topics(db, db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id)).all())


def queue_topics(
    db: Session, pools: Iterable[PoolRow], *, topic: str | None = None
) -> dict[tuple[int, str], QueueTopic]:
    """All topics (or one) of the queues among pools of one campaign, by pool and topic."""
    queues = {pool.id: pool for pool in pools if is_queue(pool)}
    if not queues:
        return {}
    campaign = db.get_one(CampaignRow, next(iter(queues.values())).campaign_id)
    lease = timedelta(minutes=lease_minutes(campaign.desk_rules))
    said = _said(db, campaign.id, topic)
    holds = _holds(db, queues, topic)
    return {
        key: _topic(
            queues[key[0]].per_pair or 1, entries, holds.get(key, {}).values(), said.get(key[1], {}), lease
        )
        for key, entries in _entries(db, queues, topic).items()
    }


def _topic(
    per_pair: int,
    entries: list[Entry],
    holds: Iterable[Hold],
    said: Mapping[str, Mapping[int, CurrentEvent]],
    lease: timedelta,
) -> QueueTopic:
    spoken = {docno: said.get(docno, {}) for docno, _, _ in entries}
    graders = {
        docno: frozenset(who for who, event in each.items() if event.answer == Answer.GRADE)
        for docno, each in spoken.items()
    }
    takers = {docno: set(found) for docno, found in graders.items()}
    kept = tuple(one for one in holds if one.docno in takers)
    for one in kept:
        event = spoken[one.docno].get(one.assessor_id)
        if event is None or event.answer == LATER:
            takers[one.docno].add(one.assessor_id)
    return QueueTopic(
        per_pair,
        tuple(entries),
        kept,
        spoken,
        graders,
        {docno: frozenset(found) for docno, found in takers.items()},
        lease,
    )


def _said(db: Session, campaign_id: int, topic: str | None) -> dict[str, dict[str, dict[int, CurrentEvent]]]:
    """What people say, by topic, docno and assessor; machines take no place of anybody."""
    people = db.scalars(
        select(AssessorRow.id).where(AssessorRow.campaign_id == campaign_id, AssessorRow.machine.is_(False))
    ).all()
    found: dict[str, dict[str, dict[int, CurrentEvent]]] = {}
    for event in current_events(db, campaign_id, assessor_ids=people, topic=topic, put_off=True):
        found.setdefault(event.topic, {}).setdefault(event.docno, {})[event.assessor_id] = event
    return found


def _entries(db: Session, pool_ids: Collection[int], topic: str | None) -> dict[tuple[int, str], list[Entry]]:
    entry = PoolEntryRow
    chosen = select(entry.pool_id, entry.topic, entry.docno, entry.best_rank, entry.run_count).where(
        entry.pool_id.in_(list(pool_ids))
    )
    found: dict[tuple[int, str], list[Entry]] = {}
    rows = db.execute(chosen if topic is None else chosen.where(entry.topic == topic))
    for pool_id, of, docno, rank, runs in rows:
        found.setdefault((pool_id, of), []).append((docno, rank, runs))
    return found


def _holds(
    db: Session, pool_ids: Collection[int], topic: str | None
) -> dict[tuple[int, str], dict[tuple[str, int], Hold]]:
    event = PoolEventRow
    chosen = (
        select(event.pool_id, event.topic, event.happening, event.docno, event.assessor_id, event.at)
        .where(event.pool_id.in_(list(pool_ids)), event.assessor_id.is_not(None))
        .order_by(event.pool_id, event.topic, event.number)
    )
    found: dict[tuple[int, str], dict[tuple[str, int], Hold]] = {}
    for row in db.execute(chosen if topic is None else chosen.where(event.topic == topic)):
        holds = found.setdefault((row.pool_id, row.topic), {})
        if row.happening == Happening.HANDED_OUT:
            # Handed out once more it keeps its place: only the lease begins anew.
            holds[row.docno, row.assessor_id] = Hold(row.docno, row.assessor_id, row.at)
        elif row.happening == Happening.GIVEN_BACK:
            holds.pop((row.docno, row.assessor_id), None)
    return found


AHEAD = 5  # so that the next documents are in the browser before the key is pressed
MOST_OPEN = 20  # with those that were put off


def wants_more(db: Session, assignment_id: int, account_id: int) -> bool:
    """Whether an assessor has fewer pairs ahead than can be had; changes nothing.

    Raises NotFound where the assignment is not this account's or was taken back.
    """
    mine, pool, _ = own_assignment(db, assignment_id, account_id)
    if not is_queue(pool) or state_of(pool) is not PoolState.OPEN:
        return False
    topic = queue_topic(db, pool, mine.topic)
    return _wanted(topic, mine.assessor_id) > 0 and topic.left(mine.assessor_id) > 0


def hand_out_ahead(
    db: Session, assignment_id: int, account_id: int, *, now: datetime | None = None
) -> tuple[str, ...]:
    """Hand an assessor the next pairs of a queue's topic, until five are ahead; returns what is new.

    Each pair needs judging still, and this assessor has said nothing of it. Where too few are free, what
    colleagues have abandoned is taken back from them. Raises as `wants_more`.
    """
    mine, pool, _ = own_assignment(db, assignment_id, account_id, writing=True)
    if not is_queue(pool) or state_of(pool) is not PoolState.OPEN:
        return ()
    lock_topic(db, pool.campaign_id, mine.topic)
    topic = queue_topic(db, pool, mine.topic)
    wanted = _wanted(topic, mine.assessor_id)
    if wanted <= 0:
        return ()
    coming = _coming(topic, mine)
    for hold in topic.recoverable(mine.assessor_id, utc_now(now)):
        if len(coming) >= wanted:
            break
        if hold.docno not in coming:
            _give_back(db, pool, mine.topic, [hold])
            coming.append(hold.docno)
    given = coming[:wanted]
    _happen(db, pool, mine.topic, Happening.HANDED_OUT, given, mine.assessor_id)
    return tuple(given)


def admit(db: Session, pool: PoolRow, assignment: AssignmentRow, docno: str, answer: str) -> None:
    """Make sure that what an assessor is about to say of a pair of a queue finds a place.

    An answer after the lease counts while the pair has room. Unsure and cannot judge need none. What is taken
    back gives the pair to this assessor again, where it has room. Raises NotFound for a pair that is not in
    the pool, and Conflict where others have given, or are giving, all grades that were asked for.
    """
    lock_topic(db, pool.campaign_id, assignment.topic)
    topic, me = queue_topic(db, pool, assignment.topic), assignment.assessor_id
    if docno not in topic.said:
        raise NotFound("this document is not in your part of the pool")
    room, held = topic.has_room(docno, me), topic.held(docno, me)
    if answer == WITHDRAWN:
        if room:
            _happen(db, pool, assignment.topic, Happening.HANDED_OUT, [docno], me)
        elif held:
            _happen(db, pool, assignment.topic, Happening.GIVEN_BACK, [docno], me)
    elif answer in {Answer.GRADE, LATER}:
        if not room:
            raise Conflict(
                "others have given the judgments that this document needs, or are giving them",
                remedy="go on with the next one",
            )
        if not held:
            _happen(db, pool, assignment.topic, Happening.HANDED_OUT, [docno], me)


def give_back(
    db: Session, pool: PoolRow, topic: str, *, assessor_id: int | None = None, docno: str | None = None
) -> int:
    """Take back what is out of a topic, of one assessor or pair only where named; returns how many."""
    lock_topic(db, pool.campaign_id, topic)
    out = [
        one
        for one in queue_topic(db, pool, topic).open
        if assessor_id in {None, one.assessor_id} and docno in {None, one.docno}
    ]
    _give_back(db, pool, topic, out)
    return len(out)


def give_back_assigned(db: Session, assignment: AssignmentRow) -> int:
    """Take back what an assessor has of a queue's topic and has not answered; 0 where it is no queue."""
    pool = db.get_one(PoolRow, assignment.pool_id)
    if not is_queue(pool):
        return 0
    return give_back(db, pool, assignment.topic, assessor_id=assignment.assessor_id)


def _wanted(topic: QueueTopic, assessor_id: int) -> int:
    out = topic.open_of(assessor_id)
    ahead = sum(assessor_id not in topic.said[docno] for docno in out)  # the others are put off
    return min(AHEAD - ahead, MOST_OPEN - len(out))


def _coming(topic: QueueTopic, mine: AssignmentRow) -> list[str]:
    """What can be handed out now, in the assessor's order; what somebody else could not grade comes last."""
    free = topic.free(mine.assessor_id)
    ordered = in_order(
        (entry for entry in topic.entries if entry[0] in free),
        topic=mine.topic,
        rule=OrderRule(mine.order_rule),
        seed=mine.seed,
    )
    return sorted(ordered, key=lambda docno: any(e.grade is None for e in topic.said[docno].values()))


def _give_back(db: Session, pool: PoolRow, topic: str, holds: Iterable[Hold]) -> None:
    for one in holds:
        _happen(db, pool, topic, Happening.GIVEN_BACK, [one.docno], one.assessor_id)


def _happen(
    db: Session, pool: PoolRow, topic: str, what: Happening, docnos: Iterable[str], assessor_id: int
) -> None:
    events = [PoolEvent(what, topic, docno) for docno in docnos]
    append_pool_events(db, pool.id, events, assessor_id=assessor_id)
