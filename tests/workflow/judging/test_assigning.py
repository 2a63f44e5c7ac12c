"""Assignments and the order in which pairs are seen."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from workbench.records import id_bytes
from workbench.workflow.judging.handout import OrderRule, in_order

ENTRIES = st.lists(
    st.tuples(st.text(min_size=1, max_size=8), st.integers(1, 100), st.integers(1, 9)),
    unique_by=lambda entry: entry[0],
    max_size=20,
)


def test_the_shuffle_is_the_sha256_of_seed_topic_and_docno() -> None:
    # Written out once more: whoever has the seed can prove the order without this program.
    docnos = ["d1", "d2", "d3", "d4"]
    by_hand = sorted(docnos, key=lambda docno: hashlib.sha256(f"7\0T1\0{docno}".encode()).hexdigest())
    entries = [(docno, 1, 1) for docno in docnos]
    assert in_order(entries, topic="T1", rule=OrderRule.SHUFFLED, seed=7) == by_hand


def test_by_priority_the_best_rank_comes_first_then_the_number_of_runs() -> None:
    entries = [("a", 2, 9), ("b", 1, 1), ("c", 1, 3), ("d", 2, 9)]
    assert in_order(entries, topic="T", rule=OrderRule.PRIORITY, seed=0) == ["c", "b", "a", "d"]


@given(ENTRIES, st.sampled_from(OrderRule), st.integers(0, 2**31))
def test_every_order_has_each_document_once_and_ignores_the_order_of_arrival(
    entries: list[tuple[str, int, int]], rule: OrderRule, seed: int
) -> None:
    ordered = in_order(entries, topic="T", rule=rule, seed=seed)
    assert sorted(ordered, key=id_bytes) == sorted((docno for docno, _, _ in entries), key=id_bytes)
    assert in_order(entries[::-1], topic="T", rule=rule, seed=seed) == ordered


@given(ENTRIES.filter(bool), st.integers(0, 2**31))
def test_a_document_that_joins_later_moves_no_other(entries: list[tuple[str, int, int]], seed: int) -> None:
    late = entries[0][0]
    ordered = in_order(entries, topic="T", rule=OrderRule.SHUFFLED, seed=seed)
    before = in_order(entries[1:], topic="T", rule=OrderRule.SHUFFLED, seed=seed)
    assert [docno for docno in ordered if docno != late] == before
