"""How far a queue has come, and what is out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.storage.tables import AssignmentRow, CampaignRow, PoolRow
from workbench.workflow.campaigns.names import assessor_names, topic_titles
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.queue_topics import QueueTopic, is_queue, lease_minutes, queue_topics
from workbench.workflow.pools.pool_rows import pool_row


@dataclass(frozen=True, slots=True)
class QueueTopicLine:
    """A topic of a queue: how many of its pairs are done, how many wait; grades given of those wanted.

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
    wanted: int


@dataclass(frozen=True, slots=True)
class Out:
    """A pair that an assessor has and has not answered; `abandoned` says that the lease is over."""

    topic: str
    docno: str
    assessor: str
    assessor_id: int
    since: datetime
    abandoned: bool


@dataclass(frozen=True, slots=True)
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
        """How many of the wanted grades are given."""
        return sum(line.given for line in self.by_topic)

    @property
    def wanted(self) -> int:
        """How many grades are wanted."""
        return sum(line.wanted for line in self.by_topic)


def queue_report(db: Session, campaign_id: int, name: str, *, now: datetime | None = None) -> QueueReport:
    """How far a queue has come; raises NotFound, and Conflict where the pool is no queue."""
    row = queue_row(db, campaign_id, name)
    now = utc_now(now)
    names = assessor_names(db, campaign_id)
    given: dict[str, set[int]] = {}
    assigned = select(AssignmentRow.topic, AssignmentRow.assessor_id).where(
        AssignmentRow.pool_id == row.id, AssignmentRow.revoked_at.is_(None)
    )
    for topic, assessor_id in db.execute(assigned):
        given.setdefault(topic, set()).add(assessor_id)
    found = {topic: queue for (_, topic), queue in queue_topics(db, [row]).items()}
    titles = topic_titles(db, campaign_id)
    in_order = [topic for topic in titles if topic in found]
    return QueueReport(
        pool=row.name,
        per_pair=row.per_pair or 1,
        lease_minutes=lease_minutes(db.get_one(CampaignRow, campaign_id).desk_rules),
        by_topic=tuple(
            _line(topic, titles[topic], found[topic], given.get(topic, set())) for topic in in_order
        ),
        out=tuple(one for topic in in_order for one in _out(topic, found[topic], names, now)),
        assessors=tuple(sorted(names[one] for one in set().union(*given.values()))),
    )


def _line(topic: str, title: str, queue: QueueTopic, given: set[int]) -> QueueTopicLine:
    done = {docno for docno, graders in queue.graders.items() if len(graders) >= queue.per_pair}
    waiting = {
        docno for docno, takers in queue.takers.items() if docno not in done and len(takers) < queue.per_pair
    }
    stuck = sum(not given - queue.said[docno].keys() - queue.takers[docno] for docno in waiting)
    return QueueTopicLine(
        topic=topic,
        title=title,
        pairs=len(queue.entries),
        done=len(done),
        out=len(queue.open),
        waiting=len(waiting),
        stuck=stuck,
        given=sum(min(len(graders), queue.per_pair) for graders in queue.graders.values()),
        wanted=queue.per_pair * len(queue.entries),
    )


def _out(topic: str, queue: QueueTopic, names: Mapping[int, str], now: datetime) -> list[Out]:
    abandoned = set(queue.abandoned(now))
    return [
        Out(topic, one.docno, names[one.assessor_id], one.assessor_id, one.since, one in abandoned)
        for one in queue.open
    ]


def queue_row(db: Session, campaign_id: int, name: str) -> PoolRow:
    """The row of a queue; raises NotFound, and Conflict where the pool is none."""
    row = pool_row(db, campaign_id, name)
    if not is_queue(row):
        raise Conflict(f"pool {name!r} is no queue", remedy="make it one first")
    return row
