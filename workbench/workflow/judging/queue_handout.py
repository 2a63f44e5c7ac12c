"""Queues: which pairs still need somebody, who has which, and handing them out a few ahead."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.ratings import CANNOT_JUDGE, UNSURE
from workbench.errors import NotFound, TooLate
from workbench.frozen import frozen_dataclass
from workbench.pooling.adaptive_pool import Happening, PoolEvent
from workbench.records import Answer, id_bytes
from workbench.storage.events import LATER, WITHDRAWN, CurrentEvent, current_events
from workbench.storage.tables import AssessorRow, AssignmentRow, CampaignRow, JudgmentEventRow, PoolRow
from workbench.workflow.caching import Cache
from workbench.workflow.clock import shared_now
from workbench.workflow.judging.handout import Entry, Handout, OrderRule, entries_of, in_order
from workbench.workflow.log import PUT_OFF, TopicAnswers, code_of, no_answers
from workbench.workflow.people.membership import able_ids
from workbench.workflow.pools.pool_log import TopicEvent, TopicFold, append_pool_events, fold_key, lock_topic
from workbench.workflow.pools.pooled_topics import ByTopic, TopicDocnos, machines_of, pooled_by_topic

LEASE_RULE = "lease_minutes"
LEASE_MINUTES = 30
AHEAD = 5  # so that the next documents are in the browser before the key is pressed
AT_FIRST = 2  # who opens a topic to look at it takes few places from those who judge
MOST_OPEN = 20  # with those that were put off


@frozen_dataclass
class Lease:
    """Who can judge in a campaign, and how long somebody who does not answer keeps what was handed out."""

    db: Session
    campaign_id: int
    time: timedelta
    able: Set[int]

    @classmethod
    def of(cls, db: Session, campaign_id: int) -> Self:
        """That of a campaign."""
        rules = db.get_one(CampaignRow, campaign_id).desk_rules
        return cls(db, campaign_id, timedelta(minutes=lease_minutes(rules)), able_ids(db, campaign_id))

    def abandoned(self, topic: str, pairs: QueueTopic, now: datetime) -> list[Hold]:
        """What is out with who cannot judge now, or has not answered in the topic for a lease."""
        until = now - self.time
        late = {one.assessor_id for one in pairs.open if one.since < until}
        event = JudgmentEventRow
        since = select(event.assessor_id).where(
            event.campaign_id == self.campaign_id,
            event.assessor_id.in_(late),
            event.topic == topic,
            event.recorded_at >= until,
        )
        active = set(self.db.scalars(since.distinct())) if late else set[int]()
        return pairs.abandoned(until, self.able, active)


@frozen_dataclass
class QueueHandout(Handout):
    """A topic of a queue.

    Whoever hands out, takes back or answers locks the topic first, so all this happens one after the other.
    """

    in_batches: ClassVar[bool] = True

    topic: str
    pairs: QueueTopic
    entries: list[Entry]
    current: Mapping[str, Mapping[int, CurrentEvent]]
    """What each says of a document, and what is put off."""
    lease: Lease
    closed: bool = False

    @classmethod
    def load(cls, db: Session, pool: PoolRow, topic: str) -> Self:
        """A topic of a queue."""
        entries = entries_of(db, pool.id, topic)
        row = AssessorRow
        # Machines take no place of anybody.
        people = db.scalars(
            select(row.id).where(row.campaign_id == pool.campaign_id, row.machine.is_(False))
        ).all()
        docnos = [docno for docno, _, _ in entries]
        current: dict[str, dict[int, CurrentEvent]] = {docno: {} for docno in docnos}
        for event in current_events(db, pool.campaign_id, assessor_ids=people, topic=topic, put_off=True):
            if event.docno in current:
                current[event.docno][event.assessor_id] = event
        codes = (
            (docno, who, code_of(event.answer) if event.grade is None else event.grade)
            for docno, events in current.items()
            for who, event in events.items()
        )
        pairs = QueueTopic(pool.per_pair or 1, docnos, codes, handed_out_of(db, pool, topic))
        lease = Lease.of(db, pool.campaign_id)
        return cls(topic, pairs, entries, current, lease, pool.closed_at is not None)

    def documents(self, assignment: AssignmentRow) -> list[str]:
        """What an assessor has: first what was answered without being handed out, then what was, in order."""
        pairs, who = self.pairs, assignment.assessor_id
        mine = set(pairs.docnos_of(who))
        handed_out = [one.docno for one in pairs.handed_out if one.assessor_id == who and one.docno in mine]
        alone = sorted(mine - set(handed_out), key=lambda docno: self.current[docno][who].id)
        return [*alone, *handed_out]

    @property
    def most(self) -> int:
        """How many pairs the topic has."""
        return len(self.entries)

    def left(self, assessor_id: int, now: datetime | None = None) -> int:
        """How many pairs an assessor can still be handed, with what colleagues have abandoned."""
        abandoned = self.lease.abandoned(self.topic, self.pairs, now or datetime.now(UTC))
        shares = self.pairs.shares(np.array([assessor_id], np.int64), abandoned, closed=self.closed)
        return int(shares.left[0])

    @staticmethod
    def accept(db: Session, pool: PoolRow, assignment: AssignmentRow, docno: str, answer: str) -> None:
        """Make sure that what an assessor is about to say of a pair finds a place.

        What an assessor was handed counts, even if colleagues have graded it elsewhere meanwhile; what was
        taken back after the lease counts while the pair has room. Unsure and cannot judge need none. A
        withdrawal hands the pair to this assessor again, where it has room. Raises NotFound for a pair
        outside the pool, and TooLate where colleagues have given, or are giving, all grades asked for.
        """
        pairs, me = _locked(db, pool, assignment.topic).pairs, assignment.assessor_id
        if docno not in pairs.row:
            raise NotFound("this document is not in your part of the pool")
        place = pairs.row[docno], pairs.column(me)
        room, has_it = pairs.room[place], pairs.handed[place]
        if answer == WITHDRAWN:
            if room:
                _append(db, pool, assignment.topic, Happening.HANDED_OUT, [docno], me)
            elif has_it:
                _append(db, pool, assignment.topic, Happening.GIVEN_BACK, [docno], me)
        elif answer in {Answer.GRADE, LATER}:
            if not (room or pairs.graded[place] or (has_it and not pairs.answered[place])):
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
        return _how_many(now.pairs, me) > 0 and now.left(me, shared_now(db)) > 0

    @staticmethod
    def hand_out(db: Session, states: object, pool: PoolRow, assignment: AssignmentRow) -> tuple[str, ...]:
        """Hand an assessor the next pairs, until five are ahead, or two before the first answer.

        Each pair still needs judging, and this assessor has not answered it. Where too few are free, what
        colleagues have abandoned is revoked. Returns what is new.
        """
        topic, me = _locked(db, pool, assignment.topic), assignment.assessor_id
        count = _how_many(topic.pairs, me)
        if count <= 0:
            return ()
        coming = _coming(topic, assignment)
        abandoned = topic.lease.abandoned(assignment.topic, topic.pairs, shared_now(db))
        recoverable = topic.pairs.recoverable(abandoned)[:, topic.pairs.column(me)]
        for hold in sorted(abandoned, key=lambda one: one.since):
            if len(coming) >= count:
                break
            if recoverable[topic.pairs.row[hold.docno]] and hold.docno not in coming:
                _give_back(db, pool, assignment.topic, [hold])
                coming.append(hold.docno)
        given = coming[:count]
        _append(db, pool, assignment.topic, Happening.HANDED_OUT, given, me)
        return tuple(given)


def lease_minutes(desk_rules: Mapping[str, Any]) -> int:
    """After how many minutes without an answer others get what somebody was handed."""
    found = desk_rules.get(LEASE_RULE)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else LEASE_MINUTES


def give_back(
    db: Session, pool: PoolRow, topic: str, *, assessor_id: int | None = None, docno: str | None = None
) -> int:
    """Take back what is out of a topic, of one assessor or pair only where named; returns how many."""
    out = [
        one
        for one in _locked(db, pool, topic).pairs.open
        if assessor_id in {None, one.assessor_id} and docno in {None, one.docno}
    ]
    _give_back(db, pool, topic, out)
    return len(out)


def _locked(db: Session, pool: PoolRow, topic: str) -> QueueHandout:
    lock_topic(db, pool.campaign_id, topic)
    return QueueHandout.load(db, pool, topic)


def _how_many(pairs: QueueTopic, assessor_id: int) -> int:
    column = pairs.column(assessor_id)
    out, entered = pairs.out[:, column], pairs.entered[:, column]
    ahead = int((out & ~entered).sum())  # the others are put off
    return min((AHEAD if entered.any() else AT_FIRST) - ahead, MOST_OPEN - int(out.sum()))


def _coming(topic: QueueHandout, mine: AssignmentRow) -> list[str]:
    """What can be handed out now, in the assessor's order; what somebody else could not grade comes last."""
    pairs = topic.pairs
    free = pairs.free[:, pairs.column(mine.assessor_id)]
    ordered = in_order(
        (entry for entry, is_free in zip(topic.entries, free.tolist(), strict=True) if is_free),
        topic=mine.topic,
        rule=OrderRule(mine.order_rule),
        seed=mine.seed,
    )
    ungraded = (pairs.entered & ~pairs.graded).any(axis=1)
    return sorted(ordered, key=lambda docno: bool(ungraded[pairs.row[docno]]))


