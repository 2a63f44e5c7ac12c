"""Stratified pools: strata by best rank, probabilities, and the estimates they are made for."""

from __future__ import annotations

import pytest

from tests.pooling.some_runs import ABC
from workbench.errors import WorkbenchError
from workbench.pooling.sampling import (
    Stratum,
    accept_strata,
    seeded_key,
    stratified_pool,
)

# Best ranks of the three runs: d01 d03 d09 at 1, d02 d06 at 2, d04 d07 d10 at 4, d05 d08 at 5.
STRATA = accept_strata("1:1:1 2:3:.5 4:5:.4")


def test_every_stratum_gives_its_share_of_the_smallest_lots() -> None:
    pool = stratified_pool(ABC, strata=STRATA, seed=5)
    second = min(["d02", "d06"], key=lambda docno: seeded_key(5, "1", docno))
    third = sorted(["d04", "d05", "d07", "d08", "d10"], key=lambda docno: seeded_key(5, "1", docno))[:2]
    assert pool.pairs == {("1", docno) for docno in ["d01", "d03", "d09", second, *third]}
    assert pool.inclusion == {
        **{("1", docno): 1.0 for docno in ("d01", "d03", "d09")},
        ("1", second): 0.5,
        **{("1", docno): 0.4 for docno in third},
    }
    assert pool.largest_possible == {"1": 3 + 3 + 2}  # 3 x 1 x 1, 3 x 2 x .5, 3 x 2 x .4 = 2.4


def test_what_lies_between_strata_or_below_them_cannot_be_drawn() -> None:
    pool = stratified_pool(ABC, strata=[Stratum(1, 1, 1.0), Stratum(4, 4, 1.0)])
    assert [entry.docno for entry in pool.entries] == ["d01", "d03", "d04", "d07", "d09", "d10"]
    assert set(pool.strata) == pool.pairs


def test_the_inverse_probabilities_estimate_totals_without_bias() -> None:
    # Horvitz and Thompson: relevant d01 d06 d04 d10; the mean over seeds of the sum of 1 / probability is 4.
    # Of stratum 2 one in two, of stratum 3 two in five: variance 1 and 2.25, so 4,000 seeds have a standard
    # error of .0285.
    relevant = {"d01", "d06", "d04", "d10"}
    total = 0.0
    for seed in range(4000):
        pool = stratified_pool(ABC, strata=STRATA, seed=seed)
        total += sum(1 / share for (_, docno), share in pool.inclusion.items() if docno in relevant)
    assert total / 4000 == pytest.approx(4, abs=4 * 0.0285)


@pytest.mark.parametrize(
    ("strata", "budget", "message"),
    [
        ([], 0, "there is no stratum"),
        ([Stratum(1, 5, 1.0), Stratum(5, 9, 1.0)], 0, "does not begin after"),
        ([Stratum(1, 5)], 0, "a stratum has no rate and there is no budget"),
        ([Stratum(1, 5, 1.0)], -1, "the budget cannot be -1"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(strata: list[Stratum], budget: int, message: str) -> None:
    with pytest.raises(WorkbenchError, match=message):
        stratified_pool(ABC, strata=strata, budget=budget)
