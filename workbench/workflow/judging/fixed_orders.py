"""The order of a topic of which every assessor gets all pairs, as this process knows it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from workbench.storage.tables import PoolEntryRow
from workbench.workflow.judging.order import OrderRule, in_order

MOST_DOCNOS = 200_000
"""Some 30 MB, which is a hundred assessors in topics of 2,000 pairs each."""


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


class KnownOrders:
    """The orders that were used last, `most` docnos in all; several threads may ask."""

    def __init__(self, most: int = MOST_DOCNOS) -> None:
        self._most = most
        self._size = 0
        self._orders: OrderedDict[Hashable, KnownOrder] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Iterable[str]]) -> KnownOrder:
        """The order of a key, made where it is not known."""
        with self._lock:
            known = self._orders.get(key)
            if known is not None:
                self._orders.move_to_end(key)
                return known
        made = KnownOrder(make())
        with self._lock:
            if key not in self._orders:
                self._orders[key] = made
                self._size += len(made)
            # One topic larger than all the room is known all the same.
            while self._size > self._most and len(self._orders) > 1:
                self._size -= len(self._orders.popitem(last=False)[1])
        return made


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
    return _KNOWN.get(order, lambda: _read(connection, order))


def _read(connection: Connection, order: FixedOrder) -> list[str]:
    rows = connection.execute(_PAIRS, {"pool_id": order.pool_id, "topic": order.topic})
    entries = [(docno, rank, runs) for docno, rank, runs in rows]
    return in_order(entries, topic=order.topic, rule=OrderRule(order.rule), seed=order.seed)


_KNOWN = KnownOrders()
_PAIRS = select(PoolEntryRow.docno, PoolEntryRow.best_rank, PoolEntryRow.run_count).where(
    PoolEntryRow.pool_id == bindparam("pool_id"), PoolEntryRow.topic == bindparam("topic")
)
