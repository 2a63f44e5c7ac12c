"""Adjudication events: appended once each, never changed; what holds now is the latest event of a pair."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.storage.tables import AdjudicationEventRow


def current_adjudications(db: Session, campaign_id: int) -> tuple[AdjudicationEventRow, ...]:
    """The latest decision of every pair of a campaign that has one, in the order of the decisions.

    Those that were withdrawn are left out. The rows are for use-cases to read, not to hand on.
    """
    event = AdjudicationEventRow
    newest = (
        select(func.max(event.id).label("id"))
        .where(event.campaign_id == campaign_id)
        .group_by(event.topic, event.docno)
        .subquery()
    )
    found = (
        select(event)
        .join(newest, event.id == newest.c.id)
        .where(event.decision != "withdrawn")
        .order_by(event.id)
    )
    return tuple(db.scalars(found))


def adjudicated_grades(db: Session, campaign_id: int) -> dict[tuple[str, str], int]:
    """The grade of every (topic, docno) that an adjudicator has decided."""
    return {
        (row.topic, row.docno): row.grade
        for row in current_adjudications(db, campaign_id)
        if row.grade is not None
    }