def _give_back(db: Session, pool: PoolRow, topic: str, handed_out: Iterable[Hold]) -> None:
    for one in handed_out:
        _append(db, pool, topic, Happening.GIVEN_BACK, [one.docno], one.assessor_id)


def _append(
    db: Session, pool: PoolRow, topic: str, what: Happening, docnos: Iterable[str], assessor_id: int
) -> None:
    events = [PoolEvent(what, topic, docno) for docno in docnos]
    append_pool_events(db, pool.id, events, assessor_id=assessor_id)


def handed_out_of(db: Session, pool: PoolRow, topic: str) -> tuple[Hold, ...]:
    """What is handed out of a topic of a queue, in the order of handing out."""
    fold = _HANDED_OUT.get(fold_key(db, pool, topic), TopicFold[dict[tuple[str, int], Hold]])
    with fold.lock:
        return tuple(fold.after(db, pool.id, topic, dict, _take).values())


def _take(handed_out: dict[tuple[str, int], Hold], event: TopicEvent) -> None:
    if event.assessor_id is None:
        return
    if event.happening == Happening.HANDED_OUT:
        # Handed out once more it keeps its place: only the lease begins anew.
        handed_out[event.docno, event.assessor_id] = Hold(event.docno, event.assessor_id, event.at)
    elif event.happening == Happening.GIVEN_BACK:
        handed_out.pop((event.docno, event.assessor_id), None)


