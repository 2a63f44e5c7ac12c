"""When to stop in a learner's pool: each topic's review gone through again, and what the rules say of it.

Nothing is stored and nobody is stopped: it is computed when a page or the command asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.learning.review import FurtherSample, StoppingAdvice, stopping_advice
from workbench.learning.stopping import StoppingGoal
from workbench.tables import Export
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.pools.adaptive_pools import adaptive_pool_row, totals
from workbench.workflow.pools.learner_pools import candidates_of, is_learner, review_after
from workbench.workflow.pools.pool_log import TopicFold

_POINTS = 200


@dataclass(frozen=True, slots=True)
class TopicAdvice:
    """A topic of a learner's pool as it stands; `used_up` says that its budget ended with some unread."""

    topic: str
    title: str
    advice: StoppingAdvice
    used_up: bool = False

    @property
    def curve(self) -> list[tuple[int, int]]:
        """Documents read and relevant ones found, in the order of the learner's reading; 201 at most."""
        found = self.advice.trace.found
        steps = np.unique(np.linspace(0, len(found) - 1, _POINTS + 1).astype(np.intp))
        return list(zip(steps.tolist(), found[steps].tolist(), strict=True))


def pool_advice(
    db: Session, campaign_id: int, name: str, goal: StoppingGoal, topics: Sequence[str] = ()
) -> tuple[TopicAdvice, ...]:
    """What the rules say of each topic of a learner's pool, or of these topics alone.

    Raises NotFound for an unknown pool or topic, WorkbenchError for a pool without a learner, and Conflict
    before its first ranking.
    """
    pool = adaptive_pool_row(db, campaign_id, name)
    if not is_learner(pool):
        message = f"pool {name!r} has no learner, so the rules for stopping do not apply to it"
        raise WorkbenchError(message, remedy="name a pool with the strategy learner")
    candidates = candidates_of(db, pool.id)
    if candidates is None:
        message = f"the learner is still ranking the documents of pool {name!r} for the first time"
        raise Conflict(message, remedy="ask again in a minute")
    known = totals(pool)
    unknown = [topic for topic in topics if topic not in known]
    if unknown:
        raise NotFound(f"pool {name!r} has no topic {unknown[0]!r}", remedy="name a topic of the pool")
    chosen = set(topics) or set(known)
    titles = topic_titles(db, campaign_id)
    found = []
    for topic, title in titles.items():
        if topic in chosen:
            review = review_after(TopicFold(), db, pool, topic, candidates)
            advice = stopping_advice(review, goal)
            found.append(TopicAdvice(topic, title, advice, advice.unread > 0 and review.left <= 0))
    return tuple(found)


def advice_export(topics: Sequence[TopicAdvice], further: int | None = None) -> Export:
    """One row a topic and rule for CSV; for JSON the topics with their rules, and a further sample."""
    columns = (
        *("topic", "collection", "judged", "found", "unread", "sampled", "sample_judged", "sample_relevant"),
        *("recall", "recall_low", "recall_high", "goal", "confidence"),
        *("rule", "stop_read", "stop_found", "reason"),
    )
    data = [_data(one, further) for one in topics]

    def rows() -> list[list[object]]:
        return [[{**one, **rule}.get(name) for name in columns] for one, rules in data for rule in rules]

    return Export(columns, rows, lambda: {"topics": [{**one, "rules": rules} for one, rules in data]})


def _data(of: TopicAdvice, further: int | None) -> tuple[dict[str, object], list[dict[str, object]]]:
    advice, sample, recall = of.advice, of.advice.sample, of.advice.recall
    topic: dict[str, object] = {
        "topic": of.topic,
        "collection": advice.trace.collection,
        "judged": advice.judged,
        "found": advice.found,
        "unread": advice.unread,
        "sampled": sample.drawn if sample else 0,
        "sample_judged": sample.judged if sample else 0,
        "sample_relevant": sample.relevant if sample else 0,
        "recall": recall.value,
        "recall_low": recall.low,
        "recall_high": recall.high,
        "goal": advice.goal.recall,
        "confidence": advice.goal.confidence,
    }
    more = further_sample(advice, further)
    if more is not None:
        topic["further"] = asdict(more)
    rules: list[dict[str, object]] = [
        {"rule": rule.name, "stop_read": stop.read, "stop_found": stop.found, "reason": stop.reason}
        for rule, stop in advice.stops
    ]
    return topic, rules


def further_sample(advice: StoppingAdvice, documents: int | None) -> FurtherSample | None:
    """What so many more random documents would say, or all where fewer are left; None for none."""
    most = min(documents or 0, advice.left_to_sample)
    return advice.further(most) if most > 0 else None
