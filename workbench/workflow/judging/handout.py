"""Handouts: which documents of a topic an assessor has, and what an answer does to that.

A pool hands out its documents in one of three ways: all of them in the assessor's order (`FixedHandout`), one
by one as a strategy chooses (`AdaptiveHandout`), or a few ahead from a queue (`QueueHandout`). `kind_of` is
the only place that asks which.

To add a way: a module with a class that has what `Handout` has, and a line in `kind_of`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from workbench.pooling.adaptive.live import Happening
from workbench.storage.events import CurrentEvent
from workbench.storage.tables import AssignmentRow, PoolEntryRow, PoolEventRow, PoolRow
from workbench.workflow.judging.adaptive_handout import AdaptiveHandout
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.judging.fixed_orders import FixedOrder, fixed_order
from workbench.workflow.judging.order import OrderRule, in_order
from workbench.workflow.judging.queue_handout import QueueHandout
from workbench.workflow.pools.adaptive_pools import is_adaptive
from workbench.workflow.pools.pool_rows import contents_of

Key = tuple[int, str]
"""A pool's number and a topic."""


class Handout(Protocol):
    """One topic of a pool as it is handed to assessors; what changes it locks the topic and reads it anew."""

    one_by_one: ClassVar[bool]
    """Whether the next document is chosen by the answer to the one before, so that nothing is sent ahead."""
    in_batches: ClassVar[bool]
    """Whether a few documents at a time come, and more when these are answered."""
    has_quality_checks: ClassVar[bool]
    """Whether repeats, planted pairs and training may come among the documents."""
    order_is_chosen: ClassVar[bool]
    """Whether the assignment's order rule counts, or the pool decides."""
    accepts_after_lease: ClassVar[bool]
    """Whether an answer may come for a document that the assessor does not have any more."""

    @classmethod
    def load(cls, db: Session, pools: Iterable[PoolRow], *, topic: str | None = None) -> Mapping[Key, Self]:
        """All topics, or one, of pools of this kind and of one campaign."""

    def docnos(self, assessor_id: int) -> Set[str]:
        """What an assessor to whom the topic is assigned has of it."""

    def documents(self, assignment: AssignmentRow) -> list[str]:
        """The same in the order in which the assessor sees them."""

    @classmethod
    def order_to_save(cls, db: Session, pool: PoolRow, assignment: AssignmentRow) -> Sequence[str]:
        """The same for saving one answer: nothing is read where the order is known already."""

    @property
    def most(self) -> int:
        """How many documents the topic asks for, whoever gets them."""

    def left(self, assessor_id: int) -> int:
        """How many more an assessor can be handed now; none of a closed pool."""

    def may_come(self, assessor_id: int) -> int:
        """How many more an assessor may ever get, be it that colleagues give theirs back."""

    @staticmethod
    def accept(db: Session, pool: PoolRow, assignment: AssignmentRow, docno: str, answer: str) -> None:
        """Make room for an answer that is about to be recorded; raises NotFound, Conflict where it cannot."""

    @staticmethod
    def take(db: Session, pool: PoolRow, event: CurrentEvent) -> None:
        """Take in what an assessor now says of a document of the pool."""

    @staticmethod
    def take_back(db: Session, pool: PoolRow, assignment: AssignmentRow) -> int:
        """Take back what an assessor has and has not answered; returns how many others can get."""

    @staticmethod
    def prepare(db: Session, states: AdaptiveStates, pool: PoolRow, assignment: AssignmentRow) -> bool:
        """Whether `hand_out` has something to do; changes nothing, and does all that takes its time."""

    @staticmethod
    def hand_out(
        db: Session, states: AdaptiveStates, pool: PoolRow, assignment: AssignmentRow
    ) -> tuple[str, ...]:
        """Hand the next documents of an open pool to an assessor; returns those that are waiting or new."""


