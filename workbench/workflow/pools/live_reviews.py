"""Reviews of learner's pools that a process goes on with, so that it reads each event once."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

from sqlalchemy.orm import Session

from workbench.learning.review import Review
from workbench.storage.tables import PoolRow
from workbench.workflow.pools.adaptive_pools import TopicEvent, topic_events
from workbench.workflow.pools.learner_pools import (
    LearnerCandidates,
    advance,
    review_settings,
    stored_rounds,
)


@dataclass
class LiveReview:
    """A topic's review and the last event that it has seen; `lock` it while it is used."""

    topic: str
    lock: Lock = field(default_factory=Lock)
    review: Review | None = None
    last: TopicEvent | None = None

    def after(self, db: Session, pool: PoolRow, candidates: LearnerCandidates) -> Review:
        """The review after all events in the table; raises Conflict for what cannot have happened."""
        last, review = self.last, self.review
        events = topic_events(db, pool.id, self.topic, since=last.number if last else 0)
        settings = review_settings(pool)
        undone = last is not None and next(iter(events), None) != last
        if review is None or undone or review.settings != settings:
            # Cold, or the transaction in which the last event was seen was undone, or the budget was raised.
            last, review = None, Review(len(candidates.docnos), self.topic, settings)
            events = topic_events(db, pool.id, self.topic)
        # Until all has happened it is nobody's: an error half-way must not leave a half.
        self.review = None
        first = 0 if review.round is None else review.round.number + 1
        rounds = stored_rounds(db, pool.id, self.topic, first=first)
        if rounds and last is not None and rounds[0].since < last.number:
            # A round of which this did not know when it saw the events after it.
            last, review = None, Review(len(candidates.docnos), self.topic, settings)
            events = topic_events(db, pool.id, self.topic)
            rounds = stored_rounds(db, pool.id, self.topic)
        advance(review, candidates, events, rounds, after=last.number if last else 0)
        self.last = events[-1] if events else last
        self.review = review
        return review
