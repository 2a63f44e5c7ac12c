"""Adaptive pools: who has which document, which one comes next, and how far a pool has come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import ClassVar, Self

from sqlalchemy import delete, insert
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.frozen import frozen_dataclass
from workbench.pooling.adaptive_pool import Happening, PoolEvent
from workbench.storage.events import LATER, WITHDRAWN, CurrentEvent, current_events
from workbench.storage.tables import (
    AssignmentRow,
    CampaignRow,
    PoolEntryRow,
    PoolRow,
)
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.clock import shared_now
from workbench.workflow.judging.adaptive_states import AdaptiveStates, ComingDocument
from workbench.workflow.judging.handout import Handout
from workbench.workflow.people.membership import able_ids, assessor_names
from workbench.workflow.pools.pool_log import TopicEvent, append_pool_events, events_of, lock_topic
from workbench.workflow.pools.pool_rows import adaptive_pool_row, pool_events, totals

# A document that is out for so long without an answer goes to a colleague who would have none otherwise.
LEASE = timedelta(hours=24)


@frozen_dataclass
class HandedOut:
    """A document that was handed out: to whom, when, as which event, and whether it has an answer.

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


@frozen_dataclass
class AdaptiveHandout(Handout):
    """A topic of an adaptive pool: how many documents it asks for, and what is handed out, in order.

    One judgment a document: what was handed out is its assessor's until it is given back, and the pool's
    entries are what is handed out now. One document at a time: the next is chosen when the one before has its
    answer, because it depends on it. So an assessor has one document open (more only after withdrawals).
    """

    one_by_one: ClassVar[bool] = True

    total: int
    handed_out: tuple[HandedOut, ...]
    able: Set[int]
    closed: bool = False

    @classmethod
    def load(cls, db: Session, pool: PoolRow, topic: str) -> Self:
        """A topic of an adaptive pool, which may ask for nothing of it."""
        handed_out = _after(events_of(db, pool.id, topic))
        able = able_ids(db, pool.campaign_id)
        return cls(totals(pool).get(topic, 0), handed_out, able, pool.closed_at is not None)

    @classmethod
    def by_topic(cls, db: Session, pool: PoolRow) -> Mapping[str, Self]:
        """All topics of an adaptive pool."""
        events = groupby(events_of(db, pool.id), attrgetter("topic"))
        found = {topic: _after(of_topic) for topic, of_topic in events}
        able, closed = able_ids(db, pool.campaign_id), pool.closed_at is not None
        return {
            topic: cls(total, found.get(topic, ()), able, closed) for topic, total in totals(pool).items()
        }

    def of(self, assessor_id: int) -> tuple[HandedOut, ...]:
        """What an assessor has, in the order in which it was handed out."""
        return tuple(one for one in self.handed_out if one.assessor_id == assessor_id)

    def docnos(self, assessor_id: int) -> Set[str]:
        """What an assessor has."""
        return {one.docno for one in self.of(assessor_id)}

    def documents(self, assignment: AssignmentRow) -> list[str]:
        """What an assessor has, in the order in which it was handed out."""
        return [one.docno for one in self.of(assignment.assessor_id)]

    def abandoned(self, assessor_id: int, now: datetime) -> tuple[HandedOut, ...]:
        """What colleagues of an assessor have had for too long, or can no longer judge."""
        others = (one for one in self.handed_out if one.assessor_id != assessor_id and not one.answered)
        return tuple(one for one in others if one.assessor_id not in self.able or one.abandoned(now))

    @property
    def most(self) -> int:
        """How many documents the topic asks for."""
        return self.total

    def left(self, assessor_id: int, now: datetime | None = None) -> int:
        """How many documents an assessor can still be handed."""
        if self.closed:
            return 0
        return self.total - len(self.handed_out) + len(self.abandoned(assessor_id, now or datetime.now(UTC)))

    @staticmethod
    def accept(db: Session, pool: PoolRow, assignment: AssignmentRow, docno: str, answer: str) -> None:
        """Raise Conflict where a document is put off: its answer decides what comes next."""
        if answer == LATER:
            raise Conflict("documents of an adaptive pool cannot be put off", remedy="answer unsure")

    @staticmethod
    def take(db: Session, pool: PoolRow, event: CurrentEvent) -> None:
        """Tell the strategy what an assessor says now of a document that it handed to this assessor.

        What is no grade, or was withdrawn, is neither relevant nor not.
        """
        lock_topic(db, pool.campaign_id, event.topic)
        now = AdaptiveHandout.load(db, pool, event.topic)
        if event.docno in now.docnos(event.assessor_id):
            _judged(db, pool, event)

    @staticmethod
    def take_back(db: Session, pool: PoolRow, assignment: AssignmentRow) -> None:
        """Take back what an assessor has and has not answered, for others where the strategy wants it."""
        lock_topic(db, pool.campaign_id, assignment.topic)
        for one in AdaptiveHandout.load(db, pool, assignment.topic).of(assignment.assessor_id):
            if not one.answered:
                _give_back(db, pool, assignment.topic, one)

    @staticmethod
    def prepare(db: Session, states: AdaptiveStates, pool: PoolRow, assignment: AssignmentRow) -> bool:
        """Whether the next document waits to be chosen; the runs are read before others must wait for it."""
        now = AdaptiveHandout.load(db, pool, assignment.topic)
        answered = _answered(db, pool, assignment)
        if (
            not now.left(assignment.assessor_id, shared_now(db))
            or now.docnos(assignment.assessor_id) - answered.keys()
        ):
            return False
        states.prepare(db, pool, assignment.topic)
        return True

    @staticmethod
    def hand_out(
        db: Session, states: AdaptiveStates, pool: PoolRow, assignment: AssignmentRow
    ) -> tuple[str, ...]:
        """Choose the next document and hand it out; one that the assessor has not answered comes again.

        None where the budget or the documents are used up. What colleagues have had for longer than the lease
        is revoked where nothing else is left. Raises Conflict where a run of the pool changed.
        """
        lock_topic(db, pool.campaign_id, assignment.topic)
        answered = _answered(db, pool, assignment)
        now = AdaptiveHandout.load(db, pool, assignment.topic)
        for one in now.of(assignment.assessor_id):
            if one.docno not in answered:
                return (one.docno,)
        return _next(db, states, pool, assignment, now, answered)


