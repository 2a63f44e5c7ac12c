"""Handing out the documents of adaptive pools, to several assessors at once, and taking their answers.

One document at a time: the next is chosen when the one before has its answer, because it depends on it. So an
assessor has one document open (more only after taking answers back), and nothing is handed out ahead.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import bindparam, delete, insert, select
from sqlalchemy.orm import Session

from workbench.pooling.adaptive.events import Event, Happening
from workbench.records import PoolEntry
from workbench.storage.events import CurrentEvent, current_events
from workbench.storage.tables import AssignmentRow, CampaignRow, PoolEntryRow, PoolEventRow, PoolRow
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.adaptive_ledgers import Held, Ledger, ledger
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.judging.task import own_assignment, own_task
from workbench.workflow.pools.adaptive_pools import is_adaptive
from workbench.workflow.pools.pool_events import append_pool_event, lock_topic
from workbench.workflow.pools.pool_rows import PoolState, state_of


def prepare_handing_out(db: Session, states: AdaptiveStates, assignment_id: int, account_id: int) -> bool:
    """Whether the next document of an assignment waits to be chosen; if so, makes ready for it.

    Changes nothing in the database: the runs are read before `hand_out` keeps others from writing.
    Raises NotFound where the assignment is not this account's or was taken back.
    """
    task = own_task(db, assignment_id, account_id)
    unanswered = any(docno not in task.answers for docno in task.order)
    if task.closed or unanswered or not task.left or not is_adaptive(task.pool):
        return False
    states.prepare(db, task.pool, task.assignment.topic)
    return True


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
    now = ledger(db, pool, mine.topic)
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
        if any(one.docno == event.docno for one in ledger(db, pool, event.topic).of(event.assessor_id)):
            _say(db, pool, event)


def take_back(db: Session, assignment: AssignmentRow) -> int:
    """Take back what an assessor has of an adaptive topic and has not answered; returns how many.

    Others get it, where the strategy still wants it.
    """
    pool = db.get_one(PoolRow, assignment.pool_id)
    if not is_adaptive(pool):
        return 0
    lock_topic(db, pool.campaign_id, assignment.topic)
    out = [one for one in ledger(db, pool, assignment.topic).of(assignment.assessor_id) if not one.answered]
    for one in out:
        _give_back(db, pool, assignment.topic, one)
    return len(out)


def _next(
    db: Session,
    states: AdaptiveStates,
    pool: PoolRow,
    mine: AssignmentRow,
    now: Ledger,
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
    said = Event(Happening.JUDGED, event.topic, event.docno, relevant)
    append_pool_event(db, pool.id, said, assessor_id=event.assessor_id, judgment_event_id=event.id)


def _give(db: Session, pool: PoolRow, mine: AssignmentRow, entry: PoolEntry) -> None:
    given = Event(Happening.HANDED_OUT, entry.topic, entry.docno)
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


def _give_back(db: Session, pool: PoolRow, topic: str, held: Held) -> None:
    back = Event(Happening.GIVEN_BACK, topic, held.docno)
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
