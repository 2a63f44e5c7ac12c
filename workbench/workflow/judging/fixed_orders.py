"""The order of a topic of which every assessor gets all pairs, as this process knows it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from workbench.storage.tables import PoolEntryRow
from workbench.workflow.caching import Cache
from workbench.workflow.judging.order import OrderRule, in_order


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


@dataclass(frozen=True, slots=True)
class FixedOrder:
    """All that an order depends on; `contents` differs whenever the pairs of the pool do (`contents_of`)."""

    pool_id: int
    contents: Hashable
    topic: str
    rule: str
    seed: int


def fixed_order(connection: Connection, order: FixedOrder) -> KnownOrder:
    """The docnos of a topic in an order; they are read only where it is not known since the pool changed."""
    return _KNOWN.get(order, lambda: KnownOrder(_read(connection, order)))


def _read(connection: Connection, order: FixedOrder) -> list[str]:
    rows = connection.execute(_PAIRS, {"pool_id": order.pool_id, "topic": order.topic})
    entries = [(docno, rank, runs) for docno, rank, runs in rows]
    return in_order(entries, topic=order.topic, rule=OrderRule(order.rule), seed=order.seed)


_KNOWN: Cache[FixedOrder, KnownOrder] = Cache(10_000, bytes_of=lambda one: 150 * len(one), room=32 * 2**20)
"""A hundred assessors in topics of 2,000 pairs each; one topic larger than that is known all the same."""
_PAIRS = select(PoolEntryRow.docno, PoolEntryRow.best_rank, PoolEntryRow.run_count).where(
    PoolEntryRow.pool_id == bindparam("pool_id"), PoolEntryRow.topic == bindparam("topic")
)
