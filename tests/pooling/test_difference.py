"""What enters and leaves between pools, and what is left to judge."""

from __future__ import annotations

from tests.pooling.some_runs import ABC
from workbench.pooling.depth import depth_pool
from workbench.pooling.difference import Difference, difference, minus
from workbench.pooling.fusion.rrf import rrf_pool
from workbench.pooling.sampling.stratified import stratified_pool


def test_what_enters_what_leaves_and_what_stays() -> None:
    # Depth 1: d01 d03 d09. The three largest of reciprocal rank fusion: d01 d03 d06 (case rrf_k60).
    changed = difference(depth_pool(ABC, depth=1), rrf_pool(ABC, budget=3))
    assert changed == Difference(
        entering=frozenset({("1", "d06")}),
        leaving=frozenset({("1", "d09")}),
        staying=frozenset({("1", "d01"), ("1", "d03")}),
    )


def test_a_supplementary_pool_is_what_is_left() -> None:
    deep, shallow = depth_pool(ABC, depth=2), depth_pool(ABC, depth=1)
    left = minus(deep, shallow.pairs | {("1", "judged elsewhere"), ("2", "d02")})
    assert [entry.docno for entry in left.entries] == ["d02", "d06"]
    assert set(left.entries) <= set(deep.entries)
    assert (left.tags, left.largest_possible) == (deep.tags, deep.largest_possible)


def test_what_is_taken_away_keeps_no_weight_and_no_stratum() -> None:
    fused = minus(rrf_pool(ABC, budget=3), [("1", "d01")])
    assert set(fused.weights) == fused.pairs == {("1", "d03"), ("1", "d06")}
    sampled = stratified_pool(ABC)
    left = minus(sampled, [("1", "d01")])
    assert set(left.inclusion) == set(left.strata) == left.pairs == sampled.pairs - {("1", "d01")}


def test_taking_nothing_away_changes_nothing() -> None:
    pool = stratified_pool(ABC)
    assert minus(pool, []) == pool