_HANDED_OUT: Cache[Hashable, TopicFold[dict[tuple[str, int], Hold]]] = Cache(20_000)


@frozen_dataclass
class QueueTopics:
    """A queue as its pages read it: all topics, by the judgment log; made for one transaction."""

    db: Session
    pool: PoolRow
    answers: Mapping[str, TopicAnswers]
    pooled: ByTopic
    machines: frozenset[int]
    lease: Lease
    now: datetime
    _topics: dict[str, QueueTopic] = field(default_factory=dict)

    @classmethod
    def of(
        cls, db: Session, pool: PoolRow, answers: Mapping[str, TopicAnswers], now: datetime | None = None
    ) -> Self:
        """A queue, with these answers of its campaign."""
        campaign_id = pool.campaign_id
        pooled, machines = pooled_by_topic(db, pool), machines_of(db, campaign_id)
        every = {topic: answers.get(topic) or no_answers(topic) for topic in pooled}
        return cls(db, pool, every, pooled, machines, Lease.of(db, campaign_id), now or datetime.now(UTC))

    def topic(self, topic: str) -> QueueTopic:
        """The pairs of a topic."""
        if topic not in self._topics:
            handed_out = handed_out_of(self.db, self.pool, topic)

            codes = (one for one in self.answers[topic].coded() if one[1] not in self.machines)
            self._topics[topic] = QueueTopic(
                self.pool.per_pair or 1, self.pooled[topic].in_words, codes, handed_out
            )
        return self._topics[topic]

    def abandoned(self, topic: str) -> list[Hold]:
        """What is out with who cannot judge now, or has not answered in the topic for a lease."""
        return self.lease.abandoned(topic, self.topic(topic), self.now)

    def shares(self, topic: str, assessors: Numbers) -> Shares:
        """What these assessors, to whom a topic is given, have of it and can get."""
        closed = self.pool.closed_at is not None
        return self.topic(topic).shares(assessors, self.abandoned(topic), closed=closed)

    def docnos(self, topic: str, assessor_id: int) -> TopicDocnos:
        """What an assessor has of a topic."""
        return TopicDocnos.of(map(id_bytes, self.topic(topic).docnos_of(assessor_id)))


Numbers = NDArray[np.int64]
Marks = NDArray[np.bool_]
NO_ENTRY, DEFERRED, NO_GRADE, NOT_SURE, GRADED = range(5)
_STATES = {PUT_OFF: DEFERRED, CANNOT_JUDGE: NO_GRADE, UNSURE: NOT_SURE}
_NOBODY = 0


class Hold(NamedTuple):
    """A pair that an assessor was handed and has not given back; `since` is when last."""

    docno: str
    assessor_id: int
    since: datetime


class Shares(NamedTuple):
    """Of some assessors, each: how many documents they have, have answered, can be handed, may ever get."""

    has: Numbers
    answered: Numbers
    left: Numbers
    may_come: Numbers


