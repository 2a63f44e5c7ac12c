"""What the topics and the assessors of a campaign are called."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import AssessorRow, TopicRow


def topic_titles(db: Session, campaign_id: int) -> dict[str, str]:
    """The titles of a campaign's topics by their ids, in the order of the topics."""
    titles = (
        select(TopicRow.topic, TopicRow.title)
        .where(TopicRow.campaign_id == campaign_id)
        .order_by(TopicRow.position)
    )
    return dict(db.execute(titles).all())


def assessor_names(db: Session, campaign_id: int) -> dict[int, str]:
    """The names of a campaign's assessors, people and machines, by their numbers."""
    names = select(AssessorRow.id, AssessorRow.name).where(AssessorRow.campaign_id == campaign_id)
    return dict(db.execute(names).all())
