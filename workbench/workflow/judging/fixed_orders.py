"""The order of a topic of which every assessor gets all pairs, as this process knows it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from workbench.storage.tables import PoolEntryRow
from workbench.workflow.judging.known_orders import KnownOrder, KnownOrders
from workbench.workflow.judging.order import OrderRule, in_order


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
