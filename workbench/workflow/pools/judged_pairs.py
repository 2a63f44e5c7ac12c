"""Which pairs of a campaign are pooled, and which a person has graded."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.events import CurrentEvent, current_events
from workbench.storage.tables import AssessorRow
from workbench.workflow.pools.pooled_topics import opened_by_topic


def pooled_pairs(db: Session, campaign_id: int) -> int:
    """How many different pairs the pools of a campaign have, drafts left out."""
    return sum(one.count for one in opened_by_topic(db, campaign_id).values())


def graded_by_people(db: Session, campaign_id: int) -> set[tuple[str, str]]:
    """The (topic, docno) pairs, pooled or not, that a person has graded."""
    return set(highest_grades(db, campaign_id))


def highest_grades(db: Session, campaign_id: int) -> dict[tuple[str, str], int]:
    """The highest grade that a person has given, by (topic, docno), pooled or not."""
    highest: dict[tuple[str, str], int] = {}
    for event in events_of_people(db, campaign_id, current_events(db, campaign_id)):
        if event.grade is not None:
            pair = (event.topic, event.docno)
            highest[pair] = max(event.grade, highest.get(pair, event.grade))
    return highest


def events_of_people(
    db: Session, campaign_id: int, events: tuple[CurrentEvent, ...]
) -> tuple[CurrentEvent, ...]:
    """The events among these that people, not machines, made."""
    machines = set(
        db.scalars(select(AssessorRow.id).where(AssessorRow.campaign_id == campaign_id, AssessorRow.machine))
    )
    return tuple(event for event in events if event.assessor_id not in machines)
