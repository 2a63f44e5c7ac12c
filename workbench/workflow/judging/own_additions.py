"""Documents that an assessor adds by hand to a topic of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import PoolEntryRow
from workbench.workflow.judging.task import own_task
from workbench.workflow.pools.additions import Added, add_by_hand


@dataclass(frozen=True, slots=True)
class OwnAddition:
    """A document that somebody added, as that person is shown it."""

    docno: str
    reason: str


def add_to_own(
    db: Session,
    assignment_id: int,
    account_id: int,
    *,
    docnos: Mapping[str, int],
    reason: str,
    source: str = "docnos",
) -> Added:
    """Add documents to the topic and pool of an assignment, by the assessor who has it.

    Whoever was given a topic may bring documents to it; a closed pool takes none. Raises as `add_by_hand`,
    and NotFound where the assignment is not this account's.
    """
    task = own_task(db, assignment_id, account_id)
    return add_by_hand(
        db,
        task.campaign.id,
        task.pool.name,
        topic=task.assignment.topic,
        docnos=docnos,
        reason=reason,
        added_by=account_id,
        source=source,
    )


def own_additions(db: Session, assignment_id: int, account_id: int) -> tuple[OwnAddition, ...]:
    """What an account added by hand to the topic and pool of its assignment, oldest first.

    Raises NotFound where the assignment is not this account's.
    """
    assignment = own_task(db, assignment_id, account_id).assignment
    entry = PoolEntryRow
    rows = db.execute(
        select(entry.docno, entry.reason)
        .where(
            entry.pool_id == assignment.pool_id,
            entry.topic == assignment.topic,
            entry.added_by == account_id,
        )
        .order_by(entry.added_at, entry.docno)
    )
    return tuple(OwnAddition(docno, reason or "") for docno, reason in rows)