class QueueTopic:
    """The pairs of a topic: what people said of them, and who has what, in the order of handing out.

    A queue asks for `per_pair` grades of each pair. A pair's places belong to the people who graded it,
    wherever they did, and to those who have it and have not answered. Who is unsure or cannot judge takes no
    place: a colleague gets the pair, so that the grades come in the end. Grades are read from the judgments
    themselves, so finished work can never look abandoned; `handed_out` says only who was handed what.

    `codes` has (docno, assessor, code) of the current answers of people, those put off with the code PUT_OFF.
    Machines take no place of anybody, and are left out.

    Of the matrices `out` marks what is handed out, not answered and still asked for; `has` what is answered
    or out; `room` where there is a place for somebody, who may have it already; `free` what each can be
    handed now. Of the pairs `graders` and `takers` count people, and `waiting` marks those with a place left.
    The first column is that of somebody who has had nothing.
    """

    def __init__(
        self,
        per_pair: int,
        docnos: Sequence[str],
        codes: Iterable[tuple[str, int, int]],
        handed_out: Iterable[Hold],
    ) -> None:
        self.per_pair, self.docnos = per_pair, docnos
        self.row = {docno: number for number, docno in enumerate(docnos)}
        self.handed_out = [one for one in handed_out if one.docno in self.row]
        entries = [one for one in codes if one[0] in self.row]
        people = {who for _, who, _ in entries} | {one.assessor_id for one in self.handed_out}
        self._column = {who: number for number, who in enumerate(sorted(people), start=_NOBODY + 1)}
        self.states = np.zeros((len(docnos), len(people) + 1), np.uint8)
        for docno, who, code in entries:
            self.states[self.row[docno], self._column[who]] = GRADED if code >= 0 else _STATES[code]
        self.handed, self.entered = self.marked(self.handed_out), self.states != NO_ENTRY
        self.graded, self.answered = self.states == GRADED, self.states > DEFERRED
        takes = self.graded | (self.handed & ~self.answered)
        self.graders, self.takers = self.graded.sum(axis=1), takes.sum(axis=1)
        besides = self.takers[:, None] - takes
        self.room = besides < per_pair
        self._last: Marks = besides == per_pair
        # Colleagues may have graded elsewhere what is out: then it is not asked for any more.
        self.out = self.handed & ~self.answered & (self.graders[:, None] - self.graded < per_pair)
        self.has: Marks = self.answered | self.out
        self.free: Marks = self.room & ~self.has
        self.waiting: Marks = self.takers < per_pair

    def column(self, assessor_id: int) -> int:
        """The column of an assessor."""
        return self._column.get(assessor_id, _NOBODY)

    def columns(self, assessors: Numbers) -> list[int]:
        """The columns of assessors."""
        return [self.column(one) for one in assessors.tolist()]

    def marked(self, handed_out: Iterable[Hold]) -> Marks:
        """These holds as a matrix."""
        found = np.zeros(self.states.shape, bool)
        for one in handed_out:
            found[self.row[one.docno], self._column[one.assessor_id]] = True
        return found

    def docnos_of(self, assessor_id: int) -> list[str]:
        """What an assessor has, answered or not, in the order of the pairs."""
        return [self.docnos[row] for row in np.flatnonzero(self.has[:, self.column(assessor_id)]).tolist()]

    @property
    def open(self) -> list[Hold]:
        """What is out: handed out, not answered, still asked for."""
        return [
            one for one in self.handed_out if self.out[self.row[one.docno], self._column[one.assessor_id]]
        ]

    def abandoned(self, until: datetime, able: Collection[int], active: Collection[int]) -> list[Hold]:
        """What is out with who is not able to judge now, or has had it since before `until`, not `active`."""
        return [
            one
            for one in self.open
            if one.assessor_id not in able or (one.since < until and one.assessor_id not in active)
        ]

    def recoverable(self, abandoned: Iterable[Hold]) -> Marks:
        """The pairs that each could get instead of those who have abandoned them."""
        return self.marked(abandoned).any(axis=1, keepdims=True) & ~self.has & self._last

    def shares(self, assessors: Numbers, abandoned: Iterable[Hold], *, closed: bool) -> Shares:
        """What these assessors have and can get."""
        left = self.free | self.recoverable(abandoned)
        may_come = (self.graders < self.per_pair)[:, None] & ~self.has
        if closed:
            left = may_come = np.zeros_like(self.has)
        columns = self.columns(assessors)
        sums = (one.sum(axis=0)[columns] for one in (self.has, self.answered, left, may_come))
        return Shares(*sums)

    def counts(self, assessor_id: int) -> tuple[int, int]:
        """How many pairs an assessor graded, and of how many was unsure."""
        mine = self.states[:, self.column(assessor_id)]
        return int((mine == GRADED).sum()), int((mine == NOT_SURE).sum())

    @property
    def needed(self) -> int:
        """How many grades the topic asks for."""
        return self.per_pair * len(self.docnos)

    @property
    def given(self) -> int:
        """How many of the grades needed are given."""
        return int(np.minimum(self.graders, self.per_pair).sum())

    def stuck(self, given: Numbers) -> int:
        """How many of the waiting pairs none of the assessors to whom the topic is given can take."""
        had = (self.entered | self.handed)[:, self.columns(given)]
        return int((self.waiting & had.all(axis=1)).sum())
