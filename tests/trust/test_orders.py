"""Coefficients of rankings by the thousand: published figures, other libraries, and ties by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.scoring.two_rankings import two_rankings
from tests.support import Oracle, cases
from workbench.scoring.relevance import Floats
from workbench.trust.orders import (
    Orders,
    orders_of,
    rank_biased_overlap,
    rank_coefficients,
    rho,
    tau_a,
    tau_ap,
    tau_b,
)

stats = Oracle("scipy.stats")

FILE = "41_rank_correlation.json"


def order(*scores: float) -> Orders:
    return orders_of(np.array([scores], dtype=np.float64))


def random_means(seed: int, orders: int, *, tied: bool) -> Floats:
    drawn = np.random.default_rng(seed).random((orders, 12))
    return np.round(drawn, 1) if tied else drawn


@pytest.mark.parametrize("name", ["ircor_set1", "ircor_set3"])
def test_tau_and_tau_ap_are_those_of_urbano_and_marrero(name: str) -> None:
    case = cases(FILE)[name]
    given, expected = case["input"], case["expected"]
    one, other = order(*given["x_truth"]), order(*given["y_estimate"])
    first, second = order(*given["x_ties"]), order(*given["y_ties"])
    found = [tau_a(one, other), tau_b(one, other), tau_ap(one, other)]
    found += [tau_a(one, second), tau_b(first, second), tau_ap(first, second)]
    wanted = ["tau", "tau", "tauAP_b", "tau_a_ties", "tau_b_ties", "tauAP_b_ties"]
    assert [float(value[0]) for value in found] == pytest.approx(
        [expected[key] for key in wanted], abs=case["tolerance"]
    )


@pytest.mark.parametrize("tied", [False, True])
def test_many_orders_at_once_give_what_others_give_one_by_one(tied: bool) -> None:
    one, others = random_means(1, 1, tied=tied), random_means(2, 40, tied=tied)
    first, second = orders_of(one), orders_of(others)
    assert tau_b(first, second) == pytest.approx([stats.kendalltau(one[0], row).statistic for row in others])
    assert rho(first, second) == pytest.approx([stats.spearmanr(one[0], row).statistic for row in others])
    assert tau_ap(first, second) == pytest.approx(
        [two_rankings(one[0].tolist(), row.tolist()).tau_ap.value for row in others]
    )


# The other cases are of rankings that do not have the same items, as those of the same runs do.
@pytest.mark.parametrize("name", ["rbo_abcde_bacde", "rbo_abcde_abced"])
def test_rank_biased_overlap_is_that_of_webber_moffat_and_zobel(name: str) -> None:
    case = cases(FILE)[name]
    first, second, p = (case["input"][key] for key in ("S", "T", "p"))
    names = sorted(first)
    scores = [[-float(ranked.index(one)) for one in names] for ranked in (first, second)]
    found = rank_biased_overlap(order(*scores[0]), order(*scores[1]), p=p)
    assert found.tolist() == pytest.approx([case["expected"]["rbo_ext"]])


def test_rank_biased_overlap_by_hand() -> None:
    # A and B swapped of three: A(1) = 0, A(2) = A(3) = 1. .5 (0 + .5 + .25) + .125 = .5.
    assert rank_biased_overlap(order(3, 2, 1), order(2, 3, 1), p=0.5).tolist() == [0.5]
    # Tied runs stand in the order given, here as in the first.
    assert rank_biased_overlap(order(3, 2, 1), order(1, 1, 1), p=0.5).tolist() == [1.0]


@pytest.mark.parametrize("each", rank_coefficients(), ids=lambda each: each.name)
def test_an_order_agrees_with_itself(each: Any) -> None:
    same = orders_of(random_means(3, 5, tied=False))
    assert each.compute(same, same).tolist() == [pytest.approx(1.0)] * 5
    assert each.source


def test_where_all_runs_are_tied_there_is_no_coefficient_but_tau_a_and_rbo() -> None:
    flat, other = order(1, 1, 1), order(1, 2, 3)
    assert np.isnan([tau_b(flat, other)[0], rho(flat, other)[0], tau_ap(flat, other)[0]]).all()
    assert tau_a(flat, other).tolist() == [0.0]


def test_rounding_makes_no_order() -> None:
    assert order(0.1 + 0.2, 0.3).tied.tolist() == [1]
    assert order(0.3 + 1e-9, 0.3).tied.tolist() == [0]


def test_ranks_of_a_tie_are_the_best() -> None:
    assert order(0.3, 0.5, 0.3, 0.1).ranks.tolist() == [[2, 1, 2, 4]]
