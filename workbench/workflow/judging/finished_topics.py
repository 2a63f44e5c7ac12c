"""Finished topics: everybody who was asked has judged every document; webhooks are told of them.

Nothing of this happens as a judgment is saved: whoever sends webhooks looks from time to time, and what was
found finished is stored, so that each topic is told once, and again only if it was open again meanwhile.
"""

from __future__ import annotations

from collections.abc import Set
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from workbench.records import id_bytes
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow, FinishedTopicRow, PoolRow
from workbench.workflow.judging.assigned_work import handed_documents
from workbench.workflow.judging.given_topics import given_topics
from workbench.workflow.pools.current_answers import answers_by_topic
from workbench.workflow.webhooks.outbox import EventType, add_event
from workbench.workflow.webhooks.webhooks import campaigns_listening


def finished_topics(db: Session, campaign_id: int) -> frozenset[str]:
    """The topics whose assessors have answered every document that they were asked for.

    Over all pools, closed ones too, without drafts. A topic that is assigned to nobody is not finished, nor
    is one of which somebody can still be handed documents.
    """
    opened = select(PoolRow.id).where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    pools = set(db.scalars(opened))
    given = [one for one in given_topics(db, campaign_id) if one.pool_id in pools]
    if not given:
        return frozenset()
    handed = handed_documents(db, {one.pool_id for one in given}, answers_by_topic(db, campaign_id))
    begun, unfinished = set(), set()
    for one in given:
        if one.topic in unfinished:
            continue
        shares = handed.shares(one.pool_id, one.topic, one.assessors)
        if (shares.answered < shares.has).any() or shares.left.any():
            unfinished.add(one.topic)
        elif shares.answered.any():
            begun.add(one.topic)
    return frozenset(begun - unfinished)


def announce_finished_topics(database: Database, *, now: datetime | None = None) -> int:
    """Tell the webhooks that ask for it of topics that were finished since; gives how many those are."""
    with database.reading() as db:
        looked_at = {
            campaign_id: (finished_topics(db, campaign_id), _known(db, campaign_id))
            for campaign_id in campaigns_listening(db, EventType.TOPIC_FINISHED)
        }
    announced = 0
    for campaign_id, (finished, known) in looked_at.items():
        if finished == known:
            continue
        with database.writing() as db:
            if db.get(CampaignRow, campaign_id, with_for_update=True) is None:
                continue
            # Another process may have seen more, or less: only what changed before these eyes is noted.
            found = sorted(finished - known - _known(db, campaign_id), key=id_bytes)
            _forget(db, campaign_id, known - finished)
            db.add_all(FinishedTopicRow(campaign_id=campaign_id, topic=topic) for topic in found)
            for topic in found:
                add_event(db, campaign_id, EventType.TOPIC_FINISHED, {"topic": topic}, now=now)
        announced += len(found)
    return announced


def begin_announcing(db: Session, campaign_id: int, finished: Set[str]) -> None:
    """Note topics that were finished before anybody was to be told of them."""
    _forget(db, campaign_id, _known(db, campaign_id))
    db.add_all(FinishedTopicRow(campaign_id=campaign_id, topic=topic) for topic in finished)
    db.flush()


def _known(db: Session, campaign_id: int) -> frozenset[str]:
    chosen = select(FinishedTopicRow.topic).where(FinishedTopicRow.campaign_id == campaign_id)
    return frozenset(db.scalars(chosen))


def _forget(db: Session, campaign_id: int, topics: Set[str]) -> None:
    for topic in topics:
        db.execute(
            delete(FinishedTopicRow).where(
                FinishedTopicRow.campaign_id == campaign_id, FinishedTopicRow.topic == topic
            )
        )
