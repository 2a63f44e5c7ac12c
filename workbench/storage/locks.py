"""Who may write beside whom in a campaign: the one rule of locks, taken where a transaction begins.

SQLite has one writer, so there nothing is to be locked. On PostgreSQL what changes a campaign (`change`) is
alone in it; what judges (`judge`, `answer`) goes beside other people's judging, one transaction of a person
after another. So a use-case may read, decide and write as if nobody else were there. The locks end with the
transaction, also where the process is killed.

An event gets its number under the lock of its assessor (`assessors`), which whoever appends events holds.
So the events of one assessor are committed in the order of their numbers, and the highest number of each
assessor tells all that can be seen; of several assessors' numbers a lower one may be committed later.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Integer, Select, cast, func, select
from sqlalchemy.orm import Session

from workbench.storage.tables import AssessorRow, AssignmentRow, CampaignRow

# Of PostgreSQL's advisory locks with two numbers: of what kind; the second is the campaign or the assessor.
_CAMPAIGN, _ASSESSOR = 7601, 7602
# In the `info` of a session: the assessors whose lock it has.
_LOCKED = "assessors"


def change(db: Session, campaign_id: int) -> None:
    """Wait until nobody changes or judges in a campaign, and keep it so until the transaction ends."""
    if _served(db):
        db.execute(select(func.pg_advisory_xact_lock(_CAMPAIGN, cast(campaign_id, Integer))))


def judge(db: Session, campaign_id: int, account_id: int) -> None:
    """Wait until nobody changes the campaign and no other transaction of the person judges in it."""
    if not _served(db):
        return
    person = (AssessorRow.campaign_id == CampaignRow.id) & (AssessorRow.account_id == account_id)
    # Who has never judged here is no assessor yet: of nobody there is no lock.
    own = select(CampaignRow.id, AssessorRow.id).outerjoin(AssessorRow, person)
    _take(db, own, CampaignRow.id == campaign_id)


def answer(db: Session, account_id: int, assignments: Iterable[int]) -> None:
    """As `judge`, in the campaigns of those of the assignments that are or were the person's own."""
    if not _served(db):
        return
    own = select(CampaignRow.id, AssessorRow.id).distinct().join(AssessorRow).join(AssignmentRow)
    _take(db, own, AssignmentRow.id.in_(list(assignments)) & (AssessorRow.account_id == account_id))


def _take(db: Session, own: Select[int, int], where: ColumnElement[bool]) -> None:
    """Lock campaigns beside others and their assessors alone, of a query for the numbers of both."""
    campaign, assessor = own.where(where).order_by(CampaignRow.id).subquery().columns
    beside = func.pg_advisory_xact_lock_shared(_CAMPAIGN, cast(campaign, Integer))
    found = db.execute(select(assessor, beside, _of_assessor(assessor)))
    db.info.setdefault(_LOCKED, set()).update(row[0] for row in found)


def assessors(db: Session, ids: Iterable[int]) -> None:
    """Wait until no other transaction appends events of these assessors, and keep it so until the end."""
    if not _served(db):
        return
    locked: set[int] = db.info.setdefault(_LOCKED, set())
    for number in sorted(set(ids) - locked):
        db.execute(select(_of_assessor(number)))
        locked.add(number)


def _of_assessor(number: int | ColumnElement[int]) -> ColumnElement[None]:
    return func.pg_advisory_xact_lock(_ASSESSOR, cast(number, Integer))


def _served(db: Session) -> bool:
    return db.get_bind().dialect.name == "postgresql"