def _after(events: Iterable[TopicEvent]) -> tuple[HandedOut, ...]:
    """What is handed out of a topic after its events."""
    current: dict[str, HandedOut] = {}
    for event in events:
        if event.happening == Happening.HANDED_OUT and event.assessor_id is not None:
            # One that is handed out again joins at the end: it was removed before.
            current[event.docno] = HandedOut(
                event.docno, event.assessor_id, event.at, event.number, answered=False, relevant=None
            )
        elif event.happening == Happening.GIVEN_BACK:
            current.pop(event.docno, None)
        elif event.docno in current:
            answered = event.answer not in {WITHDRAWN, LATER}
            current[event.docno] = replace(current[event.docno], answered=answered, relevant=event.relevant)
    return tuple(current.values())


def _answered(db: Session, pool: PoolRow, assignment: AssignmentRow) -> dict[str, CurrentEvent]:
    who = [assignment.assessor_id]
    answers = current_events(db, pool.campaign_id, assessor_ids=who, topic=assignment.topic)
    return {event.docno: event for event in answers}


def _next(
    db: Session,
    states: AdaptiveStates,
    pool: PoolRow,
    mine: AssignmentRow,
    now: AdaptiveHandout,
    answered: dict[str, CurrentEvent],
) -> tuple[str, ...]:
    abandoned = list(now.abandoned(mine.assessor_id, shared_now(db)))
    while True:
        coming = states.coming(db, pool, mine.topic)
        if coming is None and not abandoned:
            return ()
        if coming is None:
            _give_back(db, pool, mine.topic, abandoned.pop(0))
            continue
        _give(db, pool, mine, coming)
        if coming.docno not in answered:
            return (coming.docno,)
        # The assessor has judged it elsewhere: nobody judges a document twice.
        _judged(db, pool, answered[coming.docno])


