"""Who may write beside whom in a campaign: the one rule of locks, taken where a transaction begins.

SQLite has one writer, so there nothing is to be locked. On PostgreSQL what changes a campaign (`change`) is
alone in it; what judges (`judge`, `answer`) goes beside other people's judging, one transaction of a person
after another. So a use-case may read, decide and write as if nobody else were there. The locks end with the
transaction, also where the process is killed.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Integer, Text, cast, func, literal, select
from sqlalchemy.orm import Session

from workbench.storage.tables import AssessorRow, AssignmentRow

# Of PostgreSQL's advisory locks with two numbers these are of this kind; the second is the campaign.
_KIND = 7601


def change(db: Session, campaign_id: int) -> None:
    """Wait until nobody changes or judges in a campaign, and keep it so until the transaction ends."""
    if _served(db):
        db.execute(select(func.pg_advisory_xact_lock(_KIND, cast(campaign_id, Integer))))


def judge(db: Session, campaign_id: int, account_id: int) -> None:
    """Wait until nobody changes the campaign and no other transaction of the person judges in it."""
    if _served(db):
        person = func.hashtextextended(f"{campaign_id} {account_id}", _KIND)
        beside = func.pg_advisory_xact_lock_shared(_KIND, cast(campaign_id, Integer))
        db.execute(select(beside, func.pg_advisory_xact_lock(person)))


def answer(db: Session, account_id: int, assignments: Iterable[int]) -> None:
    """As `judge`, in the campaigns of those of the assignments that are or were the person's own."""
    if not _served(db):
        return
    own = (
        select(AssessorRow.campaign_id)
        .distinct()
        .join(AssignmentRow, AssignmentRow.assessor_id == AssessorRow.id)
        .where(AssignmentRow.id.in_(list(assignments)), AssessorRow.account_id == account_id)
        .order_by(AssessorRow.campaign_id)
        .subquery()
    )
    person = func.hashtextextended(cast(own.c.campaign_id, Text) + literal(f" {account_id}"), _KIND)
    beside = func.pg_advisory_xact_lock_shared(_KIND, cast(own.c.campaign_id, Integer))
    db.execute(select(beside, func.pg_advisory_xact_lock(person)))


def _served(db: Session) -> bool:
    return db.get_bind().dialect.name == "postgresql"
