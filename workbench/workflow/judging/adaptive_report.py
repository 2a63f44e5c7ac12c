"""How far an adaptive pool has come, and what is out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from workbench.pooling.adaptive.live import Happening
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.judging.adaptive_handout import AdaptiveHandout
from workbench.workflow.people.assessors import assessor_names
from workbench.workflow.pools.adaptive_pools import adaptive_pool_row, pool_events

CUTOFFS = (5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True)
class LiveTopicLine:
    """A topic of an adaptive pool; `found` has the relevant documents among the first so many judged.

    One number for each of the report's cut-offs; None where not so many are judged yet.
    """

    topic: str
    title: str
    total: int
    handed_out: int
    answered: int
    relevant: int
    found: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class OutNow:
    """A document that an assessor has and has not answered."""

    topic: str
    docno: str
    assessor: str
    since: datetime


@dataclass(frozen=True, slots=True)
class LiveReport:
    """How far an adaptive pool has come."""

    cutoffs: tuple[int, ...]
    by_topic: tuple[LiveTopicLine, ...]
    out: tuple[OutNow, ...]

    @property
    def total(self) -> int:
        """How many documents are asked for at most."""
        return sum(line.total for line in self.by_topic)

    @property
    def handed_out(self) -> int:
        """How many documents are, or were, before an assessor."""
        return sum(line.handed_out for line in self.by_topic)

    @property
    def answered(self) -> int:
        """How many documents have an answer of any kind."""
        return sum(line.answered for line in self.by_topic)

    @property
    def relevant(self) -> int:
        """How many documents were judged relevant."""
        return sum(line.relevant for line in self.by_topic)


def live_report(db: Session, campaign_id: int, name: str) -> LiveReport:
    """How far an adaptive pool has come; raises NotFound, and WorkbenchError where it is not adaptive."""
    pool = adaptive_pool_row(db, campaign_id, name)
    titles = topic_titles(db, campaign_id)
    names = assessor_names(db, campaign_id)
    by_topic = AdaptiveHandout.by_topic(db, pool)
    most = max((_answered(ledger) for ledger in by_topic.values()), default=0)
    cutoffs = tuple(cut for cut in CUTOFFS if cut <= most)
    # The documents of each topic in the order in which they were answered first.
    order: dict[str, dict[str, None]] = {}
    for event in pool_events(db, campaign_id, name):
        if event.happening == Happening.JUDGED:
            order.setdefault(event.topic, {}).setdefault(event.docno)
    return LiveReport(
        cutoffs,
        tuple(
            _topic_line(topic, title, by_topic[topic], order.get(topic, {}), cutoffs)
            for topic, title in titles.items()
            if topic in by_topic
        ),
        tuple(
            OutNow(topic, one.docno, names[one.assessor_id], one.since)
            for topic in titles
            if topic in by_topic
            for one in by_topic[topic].handed_out
            if not one.answered
        ),
    )


def _topic_line(
    topic: str, title: str, ledger: AdaptiveHandout, order: Iterable[str], cutoffs: tuple[int, ...]
) -> LiveTopicLine:
    relevant = {one.docno: one.relevant is True for one in ledger.handed_out if one.answered}
    in_order = [relevant[docno] for docno in order if docno in relevant]
    return LiveTopicLine(
        topic=topic,
        title=title,
        total=ledger.total,
        handed_out=len(ledger.handed_out),
        answered=len(in_order),
        relevant=sum(in_order),
        found=tuple(sum(in_order[:cut]) if len(in_order) >= cut else None for cut in cutoffs),
    )


def _answered(ledger: AdaptiveHandout) -> int:
    return sum(one.answered for one in ledger.handed_out)
