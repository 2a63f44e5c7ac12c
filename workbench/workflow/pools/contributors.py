"""The runs that brought the pairs of a pool."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Text, cast, func, select
from sqlalchemy.orm import Session

from workbench.storage.tables import PoolEntryRow, PoolRow


@dataclass(frozen=True, slots=True)
class Contributed:
    """By tag, how many pairs of a pool the run brought, and how many no other run and no person did."""

    pairs: Mapping[str, int]
    alone: Mapping[str, int]


def contributions_of(db: Session, pool: PoolRow) -> Contributed:
    """What each run brought to a pool."""
    pairs, alone = Counter[str](), Counter[str]()
    for _, _, brought in contributors(db, pool.id):
        for tags in brought:
            pairs.update(tags)
            if len(tags) == 1:
                alone.update(tags)
    entry = PoolEntryRow
    by_hand = select(entry.brought_by).where(
        entry.pool_id == pool.id, entry.added_at.is_not(None), entry.run_count == 1
    )
    for ((tag, _),) in db.scalars(by_hand):
        alone[tag] -= 1
    return Contributed(pairs, +alone)


def contributors(db: Session, pool_id: int) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Of each topic of a pool its docnos, and the tags of the runs that brought each."""
    entry = PoolEntryRow
    # Joined by the database, both in one order, whichever that is: a tenth of the time that rows take, one by
    # one.
    statement = (
        select(
            entry.topic,
            func.aggregate_strings(entry.docno, "\n"),
            func.aggregate_strings(cast(entry.brought_by, Text), ","),
        )
        .where(entry.pool_id == pool_id)
        .group_by(entry.topic)
    )
    for topic, docnos, texts in db.connection().execute(statement, execution_options={"yield_per": 10}):
        brought = json.loads(f"[{texts}]")
        yield topic, docnos.split("\n"), [[tag for tag, _ in each] for each in brought]
