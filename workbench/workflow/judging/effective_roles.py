"""The roles that count now: while an assessor has unfinished work, their other roles are suspended."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import MemberRow
from workbench.workflow.judging.assignments import left_to_judge
from workbench.workflow.judging.preference_tasks import left_to_compare
from workbench.workflow.people.roles import Role


def roles_of(db: Session, campaign_id: int, account_id: int) -> frozenset[Role]:
    """The roles that count now.

    An assessor with unfinished work is nothing else meanwhile: agreement, qrels and scores would show what
    colleagues said. Only an organiser always sees everything.
    """
    held = frozenset(
        Role(role)
        for role in db.scalars(
            select(MemberRow.role).where(
                MemberRow.campaign_id == campaign_id, MemberRow.account_id == account_id
            )
        )
    )
    if Role.ASSESSOR not in held or Role.ORGANISER in held or len(held) == 1:
        return held
    unfinished = left_to_judge(db, campaign_id, account_id) or left_to_compare(db, campaign_id, account_id)
    return frozenset({Role.ASSESSOR}) if unfinished else held
