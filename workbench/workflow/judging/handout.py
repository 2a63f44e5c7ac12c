"""Handouts: which documents of a topic an assessor has, in which order, and what an answer does to that.

A pool hands out its documents in one of three ways: all of them in the assessor's order (`FixedHandout`), one
by one as a strategy chooses (`AdaptiveHandout`), or a few ahead from a queue (`QueueHandout`). Only
`task.kind_of` asks which.

To add a way: a module with a subclass of `Handout`, and a line there.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Hashable, Iterable, Sequence
from enum import StrEnum
from typing import ClassVar, Self, overload

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
from workbench.storage.events import CurrentEvent, current_events
from workbench.storage.tables import AssignmentRow, PoolEntryRow, PoolRow
from workbench.workflow.caching import Cache
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.pools.pool_rows import contents_of

Entry = tuple[str, int | None, int]
"""A pair as orders read it: docno, best rank, number of runs that brought it."""


class Handout:
    """One topic of a pool as it is handed to assessors; what changes it locks the topic and reads it anew.

    What a way does not say otherwise: everybody has all documents, and nothing is handed out or taken back.
    """

    one_by_one: ClassVar[bool] = False
    """Whether the next document is chosen by the answer to the one before, so that nothing is sent ahead.

    Then the assignment's order rule does not count.
    """
    in_batches: ClassVar[bool] = False
    """Whether a few documents at a time come, and more when these are answered.

    Then an answer may come for a document that the assessor does not have any more.
    """
    has_quality_checks: ClassVar[bool] = False
    """Whether repeats, planted pairs and training may come among the documents."""

    @classmethod
    def load(cls, db: Session, pool: PoolRow, topic: str) -> Self:
        """A topic of a pool of this kind."""
        raise NotImplementedError

    def documents(self, assignment: AssignmentRow) -> Sequence[str]:
        """What an assessor to whom the topic is assigned has of it, in the order in which it is seen."""
        raise NotImplementedError

    @property
    def most(self) -> int:
        """How many documents the topic hands out, whoever gets them."""
        return 0

    def left(self, assessor_id: int) -> int:
        """How many more an assessor can be handed now; none of a closed pool."""
        return 0

    @staticmethod
    def accept(db: Session, pool: PoolRow, assignment: AssignmentRow, docno: str, answer: str) -> None:
        """Make room for an answer that is about to be recorded; raises NotFound, Conflict where it cannot."""

    @staticmethod
    def take(db: Session, pool: PoolRow, event: CurrentEvent) -> None:
        """Take in what an assessor now says of a document of the pool."""

    @staticmethod
    def take_back(db: Session, pool: PoolRow, assignment: AssignmentRow) -> None:
        """Take back what an assessor has and has not answered, so that others can get it."""

    @staticmethod
    def prepare(db: Session, states: AdaptiveStates, pool: PoolRow, assignment: AssignmentRow) -> bool:
        """Whether `hand_out` has something to do; changes nothing, and does all that takes its time."""
        return False

    @staticmethod
    def hand_out(
        db: Session, states: AdaptiveStates, pool: PoolRow, assignment: AssignmentRow
    ) -> tuple[str, ...]:
        """Hand the next documents of an open pool to an assessor; returns those that are waiting or new."""
        return ()


@frozen_dataclass
class FixedHandout(Handout):
    """A topic of a pool whose every assessor gets all pairs."""

    has_quality_checks: ClassVar[bool] = True

    db: Session
    pool: PoolRow
    topic: str

    @classmethod
    def load(cls, db: Session, pool: PoolRow, topic: str) -> Self:
        """Nothing is read where the order is known already."""
        return cls(db, pool, topic)

    def documents(self, assignment: AssignmentRow) -> Sequence[str]:
        """All that are pooled, in the assignment's order, as it is known since the pool's pairs changed.

        What was taken over from others is without their answers.
        """
        rule, seed = OrderRule(assignment.order_rule), assignment.seed

        def read() -> KnownOrder:
            entries = entries_of(self.db, self.pool.id, self.topic)
            return KnownOrder(in_order(entries, topic=self.topic, rule=rule, seed=seed))

        known = _KNOWN.get((self.pool.id, contents_of(self.pool), self.topic, rule, seed), read)
        if not assignment.rest_of:
            return known
        answers = current_events(
            self.db, self.pool.campaign_id, assessor_ids=assignment.rest_of, topic=self.topic
        )
        answered = {event.docno for event in answers}
        return [docno for docno in known if docno not in answered]


def entries_of(db: Session, pool_id: int, topic: str) -> list[Entry]:
    """The pairs of a topic of a pool."""
    rows = db.connection().execute(_ENTRIES, {"pool_id": pool_id, "topic": topic})
    return [(docno, rank, runs) for docno, rank, runs in rows]


class KnownOrder(Sequence[str]):
    """Docnos in the order in which an assessor sees them; finding one takes no longer in a large topic."""

    def __init__(self, docnos: Iterable[str]) -> None:
        self._docnos = tuple(docnos)
        self._places = {docno: place for place, docno in enumerate(self._docnos)}

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return self._docnos[place]

    def __len__(self) -> int:
        return len(self._docnos)

    def __contains__(self, docno: object) -> bool:
        return docno in self._places

    def index(self, docno: str, start: int = 0, stop: int | None = None) -> int:
        """The place of a docno (from 0); raises ValueError where it has none."""
        found = self._places.get(docno)
        if found is None or found < start or (stop is not None and found >= stop):
            raise ValueError(f"{docno!r} is not in the order")
        return found


_KNOWN: Cache[Hashable, KnownOrder] = Cache(10_000, bytes_of=lambda one: 150 * len(one), room=32 * 2**20)
"""A hundred assessors in topics of 2,000 pairs each; one topic larger than that is known all the same."""
# What every saved answer asks is put together once: that takes longer than asking it.
_ENTRIES = select(PoolEntryRow.docno, PoolEntryRow.best_rank, PoolEntryRow.run_count).where(
    PoolEntryRow.pool_id == bindparam("pool_id"), PoolEntryRow.topic == bindparam("topic")
)


class OrderRule(StrEnum):
    """In which order an assessor sees the pairs of a topic."""

    SHUFFLED = "shuffled"
    DOCNO = "docno"
    PRIORITY = "priority"

    @property
    def description(self) -> str:
        """What the rule does, in one line."""
        return ORDER_RULES[self]


ORDER_RULES = {
    OrderRule.SHUFFLED: "shuffled for each assessor with a stored seed, so that ranks stay hidden",
    OrderRule.DOCNO: "by docno, as NIST does",
    OrderRule.PRIORITY: "best rank first, then the number of contributing runs",
}


def in_order(
    entries: Iterable[tuple[str, int | None, int]], *, topic: str, rule: OrderRule, seed: int
) -> list[str]:
    """The docnos of a topic's (docno, best rank, runs) in the order in which an assessor sees them.

    What no run brought has no rank and comes last by priority.

    The shuffle sorts by SHA-256 of seed, topic and docno: the same in every version and on every machine, and
    a document that joins later moves no other.
    """
    if rule is OrderRule.DOCNO:
        return sorted((docno for docno, _, _ in entries), key=id_bytes)
    if rule is OrderRule.PRIORITY:
        ranked = sorted(entries, key=lambda entry: (entry[1] or sys.maxsize, -entry[2], id_bytes(entry[0])))
        return [docno for docno, _, _ in ranked]

    def lot(docno: str) -> bytes:
        return hashlib.sha256(b"\0".join([str(seed).encode(), id_bytes(topic), id_bytes(docno)])).digest()

    return sorted((docno for docno, _, _ in entries), key=lot)
