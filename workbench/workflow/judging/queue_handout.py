"""Queues: who has which pair, which pairs still need somebody, and handing them out a few ahead.

Who was handed what is known by topic to this process: only events since are read. Those of a topic are
numbered, and the topic is locked while one is written, so that none of a lower number appears later.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session
from sqlalchemy.pool import Pool

from workbench.errors import NotFound, TooLate
from workbench.pooling.adaptive.live import Happening, PoolEvent
from workbench.records import Answer
from workbench.storage.engine import WRITES
from workbench.storage.events import LATER, WITHDRAWN, CurrentEvent, current_events
from workbench.storage.tables import (
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    PoolEventRow,
    PoolRow,
    TopicRow,
)
from workbench.workflow.clock import shared_now
from workbench.workflow.judging.handout import Entry, Handout, OrderRule, entries_of, in_order
from workbench.workflow.people.assessors import able_ids
from workbench.workflow.pools.adaptive_pools import append_pool_events, lock_topic

LEASE_RULE = "lease_minutes"
LEASE_MINUTES = 30
AHEAD = 5  # so that the next documents are in the browser before the key is pressed
AT_FIRST = 2  # who opens a topic to look at it takes few places from those who judge
MOST_OPEN = 20  # with those that were put off


@dataclass(frozen=True, slots=True)
class QueueHandout(Handout):
    """A topic of a queue: its pairs, who has what in the order of handing out, and the answers.

    `answers` has the current event of each pair by assessor; what is put off is in it, and is no answer.
    `takers` are those who take a place of a pair, `graders` those of them who graded it.

    A queue asks for so many grades of each pair. A pair's places belong to the people who graded it,
    wherever they did, and by those who have it and have not answered. Who is unsure or cannot judge takes no
    place: a colleague gets the pair, so that the grades come in the end. Grades are read from the judgments
    themselves, so finished work can never look abandoned; the pool's events say only who was handed what.

    Whoever hands out, takes back or answers locks the topic first, so all this happens one after the other.
    """

    in_batches: ClassVar[bool] = True

    per_pair: int
    entries: tuple[Entry, ...]
    handed_out: tuple[Hold, ...]
    answers: Mapping[str, Mapping[int, CurrentEvent]]
    graders: Mapping[str, frozenset[int]]
    takers: Mapping[str, frozenset[int]]
    lease: timedelta
    able: Set[int]
    closed: bool = False

    @classmethod
    def load(cls, db: Session, pool: PoolRow, topic: str) -> Self:
        """A topic of a queue."""
        campaign = db.get_one(CampaignRow, pool.campaign_id)
        entries = entries_of(db, pool.id, topic)
        # Machines take no place of anybody.
        people = db.scalars(
            select(AssessorRow.id).where(
                AssessorRow.campaign_id == campaign.id, AssessorRow.machine.is_(False)
            )
        ).all()
        answers: dict[str, dict[int, CurrentEvent]] = {docno: {} for docno, _, _ in entries}
        for event in current_events(db, campaign.id, assessor_ids=people, topic=topic, put_off=True):
            if event.docno in answers:
                answers[event.docno][event.assessor_id] = event
        graders = {
            docno: frozenset(who for who, event in each.items() if event.answer == Answer.GRADE)
            for docno, each in answers.items()
        }
        handed_out = tuple(one for one in handed_out_of(db, pool.id, topic) if one.docno in answers)
        return cls(
            pool.per_pair or 1,
            tuple(entries),
            handed_out,
            answers,
            graders,
            _takers(graders, handed_out, answers),
            timedelta(minutes=lease_minutes(campaign.desk_rules)),
            able_ids(db, campaign.id),
            pool.closed_at is not None,
        )

    def answered(self, docno: str, assessor_id: int) -> bool:
        """Whether a pair has an assessor's answer of any kind."""
        event = self.answers[docno].get(assessor_id)
        return event is not None and event.answer != LATER

    def has_room(self, docno: str, assessor_id: int) -> bool:
        """Whether a pair has a place for this assessor, who may have it already."""
        return len(self.takers[docno] - {assessor_id}) < self.per_pair

    def is_needed(self, one: Hold) -> bool:
        """Whether what is out is still asked for: colleagues may have graded it elsewhere meanwhile."""
        return len(self.graders[one.docno] - {one.assessor_id}) < self.per_pair

    def has(self, docno: str, assessor_id: int) -> bool:
        """Whether an assessor was handed a pair, and nobody took it back."""
        return any(one.docno == docno and one.assessor_id == assessor_id for one in self.handed_out)

    def of(self, assessor_id: int) -> tuple[str, ...]:
        """What an assessor has: first what was answered without being handed out, then what was, in order."""
        handed_out = [
            one.docno
            for one in self.handed_out
            if one.assessor_id == assessor_id
            and (self.answered(one.docno, assessor_id) or self.is_needed(one))
        ]
        alone = {docno for docno in self.answers if self.answered(docno, assessor_id)} - set(handed_out)
        first = sorted(alone, key=lambda docno: self.answers[docno][assessor_id].id)
        return (*first, *handed_out)

    def documents(self, assignment: AssignmentRow) -> list[str]:
        """What an assessor has, in the order in which it came."""
        return list(self.of(assignment.assessor_id))

    def open_of(self, assessor_id: int) -> tuple[str, ...]:
        """What an assessor was handed and has not answered."""
        return tuple(one.docno for one in self.open if one.assessor_id == assessor_id)

    @property
    def open(self) -> tuple[Hold, ...]:
        """What is out: handed out, not answered, still asked for."""
        return tuple(
            one
            for one in self.handed_out
            if not self.answered(one.docno, one.assessor_id) and self.is_needed(one)
        )

    def free(self, assessor_id: int) -> frozenset[str]:
        """The pairs that an assessor can be handed now."""
        mine = set(self.of(assessor_id))
        return frozenset(
            docno for docno in self.answers if docno not in mine and self.has_room(docno, assessor_id)
        )

    def abandoned(self, now: datetime) -> tuple[Hold, ...]:
        """What is out with who cannot judge now, or answered nothing here for longer than the lease."""
        latest: dict[int, datetime] = {}
        for answers in self.answers.values():
            for assessor_id, event in answers.items():
                latest[assessor_id] = max(event.recorded_at, latest.get(assessor_id, event.recorded_at))
        return tuple(
            one
            for one in self.open
            if one.assessor_id not in self.able
            or max(one.since, latest.get(one.assessor_id, one.since)) < now - self.lease
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

    @property
    def most(self) -> int:
        """How many pairs the topic has."""
        return len(self.entries)

    def left(self, assessor_id: int, now: datetime | None = None) -> int:
        """How many pairs an assessor can still be handed, with what colleagues have abandoned."""
        if self.closed:
            return 0
        recoverable = self.recoverable(assessor_id, now or datetime.now(UTC))
        return len(self.free(assessor_id)) + len({one.docno for one in recoverable})

    @staticmethod
    def accept(db: Session, pool: PoolRow, assignment: AssignmentRow, docno: str, answer: str) -> None:
        """Make sure that what an assessor is about to say of a pair finds a place.

        What an assessor was handed counts, even if colleagues have graded it elsewhere meanwhile; what was
        taken back after the lease counts while the pair has room. Unsure and cannot judge need none. A
        withdrawal hands the pair to this assessor again, where it has room. Raises NotFound for a pair
        outside the pool, and TooLate where colleagues have given, or are giving, all grades asked for.
        """
        topic, me = _locked(db, pool, assignment.topic), assignment.assessor_id
        if docno not in topic.answers:
            raise NotFound("this document is not in your part of the pool")
        room, has_it = topic.has_room(docno, me), topic.has(docno, me)
        mine = me in topic.graders[docno] or (has_it and not topic.answered(docno, me))
        if answer == WITHDRAWN:
            if room:
                _append(db, pool, assignment.topic, Happening.HANDED_OUT, [docno], me)
            elif has_it:
                _append(db, pool, assignment.topic, Happening.GIVEN_BACK, [docno], me)
        elif answer in {Answer.GRADE, LATER}:
            if not room and not mine:
                raise TooLate(
                    "this document is no longer assigned to you",
                    remedy="go on with the next one",
                    cause="the document has, or is getting, all the judgments that it needs",
                )
            if not has_it:
                _append(db, pool, assignment.topic, Happening.HANDED_OUT, [docno], me)

    @staticmethod
    def take_back(db: Session, pool: PoolRow, assignment: AssignmentRow) -> None:
        """Take back what an assessor has and has not answered."""
        give_back(db, pool, assignment.topic, assessor_id=assignment.assessor_id)

    @staticmethod
    def prepare(db: Session, states: object, pool: PoolRow, assignment: AssignmentRow) -> bool:
        """Whether an assessor has fewer pairs ahead than can be had."""
        now, me = QueueHandout.load(db, pool, assignment.topic), assignment.assessor_id
        return _how_many(now, me) > 0 and now.left(me, shared_now(db)) > 0

    @staticmethod
    def hand_out(db: Session, states: object, pool: PoolRow, assignment: AssignmentRow) -> tuple[str, ...]:
        """Hand an assessor the next pairs, until five are ahead, or two before the first answer.

        Returns what is new.

        Each pair still needs judging, and this assessor has not answered it. Where too few are free, what
        colleagues have abandoned is revoked.
        """
        topic = _locked(db, pool, assignment.topic)
        count = _how_many(topic, assignment.assessor_id)
        if count <= 0:
            return ()
        coming = _coming(topic, assignment)
        for hold in topic.recoverable(assignment.assessor_id, shared_now(db)):
            if len(coming) >= count:
                break
            if hold.docno not in coming:
                _give_back(db, pool, assignment.topic, [hold])
                coming.append(hold.docno)
        given = coming[:count]
        _append(db, pool, assignment.topic, Happening.HANDED_OUT, given, assignment.assessor_id)
        return tuple(given)


def lease_minutes(desk_rules: Mapping[str, Any]) -> int:
    """After how many minutes without an answer others get what somebody was handed."""
    found = desk_rules.get(LEASE_RULE)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else LEASE_MINUTES


def _takers(
    graders: Mapping[str, frozenset[int]],
    handed_out: Iterable[Hold],
    answers: Mapping[str, Mapping[int, CurrentEvent]],
) -> dict[str, frozenset[int]]:
    takers = {docno: set(found) for docno, found in graders.items()}
    for one in handed_out:
        event = answers[one.docno].get(one.assessor_id)
        if event is None or event.answer == LATER:
            takers[one.docno].add(one.assessor_id)
    return {docno: frozenset(found) for docno, found in takers.items()}


def give_back(
    db: Session, pool: PoolRow, topic: str, *, assessor_id: int | None = None, docno: str | None = None
) -> int:
    """Take back what is out of a topic, of one assessor or pair only where named; returns how many."""
    out = [
        one
        for one in _locked(db, pool, topic).open
        if assessor_id in {None, one.assessor_id} and docno in {None, one.docno}
    ]
    _give_back(db, pool, topic, out)
    return len(out)


def _locked(db: Session, pool: PoolRow, topic: str) -> QueueHandout:
    lock_topic(db, pool.campaign_id, topic)
    return QueueHandout.load(db, pool, topic)


def _how_many(topic: QueueHandout, assessor_id: int) -> int:
    out = topic.open_of(assessor_id)
    ahead = sum(assessor_id not in topic.answers[docno] for docno in out)  # the others are put off
    begun = any(assessor_id in answers for answers in topic.answers.values())
    return min((AHEAD if begun else AT_FIRST) - ahead, MOST_OPEN - len(out))


def _coming(topic: QueueHandout, mine: AssignmentRow) -> list[str]:
    """What can be handed out now, in the assessor's order; what somebody else could not grade comes last."""
    free = topic.free(mine.assessor_id)
    ordered = in_order(
        (entry for entry in topic.entries if entry[0] in free),
        topic=mine.topic,
        rule=OrderRule(mine.order_rule),
        seed=mine.seed,
    )
    return sorted(ordered, key=lambda docno: any(e.grade is None for e in topic.answers[docno].values()))


def _give_back(db: Session, pool: PoolRow, topic: str, handed_out: Iterable[Hold]) -> None:
    for one in handed_out:
        _append(db, pool, topic, Happening.GIVEN_BACK, [one.docno], one.assessor_id)


def _append(
    db: Session, pool: PoolRow, topic: str, what: Happening, docnos: Iterable[str], assessor_id: int
) -> None:
    events = [PoolEvent(what, topic, docno) for docno in docnos]
    append_pool_events(db, pool.id, events, assessor_id=assessor_id)


@dataclass(frozen=True, slots=True)
class Hold:
    """A pair that an assessor was handed and has not given back; `since` is when last."""

    docno: str
    assessor_id: int
    since: datetime


@dataclass(frozen=True, slots=True)
class TopicHandedOut:
    """What is handed out of a topic, in the order of handing out, after the event with this number."""

    number: int
    handed_out: tuple[Hold, ...]


NOTHING = TopicHandedOut(0, ())
ByTopic = Mapping[str, TopicHandedOut]


def after_events(handed_out: Iterable[Hold], events: Iterable[Any]) -> tuple[Hold, ...]:
    """What is handed out of a topic after some more of its events."""
    found = {(one.docno, one.assessor_id): one for one in handed_out}
    for row in events:
        if row.happening == Happening.HANDED_OUT:
            # Handed out once more it keeps its place: only the lease begins anew.
            found[row.docno, row.assessor_id] = Hold(row.docno, row.assessor_id, row.at)
        elif row.happening == Happening.GIVEN_BACK:
            found.pop((row.docno, row.assessor_id), None)
    return tuple(found.values())


def handed_out_of(db: Session, pool_id: int, topic: str) -> tuple[Hold, ...]:
    """What is handed out of one topic of a queue, in the order of handing out."""
    return after_events((), db.execute(_EVENTS, {"pool": pool_id, "topic": topic, "after": 0}))


def handed_out_by_topic(db: Session, pool: PoolRow) -> ByTopic:
    """What is handed out of each topic of a queue of which anything ever was."""
    newest = {
        topic: number
        for topic, number in db.execute(_NEWEST, {"pool": pool.id, "campaign": pool.campaign_id})
        if number is not None
    }
    known = {} if WRITES in db.info else _known(db, pool)
    found = {}
    for topic, number in newest.items():
        before = known.get(topic, NOTHING)
        if before.number > number:  # this transaction is behind others
            before = NOTHING
        if before.number < number:
            rows = db.execute(_EVENTS, {"pool": pool.id, "topic": topic, "after": before.number}).all()
            before = TopicHandedOut(number, after_events(before.handed_out, rows))
            if before.number > known.get(topic, NOTHING).number:
                known[topic] = before
        found[topic] = before
    return found


_EVENT = PoolEventRow
_NEWEST_OF_TOPIC = (
    select(func.max(_EVENT.number))
    .where(_EVENT.pool_id == bindparam("pool"), _EVENT.topic == TopicRow.topic)
    .scalar_subquery()
)
_NEWEST = select(TopicRow.topic, _NEWEST_OF_TOPIC).where(TopicRow.campaign_id == bindparam("campaign"))
_EVENTS = (
    select(_EVENT.happening, _EVENT.docno, _EVENT.assessor_id, _EVENT.at)
    .where(
        _EVENT.pool_id == bindparam("pool"),
        _EVENT.topic == bindparam("topic"),
        _EVENT.number > bindparam("after"),
        _EVENT.assessor_id.is_not(None),
    )
    .order_by(_EVENT.number)
)
_STORES: WeakKeyDictionary[Pool, dict[tuple[int, datetime], dict[str, TopicHandedOut]]] = WeakKeyDictionary()
_MAKING = threading.Lock()


def _known(db: Session, pool: PoolRow) -> dict[str, TopicHandedOut]:
    """What is known of a queue of this database; its moment tells it from another of the same number."""
    with _MAKING:
        return _STORES.setdefault(db.get_bind().engine.pool, {}).setdefault((pool.id, pool.created_at), {})
