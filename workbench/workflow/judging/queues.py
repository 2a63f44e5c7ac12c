"""Making a pool a queue, giving it to assessors, taking pairs back."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.storage.tables import AssessorRow, CampaignRow, PoolRow
from workbench.workflow.campaigns.names import topic_titles
from workbench.workflow.judging.assigning import assign
from workbench.workflow.judging.order import OrderRule
from workbench.workflow.judging.queue_handout import give_back
from workbench.workflow.judging.queue_report import queue_row
from workbench.workflow.judging.queue_topics import LEASE_RULE, is_queue, lease_minutes
from workbench.workflow.pools.adaptive_pools import is_adaptive, topics_of_pool
from workbench.workflow.pools.pool_rows import locked_pool, pool_row, require_not_closed

MOST_PER_PAIR = 100
SHORTEST_LEASE, LONGEST_LEASE = 1, 7 * 24 * 60


def make_queue(db: Session, campaign_id: int, name: str, per_pair: int) -> None:
    """Have assessors take the pairs of a pool from one queue, so many judgments each.

    An open pool may become one while people judge: what was judged counts. Raises NotFound, InvalidInput for
    a number that is none, Conflict for a pool that is closed or adaptive.
    """
    if not 1 <= per_pair <= MOST_PER_PAIR:
        message = f"{per_pair} judgments of each pair cannot be asked for"
        raise InvalidInput([Finding("Queue", None, "per_pair", message, f"1 to {MOST_PER_PAIR}")])
    row = locked_pool(db, campaign_id, name)
    require_not_closed(row)
    if is_adaptive(row):
        raise Conflict(
            f"pool {name!r} is adaptive", remedy="it hands out its documents by itself, each to one assessor"
        )
    row.per_pair = per_pair
    db.flush()


def end_queue(db: Session, campaign_id: int, name: str) -> int:
    """Make a queue a pool with assignments again: to whom a topic is given has all its pairs.

    What is out is taken back; returns how many. Raises NotFound, and Conflict for a closed pool.
    """
    row = locked_pool(db, campaign_id, name)
    require_not_closed(row)
    if not is_queue(row):
        return 0
    back = sum(give_back(db, row, topic) for topic in _topics(db, row))
    row.per_pair = None
    db.flush()
    return back


def per_pair_of(db: Session, campaign_id: int, name: str) -> int | None:
    """How many judgments of each pair a queue asks for, None where a pool is none; raises NotFound."""
    return pool_row(db, campaign_id, name).per_pair


def lease_of(db: Session, campaign_id: int) -> int:
    """After how many minutes without an answer others get what somebody was handed."""
    return lease_minutes(db.get_one(CampaignRow, campaign_id).desk_rules)


def set_lease(db: Session, campaign_id: int, minutes: int) -> None:
    """Let colleagues have what somebody was handed after so many minutes without an answer.

    It holds for all queues of a campaign. Raises InvalidInput for less than a minute or more than a week.
    """
    if not SHORTEST_LEASE <= minutes <= LONGEST_LEASE:
        message = f"{minutes} minutes are no lease"
        hint = f"{SHORTEST_LEASE} to {LONGEST_LEASE}"
        raise InvalidInput([Finding("Queue", None, LEASE_RULE, message, hint)])
    row = db.scalars(select(CampaignRow).where(CampaignRow.id == campaign_id).with_for_update()).one()
    row.desk_rules = {**row.desk_rules, LEASE_RULE: minutes}
    db.flush()


def give_queue(db: Session, campaign_id: int, name: str, assessor_ids: Iterable[int]) -> int:
    """Give all topics of a queue to assessors; returns how many assignments are new.

    Raises as `assign`, and Conflict where the pool is no queue.
    """
    row = queue_row(db, campaign_id, name)
    return assign(db, row.id, topics=_topics(db, row), assessor_ids=assessor_ids, order=OrderRule.SHUFFLED)


def take_back(
    db: Session, campaign_id: int, name: str, *, assessor: str | None = None, topic: str | None = None
) -> int:
    """Take back what is out of a queue: all, or an assessor's, or a topic's; returns how many pairs.

    What is judged stays. Raises NotFound for a pool or an assessor that is not there, Conflict where the pool
    is no queue.
    """
    row = queue_row(db, campaign_id, name)
    assessor_id = None if assessor is None else _assessor(db, campaign_id, assessor)
    topics = [one for one in _topics(db, row) if topic in {None, one}]
    return sum(give_back(db, row, one, assessor_id=assessor_id) for one in topics)


def take_back_pair(
    db: Session, campaign_id: int, name: str, *, assessor_id: int, topic: str, docno: str
) -> bool:
    """Take one pair back from an assessor; False where it is not out any more. Raises as `take_back`."""
    row = queue_row(db, campaign_id, name)
    return give_back(db, row, topic, assessor_id=assessor_id, docno=docno) > 0


def _assessor(db: Session, campaign_id: int, name: str) -> int:
    found = db.scalar(
        select(AssessorRow.id).where(AssessorRow.campaign_id == campaign_id, AssessorRow.name == name)
    )
    if found is None:
        raise NotFound(f"there is no assessor {name!r} in this campaign")
    return found


def _topics(db: Session, row: PoolRow) -> list[str]:
    """The topics of a pool in their order, in which everybody locks them."""
    pooled = topics_of_pool(db, row)
    return [topic for topic in topic_titles(db, row.campaign_id) if topic in pooled]
