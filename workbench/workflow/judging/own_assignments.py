"""Assignments as their assessor reaches them: by account, not revoked."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.storage.tables import AssessorRow, AssignmentRow, CampaignRow, PoolRow


class OwnAssignment(NamedTuple):
    """An assignment with what it belongs to."""

    assignment: AssignmentRow
    pool: PoolRow
    campaign: CampaignRow


def own_assignment(
    db: Session, assignment_id: int, account_id: int, *, writing: bool = False
) -> OwnAssignment:
    """An assignment with its pool and campaign; raises NotFound where it is not this account's now.

    `writing` holds the pool as it is until the transaction ends: nobody closes it or takes a pair out of it.
    """
    whose = {"assignment_id": assignment_id, "account_id": account_id}
    row = db.execute(_OWN_TO_WRITE if writing else _OWN, whose).one_or_none()
    if row is None:
        raise NotFound("this is not (or no longer) assigned to you", remedy="see the list of your topics")
    return OwnAssignment(*row)


# What every request of the desk asks is put together once: that takes longer than asking it.
_OWN = (
    select(AssignmentRow, PoolRow, CampaignRow)
    .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
    .join(CampaignRow, CampaignRow.id == PoolRow.campaign_id)
    .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
    .where(
        AssignmentRow.id == bindparam("assignment_id"),
        AssessorRow.account_id == bindparam("account_id"),
        AssignmentRow.revoked_at.is_(None),
    )
)


_OWN_TO_WRITE = _OWN.with_for_update(read=True, of=PoolRow).execution_options(populate_existing=True)
