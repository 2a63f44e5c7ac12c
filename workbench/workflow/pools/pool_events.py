"""The events of adaptive pools, written: numbered without a gap in each topic, whoever writes at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from workbench.pooling.adaptive.events import Event, Happening
from workbench.storage.tables import PoolEventRow, TopicRow


def lock_topic(db: Session, campaign_id: int, topic: str) -> None:
    """Wait until no other transaction hands out or takes answers in this topic, and keep others out.

    SQLite has one writer anyway.
    """
    db.execute(
        select(TopicRow.topic)
        .where(TopicRow.campaign_id == campaign_id, TopicRow.topic == topic)
        .with_for_update()
    )


def append_pool_event(
    db: Session,
    pool_id: int,
    event: Event,
    *,
    assessor_id: int | None = None,
    judgment_event_id: int | None = None,
) -> None:
    """Append what happened; the topic is locked (`lock_topic`)."""
    append_pool_events(db, pool_id, [event], assessor_id=assessor_id, judgment_event_id=judgment_event_id)


def append_pool_events(
    db: Session,
    pool_id: int,
    events: Sequence[Event],
    *,
    assessor_id: int | None = None,
    judgment_event_id: int | None = None,
) -> None:
    """Append what happened, in order; the topics are locked."""
    if not events:
        return
    numbers = _last_numbers(db, pool_id, {event.topic for event in events})
    now = datetime.now(UTC)
    rows: list[dict[str, Any]] = []
    for event in events:
        numbers[event.topic] = numbers.get(event.topic, 0) + 1
        rows.append(
            {
                "pool_id": pool_id,
                "topic": event.topic,
                "number": numbers[event.topic],
                "happening": str(event.happening),
                "docno": event.docno,
                "relevant": event.relevant if event.happening is Happening.JUDGED else None,
                "assessor_id": assessor_id,
                "judgment_event_id": judgment_event_id,
                "at": now,
            }
        )
    db.execute(insert(PoolEventRow), rows)


def _last_numbers(db: Session, pool_id: int, topics: Iterable[str]) -> dict[str, int]:
    event = PoolEventRow
    return dict(
        db.execute(
            select(event.topic, func.max(event.number))
            .where(event.pool_id == pool_id, event.topic.in_(list(topics)))
            .group_by(event.topic)
        ).all()
    )