def _judged(db: Session, pool: PoolRow, event: CurrentEvent) -> None:
    scale = scale_from_json(db.get_one(CampaignRow, pool.campaign_id).scale)
    relevant = None if event.grade is None else event.grade >= scale.relevant_from
    judged = PoolEvent(Happening.JUDGED, event.topic, event.docno, relevant)
    append_pool_events(db, pool.id, [judged], assessor_id=event.assessor_id, judgment_event_id=event.id)


def _give(db: Session, pool: PoolRow, mine: AssignmentRow, coming: ComingDocument) -> None:
    given = PoolEvent(Happening.HANDED_OUT, mine.topic, coming.docno)
    append_pool_events(db, pool.id, [given], assessor_id=mine.assessor_id, reason=coming.reason)
    db.execute(
        insert(PoolEntryRow).values(
            pool_id=pool.id,
            topic=mine.topic,
            docno=coming.docno,
            brought_by=[list(each) for each in coming.brought_by],
            best_rank=coming.best_rank,
            run_count=len(coming.brought_by),
        )
    )


def _give_back(db: Session, pool: PoolRow, topic: str, document: HandedOut) -> None:
    back = PoolEvent(Happening.GIVEN_BACK, topic, document.docno)
    append_pool_events(db, pool.id, [back], assessor_id=document.assessor_id)
    db.execute(
        delete(PoolEntryRow).where(
            PoolEntryRow.pool_id == pool.id, PoolEntryRow.topic == topic, PoolEntryRow.docno == document.docno
        )
    )


CUTOFFS = (5, 10, 20, 50, 100, 200, 500, 1000)


@frozen_dataclass
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


@frozen_dataclass
class OutNow:
    """A document that an assessor has and has not answered."""

    topic: str
    docno: str
    assessor: str
    since: datetime


@frozen_dataclass
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


def live_report(db: Session, campaign_id: int, name: str) -> LiveReport:
    """How far an adaptive pool has come; raises NotFound, and WorkbenchError where it is not adaptive."""
    pool = adaptive_pool_row(db, campaign_id, name)
    titles = topic_titles(db, campaign_id)
    names = assessor_names(db, campaign_id)
    by_topic = AdaptiveHandout.by_topic(db, pool)
    most = max((sum(one.answered for one in ledger.handed_out) for ledger in by_topic.values()), default=0)
    cutoffs = tuple(cut for cut in CUTOFFS if cut <= most)
    # The documents of each topic in the order in which they were answered first.
    order: dict[str, dict[str, None]] = {}
    for event in pool_events(db, campaign_id, name):
        if event.happening == Happening.JUDGED:
            order.setdefault(event.topic, {}).setdefault(event.docno)
    return LiveReport(
        cutoffs,
        tuple(
            _topic_line(topic, title, by_topic[topic], order.get(topic, {}), cutoffs)
            for topic, title in titles.items()
            if topic in by_topic
        ),
        tuple(
            OutNow(topic, one.docno, names[one.assessor_id], one.since)
            for topic in titles
            if topic in by_topic
            for one in by_topic[topic].handed_out
            if not one.answered
        ),
    )


def _topic_line(
    topic: str, title: str, ledger: AdaptiveHandout, order: Iterable[str], cutoffs: tuple[int, ...]
) -> LiveTopicLine:
    relevant = {one.docno: one.relevant is True for one in ledger.handed_out if one.answered}
    in_order = [relevant[docno] for docno in order if docno in relevant]
    return LiveTopicLine(
        topic=topic,
        title=title,
        total=ledger.total,
        handed_out=len(ledger.handed_out),
        answered=len(in_order),
        relevant=sum(in_order),
        found=tuple(sum(in_order[:cut]) if len(in_order) >= cut else None for cut in cutoffs),
    )
