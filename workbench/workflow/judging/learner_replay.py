"""A learner's pool gone through again: every model trained, every ranking and every choice made anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.learning.review import Review, next_round
from workbench.learning.vectors import Vectors, topic_text, vectors_of
from workbench.pooling.adaptive.live import Happening
from workbench.storage.tables import CampaignRow, PoolRow, TopicRow
from workbench.workflow.campaigns.collection import as_topic
from workbench.workflow.pools.adaptive_pools import ChoiceReason, PoolEventLine, TopicEvent, topic_events
from workbench.workflow.pools.learner_pools import (
    LearnerCandidates,
    StoredRound,
    apply,
    candidates_of,
    review_settings,
    stored_rounds,
)
from workbench.workflow.pools.learner_rounds import texts_of


@dataclass
class ReplayedLearner:
    """A pool with its documents as vectors; counts the rankings made again, and those that could not be.

    `differences` has what is not as it comes out, in words.
    """

    db: Session
    pool: PoolRow
    candidates: LearnerCandidates
    vectors: Vectors
    changes: int
    made_again: int = 0
    left: int = 0
    differences: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, db: Session, pool: PoolRow) -> ReplayedLearner:
        """A pool to be gone through; raises Conflict where its candidates are not here."""
        candidates = candidates_of(db, pool.id)
        if candidates is None:
            message = f"the rankings of pool {pool.name!r} are not here"
            raise Conflict(message, remedy="replay it where it was judged; a release has its events alone")
        changes = db.get_one(CampaignRow, pool.campaign_id).document_changes
        vectors = vectors_of(texts_of(db, pool.campaign_id, candidates.docnos))
        return cls(db, pool, candidates, vectors, changes)

    def topic(self, topic: str, lines: Sequence[PoolEventLine]) -> Iterator[str | None]:
        """Go through a topic's events; yields for each how it is not what comes out, None if it is."""
        review = Review(len(self.candidates.docnos), topic, review_settings(self.pool))
        rounds = list(stored_rounds(self.db, self.pool.id, topic))
        self._go_on(review, topic, rounds, 0)
        for event, line in zip(topic_events(self.db, self.pool.id, topic), lines, strict=True):
            yield self._event(review, event, line)
            self._go_on(review, topic, rounds, event.number)

    def _go_on(self, review: Review, topic: str, rounds: list[StoredRound], number: int) -> None:
        """Make the rankings again that knew just the events up to this number, and begin those due."""
        while rounds:
            if rounds[0].known == number:
                self._rank(review, topic, rounds[0])
            if rounds[0].since != number:
                return
            review.begin(rounds.pop(0).round)

    def _rank(self, review: Review, topic: str, stored: StoredRound) -> None:
        if stored.document_changes != self.changes:
            self.left += 1
            return
        row = self.db.get_one(TopicRow, (self.pool.campaign_id, topic))
        vector = self.vectors.vector(topic_text(as_topic(row)))
        again = next_round(review, self.vectors, vector, review_settings(self.pool))
        self.made_again += 1
        if again.batch != stored.round.batch or not np.array_equal(again.places, stored.round.places):
            self.differences.append(f"topic {topic}: round {stored.round.number} ranks other documents")

    def _event(self, review: Review, event: TopicEvent, line: PoolEventLine) -> str | None:
        differs = None
        if event.happening == Happening.HANDED_OUT:
            choice = review.choice()
            docno = None if choice is None else self.candidates.docnos[choice.place]
            reason = choice and ChoiceReason(str(choice.origin), choice.rank, choice.round, choice.score)
            if docno != event.docno:
                differs = f"not {event.docno} but {docno or 'nothing'} comes next"
            elif reason != line.reason:
                differs = f"{event.docno} comes for another reason"
        try:
            apply(review, self.candidates, event)
        except Conflict as error:
            return str(error)
        return differs
