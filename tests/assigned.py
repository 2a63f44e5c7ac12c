"""Topics assigned within the transaction of a test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy.orm import Session

from workbench.workflow.judging.assignments import Distribution, distribute, in_turn, to_each
from workbench.workflow.judging.handout import OrderRule


def assign(
    db: Session,
    pool_id: int,
    *,
    topics: Iterable[str] | None,
    assessor_ids: Iterable[int],
    order: OrderRule = OrderRule.SHUFFLED,
    seed: int | None = None,
) -> int:
    """Assign each of these topics, or all, to each assessor; how many assignments are new."""
    people = list(assessor_ids)
    given = (
        to_each(db, pool_id, people)
        if topics is None
        else [(topic, assessor_id) for topic in topics for assessor_id in people]
    )
    return distribute(db, Distribution(pool_id, given, order, seed))


def assign_in_turn(db: Session, pool_id: int, *, assessor_ids: Sequence[int], per_topic: int = 1) -> int:
    """Assign every topic to so many of the assessors; how many assignments are new."""
    return distribute(db, Distribution(pool_id, in_turn(db, pool_id, assessor_ids, per_topic)))
