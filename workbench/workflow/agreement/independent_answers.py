"""Answers as they were before a discussion: what assessors said of a pair without having seen one another's.

A pair that was returned to its assessors shows them each other's opinions. What an assessor had answered when
the pair was returned first was said independently; whatever came afterwards was not, however it was given.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from workbench.storage.events import CURRENT_PURPOSES, DISCUSSION, WITHDRAWN
from workbench.storage.tables import AdjudicationEventRow, JudgmentEventRow
from workbench.workflow.log import answers_by_topic

RETURNED = "back"
Pair = tuple[str, str]
GivenAnswer = tuple[str, int | None]
"""An answer, and its grade where it is one."""


def discussed_answers(db: Session, campaign_id: int) -> Mapping[tuple[int, Pair], GivenAnswer]:
    """What each assessor, by number, had answered about a pair when it was returned to them first.

    A pair that was returned by mistake, and withdrawn before anybody answered, was not discussed. Of a
    discussion held elsewhere, and of assessors who had not answered when a pair was returned, it is the
    answer before their first one in the discussion; where there is none, that answer is withdrawn.
    """
    event = AdjudicationEventRow
    rows = db.execute(
        select(event.topic, event.docno, event.decision, event.seen)
        .where(event.campaign_id == campaign_id, event.decision.in_([RETURNED, WITHDRAWN]))
        .order_by(event.id)
    ).all()
    found: dict[Pair, dict[int, GivenAnswer]] = {}
    undone: set[Pair] = set()
    for topic, docno, decision, seen in rows:
        pair = (topic, docno)
        if decision == WITHDRAWN:
            undone |= {pair} & found.keys()
            continue
        undone.discard(pair)
        for _, assessor_id, answer, grade in seen:
            found.setdefault(pair, {}).setdefault(assessor_id, (answer, grade))
    undone -= _discussed_pairs(db, campaign_id) if undone else set()
    returned = {
        (assessor_id, pair): given
        for pair, of_pair in found.items()
        if pair not in undone
        for assessor_id, given in of_pair.items()
    }
    # Where nobody discussed anything, all events would be read to find none.
    spoken = anything_discussed(db, campaign_id)
    return (_before_own_first(db, campaign_id) if spoken else {}) | returned


def _before_own_first(db: Session, campaign_id: int) -> dict[tuple[int, Pair], GivenAnswer]:
    """What each assessor had answered about a pair just before the first answer in a discussion."""
    event, earlier = JudgmentEventRow, aliased(JudgmentEventRow)
    own = (event.assessor_id, event.topic, event.docno)
    first = (
        select(*own, func.min(event.id).label("first"))
        .where(event.campaign_id == campaign_id, event.purpose == DISCUSSION)
        .group_by(*own)
        .subquery()
    )
    rows = db.execute(
        select(first.c.assessor_id, first.c.topic, first.c.docno, earlier.answer, earlier.grade)
        .outerjoin(
            earlier,
            (earlier.campaign_id == campaign_id)
            & (earlier.assessor_id == first.c.assessor_id)
            & (earlier.topic == first.c.topic)
            & (earlier.docno == first.c.docno)
            & (earlier.purpose.in_(CURRENT_PURPOSES))
            & (earlier.id < first.c.first),
        )
        .order_by(earlier.id)
    )
    # Of several earlier answers the last one stays.
    return {
        (who, (topic, docno)): (WITHDRAWN if answer is None else answer, grade)
        for who, topic, docno, answer, grade in rows
    }


def _discussed_pairs(db: Session, campaign_id: int) -> set[Pair]:
    """The pairs about which anybody has answered in a discussion."""
    event = JudgmentEventRow
    if not anything_discussed(db, campaign_id):
        return set()
    rows = db.execute(
        select(event.topic, event.docno)
        .where(event.campaign_id == campaign_id, event.purpose == DISCUSSION)
        .distinct()
    )
    return {(topic, docno) for topic, docno in rows}


def anything_discussed(db: Session, campaign_id: int) -> bool:
    """Whether anybody has answered in a discussion."""
    return any(one.discussed for one in answers_by_topic(db, campaign_id).values())


def discussions_version(db: Session, campaign_id: int) -> int:
    """What identifies the pairs returned so far: as long as it is equal, so are they."""
    newest = select(func.max(AdjudicationEventRow.id)).where(AdjudicationEventRow.campaign_id == campaign_id)
    return db.scalar(newest) or 0