@dataclass(frozen=True, slots=True)
class FixedHandout:
    """A topic of a pool whose every assessor gets all pairs: best rank and number of runs by docno."""

    one_by_one: ClassVar[bool] = False
    in_batches: ClassVar[bool] = False
    has_quality_checks: ClassVar[bool] = True
    order_is_chosen: ClassVar[bool] = True
    accepts_after_lease: ClassVar[bool] = False

    entries: Mapping[str, tuple[int | None, int]]

    @classmethod
    def load(cls, db: Session, pools: Iterable[PoolRow], *, topic: str | None = None) -> Mapping[Key, Self]:
        """All topics, or one, of pools."""
        numbers = [pool.id for pool in pools]
        found: dict[Key, dict[str, tuple[int | None, int]]] = {}
        if topic is not None:
            found = {(number, topic): {} for number in numbers}
        rows = db.execute(
            _ENTRIES if topic is None else _ENTRIES_OF_TOPIC, {"pools": numbers, "topic": topic}
        )
        for number, of, docno, rank, runs in rows:
            found.setdefault((number, of), {})[docno] = (rank, runs)
        return {key: cls(entries) for key, entries in found.items()}

    def docnos(self, assessor_id: int) -> Set[str]:
        """All that are pooled."""
        return self.entries.keys()

    def documents(self, assignment: AssignmentRow) -> list[str]:
        """All that are pooled, in the assignment's order."""
        return in_order(
            ((docno, *entry) for docno, entry in self.entries.items()),
            topic=assignment.topic,
            rule=OrderRule(assignment.order_rule),
            seed=assignment.seed,
        )

    @classmethod
    def order_to_save(cls, db: Session, pool: PoolRow, assignment: AssignmentRow) -> Sequence[str]:
        """The same, as this process knows it since the pool's pairs changed last."""
        return fixed_order(
            db.connection(),
            FixedOrder(pool.id, contents_of(pool), assignment.topic, assignment.order_rule, assignment.seed),
        )

    @property
    def most(self) -> int:
        """All that are pooled."""
        return len(self.entries)

    def left(self, assessor_id: int) -> int:
        """None: the assessor has them all."""
        return 0

    def may_come(self, assessor_id: int) -> int:
        """None: the assessor has them all."""
        return 0

    @staticmethod
    def accept(db: Session, pool: PoolRow, assignment: AssignmentRow, docno: str, answer: str) -> None:
        """Every answer has room."""

    @staticmethod
    def take(db: Session, pool: PoolRow, event: CurrentEvent) -> None:
        """An answer changes nothing."""

    @staticmethod
    def take_back(db: Session, pool: PoolRow, assignment: AssignmentRow) -> int:
        """Nothing is kept from others."""
        return 0

    @staticmethod
    def prepare(db: Session, states: AdaptiveStates, pool: PoolRow, assignment: AssignmentRow) -> bool:
        """Nothing is handed out."""
        return False

    @staticmethod
    def hand_out(
        db: Session, states: AdaptiveStates, pool: PoolRow, assignment: AssignmentRow
    ) -> tuple[str, ...]:
        """Nothing is handed out."""
        return ()


def kind_of(pool: PoolRow) -> type[Handout]:
    """How a pool hands out its documents."""
    if pool.per_pair is not None:
        return QueueHandout
    return AdaptiveHandout if is_adaptive(pool) else FixedHandout


def handout_of(db: Session, pool: PoolRow, topic: str) -> Handout:
    """One topic of a pool as it stands."""
    return kind_of(pool).load(db, [pool], topic=topic)[pool.id, topic]


def tell_pools(db: Session, campaign_id: int, event: CurrentEvent) -> None:
    """Tell the open pools that handed a document to an assessor what the assessor says of it now.

    It counts wherever it was given: the answer is the assessor's, not the pool's.
    """
    pair = {"topic": event.topic, "docno": event.docno, "assessor_id": event.assessor_id}
    for pool in db.scalars(_CONCERNED, {"campaign_id": campaign_id, **pair}).all():
        kind_of(pool).take(db, pool, event)


# What every saved answer asks is put together once: that takes longer than asking it.
_ENTRIES = select(
    PoolEntryRow.pool_id,
    PoolEntryRow.topic,
    PoolEntryRow.docno,
    PoolEntryRow.best_rank,
    PoolEntryRow.run_count,
).where(PoolEntryRow.pool_id.in_(bindparam("pools", expanding=True)))
_ENTRIES_OF_TOPIC = _ENTRIES.where(PoolEntryRow.topic == bindparam("topic"))
_CONCERNED = select(PoolRow).where(
    PoolRow.campaign_id == bindparam("campaign_id"),
    PoolRow.closed_at.is_(None),
    PoolRow.id.in_(
        select(PoolEventRow.pool_id).where(
            PoolEventRow.topic == bindparam("topic"),
            PoolEventRow.docno == bindparam("docno"),
            PoolEventRow.assessor_id == bindparam("assessor_id"),
            PoolEventRow.happening == str(Happening.HANDED_OUT),
        )
    ),
)
