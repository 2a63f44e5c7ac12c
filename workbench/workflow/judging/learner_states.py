"""Learner's pools in use: what comes next, from the rankings and events so far; nothing is trained here."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.storage.tables import PoolRow
from workbench.workflow.pools.adaptive_pools import ChoiceReason
from workbench.workflow.pools.learner_pools import LearnerCandidates, candidates_of
from workbench.workflow.pools.live_reviews import LiveReview


@dataclass(frozen=True, slots=True)
class ComingDocument:
    """The document that an adaptive pool hands out next: [tag, rank] of the runs that brought it, and why."""

    docno: str
    brought_by: tuple[tuple[str, int], ...]
    best_rank: int
    reason: ChoiceReason | None = None


class LearnerStates:
    """The learner's pools that this process has in use, as `AdaptiveStates` has the others."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._pools: OrderedDict[tuple[int, str], _LearnerPool] = OrderedDict()
        self._due: set[int] = set()

    def prepare(self, db: Session, pool: PoolRow, topic: str) -> None:
        """Read a pool's candidates and a topic's events; notes where it is time for a round."""
        state = self._state(pool)
        live = state.topic(topic)
        candidates = state.listed(db, pool)
        if candidates is None:
            self._due.add(pool.campaign_id)
            return
        with live.lock:
            if live.after(db, pool, candidates).round_is_over:
                self._due.add(pool.campaign_id)

    def take_due(self) -> frozenset[int]:
        """The campaigns in which it is time for a round, since this was last asked."""
        with self._lock:
            due, self._due = frozenset(self._due), set()
            return due

    def coming(self, db: Session, pool: PoolRow, topic: str) -> ComingDocument | None:
        """The document that comes next, None where nothing is left.

        Raises Conflict while the first ranking of the topic is still made.
        """
        state = self._state(pool)
        live = state.topic(topic)
        candidates = state.listed(db, pool)
        if candidates is None:
            raise _not_ranked(topic)
        with live.lock:
            review = live.after(db, pool, candidates)
            if review.round is None:
                raise _not_ranked(topic)
            choice = review.choice()
        if choice is None:
            return None
        reason = ChoiceReason(str(choice.origin), choice.rank, choice.round, choice.score)
        return ComingDocument(candidates.docnos[choice.place], (), choice.rank, reason)

    def _state(self, pool: PoolRow) -> _LearnerPool:
        key = (pool.id, pool.created_at.isoformat())
        with self._lock:
            state = self._pools.setdefault(key, _LearnerPool())
            self._pools.move_to_end(key)
            while len(self._pools) > self._most:
                self._pools.popitem(last=False)
            return state


def _not_ranked(topic: str) -> Conflict:
    message = f"the learner is still ranking the documents of topic {topic} for the first time"
    return Conflict(message, remedy="open the topic again in a minute")


@dataclass
class _LearnerPool:
    lock: Lock = field(default_factory=Lock)
    candidates: LearnerCandidates | None = None
    topics: dict[str, LiveReview] = field(default_factory=dict)

    def listed(self, db: Session, pool: PoolRow) -> LearnerCandidates | None:
        with self.lock:
            if self.candidates is None:
                self.candidates = candidates_of(db, pool.id)
            return self.candidates

    def topic(self, name: str) -> LiveReview:
        with self.lock:
            return self.topics.setdefault(name, LiveReview(name))
