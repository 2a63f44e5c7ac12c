"""Take-n pools: runs in turn, rank by rank."""

from __future__ import annotations

import pytest

from tests.pooling.some_runs import ABC, ranked
from workbench.errors import WorkbenchError
from workbench.pooling.depth import depth_pool, take_n_pool


def test_runs_give_their_documents_in_turn() -> None:
    # Rank 1: A d01, B d03, C d09; rank 2: A d02, B and C d06; rank 3 is all there; rank 4: d04, d07, d10;
    # rank 5: A d05, B d08.
    order = ["d01", "d03", "d09", "d02", "d06", "d04", "d07", "d10", "d05", "d08"]
    for budget in range(1, 12):
        pool = take_n_pool(ABC, budget=budget)
        assert [entry.docno for entry in pool.entries] == sorted(order[:budget])


def test_within_a_rank_the_bytes_of_the_tags_decide() -> None:
    runs = [ranked("é", ["x"]), ranked("b", ["y"]), ranked("B", ["z"])]
    assert [entry.docno for entry in take_n_pool(runs, budget=1).entries] == ["z"]
    assert [entry.docno for entry in take_n_pool(runs, budget=2).entries] == ["y", "z"]


def test_a_budget_that_ends_with_a_rank_gives_a_depth_pool() -> None:
    assert take_n_pool(ABC, budget=5).pairs == depth_pool(ABC, depth=2).pairs


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="a budget of 0 judges nothing"):
        take_n_pool(ABC, budget=0)
