"""The runs that brought the pairs of a pool, counted as reading pair by pair counts them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from tests.builders import pooled_campaign
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.pool_rows import contributions_of


@pytest.mark.engines
@pytest.mark.parametrize("tag", ["gamma", "\u03b1[1],", 'say"so', "back\\slash"])
def test_pairs_are_counted_by_run_whatever_it_is_called_and_whoever_else_added_them(
    tag: str, db: Session
) -> None:
    made, report = pooled_campaign(db)
    pool = db.scalars(select(PoolRow)).one()
    # Nobody but a person brought d#3; e4 was brought by both.
    add_documents(db, made.campaign.id, report.pool.name, "T1", Additions({"d#3": 1}, "seen"), added_by=None)
    for docno, brought in (("e1", [tag]), ("e2", ["beta", tag]), ("e3", []), ("e4", [tag])):
        ranks = [[one, 7] for one in brought]
        pair = {"pool_id": pool.id, "topic": "T2", "docno": docno, "run_count": len(brought)}
        by_hand = datetime(2026, 3, 1, tzinfo=UTC) if docno == "e4" else None
        db.execute(insert(PoolEntryRow).values(**pair, brought_by=ranks, best_rank=7, added_at=by_hand))
    found = contributions_of(db, pool)
    # Of tests/builders.py alpha and beta brought four each, of which (T1, d1) and (T2, d1), (T1, d/4) and
    # (T2, d2) nobody else did.
    assert found.pairs == {"alpha": 4, "beta": 5, tag: 3}
    assert found.alone == {"alpha": 2, "beta": 2, tag: 1}
