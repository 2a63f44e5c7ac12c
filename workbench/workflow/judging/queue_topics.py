"""Who has which pair of a queue, and which pairs still need somebody: one topic, summed up.

A queue asks for so many grades of each pair. A pair's places are taken by the people who graded it, wherever
they did, and by those who have it and have not answered. Who is unsure or cannot judge takes no place: a
colleague gets the pair, so that the grades come in the end. Grades are read from the judgments themselves, so
finished work can never look abandoned; the pool's events say only who was handed what.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.pooling.adaptive.events import Happening
from workbench.records import Answer
from workbench.storage.events import LATER, CurrentEvent, current_events
from workbench.storage.tables import AssessorRow, CampaignRow, PoolEntryRow, PoolEventRow, PoolRow

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
