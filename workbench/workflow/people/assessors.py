"""The assessors of a campaign: people with or without an account, and machines."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import AssessorRow


@dataclass(frozen=True, slots=True)
class AssessorLine:
    """An assessor of a campaign: a person with or without an account, or a machine."""

    id: int
    name: str
    machine: bool
    has_account: bool


def assessors_of(db: Session, campaign_id: int) -> tuple[AssessorLine, ...]:
    """The assessors of a campaign, by name; machines and people with imported judgments have no account."""
    rows = db.scalars(
        select(AssessorRow).where(AssessorRow.campaign_id == campaign_id).order_by(AssessorRow.name)
    )
    return tuple(AssessorLine(r.id, r.name, r.machine, r.account_id is not None) for r in rows)


def assessor_names(db: Session, campaign_id: int) -> dict[int, str]:
    """The names of a campaign's assessors, people and machines, by id."""
    names = select(AssessorRow.id, AssessorRow.name).where(AssessorRow.campaign_id == campaign_id)
    return dict(db.execute(names).all())
