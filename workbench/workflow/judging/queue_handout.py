"""Handing out the pairs of a queue, a few ahead, and seeing to it that no pair gets more grades than asked.

Whoever hands out, takes back or answers locks the topic first, so all this happens one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.pooling.adaptive.events import Event, Happening
from workbench.records import Answer
from workbench.storage.events import LATER, WITHDRAWN
from workbench.storage.tables import AssignmentRow, PoolRow
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.order import OrderRule, in_order
from workbench.workflow.judging.queue_topics import Hold, QueueTopic, is_queue, queue_topic
from workbench.workflow.judging.task import own_assignment
from workbench.workflow.pools.pool_events import append_pool_events, lock_topic
from workbench.workflow.pools.pool_rows import PoolState, state_of

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
    events = [Event(what, topic, docno) for docno in docnos]
    append_pool_events(db, pool.id, events, assessor_id=assessor_id)
