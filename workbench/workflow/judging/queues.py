"""Queues for their organiser: made from a pool, assigned, reported on, ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session
from typing_extensions import TypedDict

from workbench.errors import Conflict, NotFound, rejected
from workbench.frozen import frozen_dataclass
from workbench.storage.tables import AssessorRow, CampaignRow, PoolRow
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.assigned_work import given_topics
from workbench.workflow.judging.assignments import Distribution, distribute, to_each
from workbench.workflow.judging.desk_rules import change_rules
from workbench.workflow.judging.queue_handout import (
    LEASE_RULE,
    Numbers,
    QueueTopics,
    give_back,
    lease_minutes,
)
from workbench.workflow.judging.task import kind_of
from workbench.workflow.log import answers_by_topic
from workbench.workflow.people.membership import assessor_names
from workbench.workflow.pools.pool_rows import locked_pool, pool_row, require_not_closed, topics_of_pool

MOST_PER_PAIR = 100
SHORTEST_LEASE, LONGEST_LEASE = 1, 7 * 24 * 60


class QueueTopicJson(TypedDict):
    """A topic of a queue: pairs done, out, waiting and stuck; judgments given of those needed."""

    topic: str
    title: str
    pairs: int
    done: int
    out: int
    waiting: int
    stuck: int
    given: int
    needed: int


class OutJson(TypedDict):
    """A pair that an assessor was handed and has not answered; `abandoned` if the lease is over."""

    topic: str
    docno: str
    assessor: str
    since: str
    abandoned: bool


class QueueJson(TypedDict):
    """How far a queue has come: its pairs and judgments, by topic, and what is out."""

    pool: str
    per_pair: int
    lease_minutes: int
    pairs: int
    done: int
    waiting: int
    stuck: int
    given: int
    needed: int
    assessors: list[str]
    topics: list[QueueTopicJson]
    out: list[OutJson]


def make_queue(db: Session, campaign_id: int, name: str, per_pair: int) -> None:
    """Have assessors take the pairs of a pool from one queue, so many judgments each.

    An open pool may become one while people judge: what was judged counts. Raises NotFound, InvalidInput for
    a number out of range, Conflict for a pool that is closed or adaptive.
    """
    if not 1 <= per_pair <= MOST_PER_PAIR:
        message = f"{per_pair} judgments per pair is out of range"
        raise rejected("Queue", None, "per_pair", message, f"use 1 to {MOST_PER_PAIR}")
    row = locked_pool(db, campaign_id, name)
    require_not_closed(row)
    if kind_of(row).one_by_one:
        raise Conflict(
            f"pool {name!r} is adaptive",
            remedy="it assigns each document to one assessor by itself",
        )
    row.per_pair = per_pair
    db.flush()


def end_queue(db: Session, campaign_id: int, name: str) -> int:
    """Make a queue a pool with assignments again: to whom a topic is given has all its pairs.

    What is out is revoked; returns how many. Raises NotFound, and Conflict for a closed pool.
    """
    row = locked_pool(db, campaign_id, name)
    require_not_closed(row)
    if row.per_pair is None:
        return 0
    back = sum(give_back(db, row, topic) for topic in _topics(db, row))
    row.per_pair = None
    db.flush()
    return back


def per_pair_of(db: Session, campaign_id: int, name: str) -> int | None:
    """How many judgments of each pair a queue asks for, None where a pool is none; raises NotFound."""
    return pool_row(db, campaign_id, name).per_pair


def lease_of(db: Session, campaign_id: int) -> int:
    """After how many minutes without an answer others get what somebody was handed."""
    return lease_minutes(db.get_one(CampaignRow, campaign_id).desk_rules)


def set_lease(db: Session, campaign_id: int, minutes: int) -> None:
    """Let colleagues have what somebody was handed after so many minutes without an answer.

    It applies to all queues of a campaign. Raises InvalidInput for less than a minute or more than a week.
    """
    if not SHORTEST_LEASE <= minutes <= LONGEST_LEASE:
        message = f"a lease of {minutes} minutes is out of range"
        hint = f"{SHORTEST_LEASE} to {LONGEST_LEASE}"
        raise rejected("Queue", None, LEASE_RULE, message, hint)
    change_rules(db, db.get_one(CampaignRow, campaign_id, with_for_update=True), {LEASE_RULE: minutes})


def give_queue(db: Session, campaign_id: int, name: str, assessor_ids: Iterable[int]) -> int:
    """Assign all topics of a queue to assessors; returns how many assignments are new.

    Raises as `distribute`, and Conflict where the pool is not a queue.
    """
    row = queue_row(db, campaign_id, name)
    return distribute(db, Distribution(row.id, to_each(db, row.id, assessor_ids)))


def take_back(
    db: Session, campaign_id: int, name: str, *, assessor: str | None = None, topic: str | None = None
) -> int:
    """Take back what is out of a queue: all, or an assessor's, or a topic's; returns how many pairs.

    What is judged stays. Raises NotFound for a pool or an assessor that is not there, Conflict where the pool
    is no queue.
    """
    row = queue_row(db, campaign_id, name)
    assessor_id = None if assessor is None else _assessor(db, campaign_id, assessor)
    topics = [one for one in _topics(db, row) if topic in {None, one}]
    return sum(give_back(db, row, one, assessor_id=assessor_id) for one in topics)


def take_back_pair(
    db: Session, campaign_id: int, name: str, *, assessor_id: int, topic: str, docno: str
) -> bool:
    """Take one pair back from an assessor; False where it is not out any more. Raises as `take_back`."""
    row = queue_row(db, campaign_id, name)
    return give_back(db, row, topic, assessor_id=assessor_id, docno=docno) > 0


def _assessor(db: Session, campaign_id: int, name: str) -> int:
    found = db.scalar(
        select(AssessorRow.id).where(AssessorRow.campaign_id == campaign_id, AssessorRow.name == name)
    )
    if found is None:
        raise NotFound(f"no assessor named {name!r} in this campaign")
    return found


def _topics(db: Session, row: PoolRow) -> list[str]:
    """The topics of a pool in their order, in which everybody locks them."""
    pooled = topics_of_pool(db, row)
    return [topic for topic in topic_titles(db, row.campaign_id) if topic in pooled]


@frozen_dataclass
class QueueTopicLine:
    """A topic of a queue: how many of its pairs are done, how many wait; grades given of those needed.

    A pair is done with all its grades, and waits while somebody can still be handed it. `stuck` are those of
    the waiting that nobody to whom the topic is given can take any more. `out` counts each pair once for
    everybody who has it and has not answered.
    """

    topic: str
    title: str
    pairs: int
    done: int
    out: int
    waiting: int
    stuck: int
    given: int
    needed: int


@frozen_dataclass
class Out:
    """A pair that an assessor has and has not answered; `abandoned` says that the lease is over."""

    topic: str
    docno: str
    assessor: str
    assessor_id: int
    since: datetime
    abandoned: bool


@frozen_dataclass
class QueueReport:
    """How far a queue has come; `assessors` have some or all of its topics, by name."""

    pool: str
    per_pair: int
    lease_minutes: int
    by_topic: tuple[QueueTopicLine, ...]
    out: tuple[Out, ...]
    assessors: tuple[str, ...]

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return sum(line.pairs for line in self.by_topic)

    @property
    def done(self) -> int:
        """How many have all their grades."""
        return sum(line.done for line in self.by_topic)

    @property
    def waiting(self) -> int:
        """How many wait for somebody."""
        return sum(line.waiting for line in self.by_topic)

    @property
    def stuck(self) -> int:
        """How many wait, and nobody to whom they are given can take them."""
        return sum(line.stuck for line in self.by_topic)

    @property
    def given(self) -> int:
        """How many of the needed grades are given."""
        return sum(line.given for line in self.by_topic)

    @property
    def needed(self) -> int:
        """How many grades are needed."""
        return sum(line.needed for line in self.by_topic)


def queue_report(db: Session, campaign_id: int, name: str, *, now: datetime | None = None) -> QueueReport:
    """How far a queue has come; raises NotFound, and Conflict where the pool is not a queue."""
    row = queue_row(db, campaign_id, name)
    now = utc_now(now)
    names = assessor_names(db, campaign_id)
    given = {one.topic: one.assessors for one in given_topics(db, campaign_id) if one.pool_id == row.id}
    nobody = np.empty(0, np.int64)
    queue = QueueTopics.of(db, row, answers_by_topic(db, campaign_id), now)
    titles = topic_titles(db, campaign_id)
    in_order = [topic for topic in titles if topic in queue.pooled]
    return QueueReport(
        pool=row.name,
        per_pair=row.per_pair or 1,
        lease_minutes=lease_minutes(db.get_one(CampaignRow, campaign_id).desk_rules),
        by_topic=tuple(_line(topic, titles[topic], queue, given.get(topic, nobody)) for topic in in_order),
        out=tuple(one for topic in in_order for one in _out(topic, queue, names)),
        assessors=tuple(sorted(names[one] for one in set().union(*(who.tolist() for who in given.values())))),
    )


def _line(topic: str, title: str, queue: QueueTopics, given: Numbers) -> QueueTopicLine:
    found = queue.topic(topic)
    return QueueTopicLine(
        topic=topic,
        title=title,
        pairs=len(found.docnos),
        done=int((found.graders >= found.per_pair).sum()),
        out=len(found.open),
        waiting=int(found.waiting.sum()),
        stuck=found.stuck(given[np.isin(given, list(queue.lease.able))]),
        given=found.given,
        needed=found.needed,
    )


def _out(topic: str, queue: QueueTopics, names: Mapping[int, str]) -> list[Out]:
    abandoned = queue.abandoned(topic)
    return [
        Out(topic, one.docno, names[one.assessor_id], one.assessor_id, one.since, one in abandoned)
        for one in queue.topic(topic).open
    ]


def queue_row(db: Session, campaign_id: int, name: str) -> PoolRow:
    """The row of a queue; raises NotFound, and Conflict where the pool is none."""
    row = pool_row(db, campaign_id, name)
    if row.per_pair is None:
        raise Conflict(f"pool {name!r} is not a queue", remedy="make it a queue first")
    return row
