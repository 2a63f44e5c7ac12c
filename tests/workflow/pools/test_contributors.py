"""The runs that brought the pairs of a pool, counted as reading pair by pair counts them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from tests.builders import pooled_campaign
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.contributors import TagReading, contributions_of


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


LONG = st.text("ab", min_size=7, max_size=26)
TAGS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4), st.text("ab", max_size=3), LONG
)


@given(st.lists(st.lists(TAGS, max_size=3), max_size=4))
def test_tags_are_read_from_json_as_decoding_reads_them(brought: list[list[str]]) -> None:
    texts = "\n".join(json.dumps([[tag, 3] for tag in tags]) for tags in brought) if brought else "[]"
    reading = TagReading(["a", "b"])
    for _ in range(2):
        numbers, counts = reading.read(texts)
        assert [reading.tags[number] for number in numbers] == [tag for one in brought for tag in one]
    assert counts.tolist() == ([len(one) for one in brought] or [0])
