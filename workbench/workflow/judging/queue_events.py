"""Who was handed what of a queue, by topic, as this process knows it: only events since are read.

The events of a topic are numbered, and the topic is locked while one is written, so that none of a lower
number appears later.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session
from sqlalchemy.pool import Pool

from workbench.pooling.adaptive.live import Happening
from workbench.storage.engine import WRITES
from workbench.storage.tables import PoolEventRow, PoolRow, TopicRow


@dataclass(frozen=True, slots=True)
class Hold:
    """A pair that an assessor was handed and has not given back; `since` is when last."""

    docno: str
    assessor_id: int
    since: datetime


@dataclass(frozen=True, slots=True)
class TopicHandedOut:
    """What is handed out of a topic, in the order of handing out, after the event with this number."""

    number: int
    handed_out: tuple[Hold, ...]


NOTHING = TopicHandedOut(0, ())
ByTopic = Mapping[str, TopicHandedOut]


def after_events(handed_out: Iterable[Hold], events: Iterable[Any]) -> tuple[Hold, ...]:
    """What is handed out of a topic after some more of its events."""
    found = {(one.docno, one.assessor_id): one for one in handed_out}
    for row in events:
        if row.happening == Happening.HANDED_OUT:
            # Handed out once more it keeps its place: only the lease begins anew.
            found[row.docno, row.assessor_id] = Hold(row.docno, row.assessor_id, row.at)
        elif row.happening == Happening.GIVEN_BACK:
            found.pop((row.docno, row.assessor_id), None)
    return tuple(found.values())


def handed_out_of(db: Session, pool_id: int, topic: str) -> tuple[Hold, ...]:
    """What is handed out of one topic of a queue, in the order of handing out."""
    return after_events((), db.execute(_EVENTS, {"pool": pool_id, "topic": topic, "after": 0}))


def handed_out_by_topic(db: Session, pool: PoolRow) -> ByTopic:
    """What is handed out of each topic of a queue of which anything ever was."""
    newest = {
        topic: number
        for topic, number in db.execute(_NEWEST, {"pool": pool.id, "campaign": pool.campaign_id})
        if number is not None
    }
    known = {} if WRITES in db.info else _known(db, pool)
    found = {}
    for topic, number in newest.items():
        before = known.get(topic, NOTHING)
        if before.number > number:  # this transaction is behind others
            before = NOTHING
        if before.number < number:
            rows = db.execute(_EVENTS, {"pool": pool.id, "topic": topic, "after": before.number}).all()
            before = TopicHandedOut(number, after_events(before.handed_out, rows))
            if before.number > known.get(topic, NOTHING).number:
                known[topic] = before
        found[topic] = before
    return found


_EVENT = PoolEventRow
_NEWEST_OF_TOPIC = (
    select(func.max(_EVENT.number))
    .where(_EVENT.pool_id == bindparam("pool"), _EVENT.topic == TopicRow.topic)
    .scalar_subquery()
)
_NEWEST = select(TopicRow.topic, _NEWEST_OF_TOPIC).where(TopicRow.campaign_id == bindparam("campaign"))
_EVENTS = (
    select(_EVENT.happening, _EVENT.docno, _EVENT.assessor_id, _EVENT.at)
    .where(
        _EVENT.pool_id == bindparam("pool"),
        _EVENT.topic == bindparam("topic"),
        _EVENT.number > bindparam("after"),
        _EVENT.assessor_id.is_not(None),
    )
    .order_by(_EVENT.number)
)
_STORES: WeakKeyDictionary[Pool, dict[tuple[int, datetime], dict[str, TopicHandedOut]]] = WeakKeyDictionary()
_MAKING = threading.Lock()


def _known(db: Session, pool: PoolRow) -> dict[str, TopicHandedOut]:
    """What is known of a queue of this database; its moment tells it from another of the same number."""
    with _MAKING:
        return _STORES.setdefault(db.get_bind().engine.pool, {}).setdefault((pool.id, pool.created_at), {})
