"""Kendall's tau and tau AP against published figures, and what changes between two rankings, by hand."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Sequence
from itertools import combinations

import pytest

from tests.scoring.two_rankings import two_rankings
from tests.support import cases
from workbench.scoring.rank_correlation import (
    ALL_TIED,
    TOO_FEW,
    Correlation,
    compare_rankings,
    ranks,
)

FILE = "41_rank_correlation.json"


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> Correlation:
    return two_rankings(first, second).tau


def tau_ap(first: Sequence[float], second: Sequence[float]) -> Correlation:
    return two_rankings(first, second).tau_ap


@pytest.mark.parametrize("name", ["ircor_set1", "ircor_set3"])
def test_the_coefficients_are_those_of_urbano_and_marrero(name: str) -> None:
    case = cases(FILE)[name]
    given, expected = case["input"], case["expected"]
    plain, tied = (given["x_truth"], given["y_estimate"]), (given["x_ties"], given["y_ties"])
    found = [kendall_tau(*plain), kendall_tau(*tied), tau_ap(*plain), tau_ap(*tied)]
    wanted = [expected[key] for key in ("tau", "tau_b_ties", "tauAP_b", "tauAP_b_ties")]
    assert [one.value for one in found] == pytest.approx(wanted, abs=case["tolerance"])
    # Neither of the two is the truth: both ways give the same.
    assert tau_ap(*tied[::-1]).value == pytest.approx(found[3].value)


def test_rounded_scores_are_ties() -> None:
    case = cases(FILE)["ircor_readme"]
    first, second = (
        [round(value * 5) / 5 for value in case["input"][name]] for name in ("x_truth", "y_estimate")
    )
    assert kendall_tau(first, second).value == pytest.approx(case["expected"]["tau_b_rounded_both"])
    assert tau_ap(first, second).value == pytest.approx(case["expected"]["tauAP_b_rounded_both"])


def test_tau_of_trec_8s_129_runs_is_nists() -> None:
    case = cases(FILE)["trec8_official_vs_depth10_tau"]
    lists = [value for value in case["input"].values() if len(value) == 129 and not isinstance(value[0], str)]
    (expected,) = [value for value in case["expected"].values() if isinstance(value, float)]
    assert kendall_tau(*lists).value == pytest.approx(expected, abs=1e-9)


def test_what_cannot_be_said_says_why() -> None:
    assert kendall_tau([1], [2]) == tau_ap([1], [2]) == Correlation(None, TOO_FEW)
    assert kendall_tau([1, 1], [2, 3]) == tau_ap([1, 1], [2, 3]) == Correlation(None, ALL_TIED)


FIRST = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.3}
SECOND = {"a": 0.2, "b": 0.4, "c": 0.4, "d": 0.1}


def test_swaps_and_ranks_by_hand() -> None:
    (found,) = compare_rankings({"first": FIRST, "second": SECOND})
    assert ranks(FIRST) == {"a": 1, "b": 2, "c": 3, "d": 3}
    assert ranks(SECOND) == {"a": 3, "b": 1, "c": 1, "d": 4}
    # b and c both pass a; c and d were tied, b and c are: no swap. The smaller gap of a and c is .2, of a and
    # b .1.
    assert [(one.ahead, one.behind) for one in found.swaps] == [("a", "c"), ("a", "b")]
    assert found.swaps[0].gap == pytest.approx((0.2, 0.2))
    assert found.ranks == (ranks(FIRST), ranks(SECOND))


def test_many_rankings_at_once_are_those_of_every_two_pair_by_pair() -> None:
    tenths = [[(at * factor) % 7 / 10 for at in range(13)] for factor in (1, 2, 3, 5, 7)]
    given = {str(at): {f"r{run}": score for run, score in enumerate(one)} for at, one in enumerate(tenths)}
    for found in compare_rankings(given):
        one, other = (given[name] for name in (found.first, found.second))
        signs = [
            ((one[a] > one[b]) - (one[a] < one[b]), (other[a] > other[b]) - (other[a] < other[b]))
            for a, b in combinations(one, 2)
        ]
        untied = [sum(map(abs, column)) for column in zip(*signs, strict=True)]
        agreed = sum(a * b for a, b in signs)
        assert found.tau.value == (agreed / (untied[0] * untied[1]) ** 0.5 if all(untied) else None)
        assert found.tau_ap == tau_ap(list(one.values()), list(other.values()))
        # Of equal gaps, of which tenths have many, the first by name come first.
        order = sorted(found.swaps, key=lambda swap: (-min(swap.gap), swap.ahead, swap.behind))
        assert found.swaps == tuple(order)
        assert len(order) == found.swapped == sum(a * b < 0 for a, b in signs)


def test_the_examples_in_the_docstrings_run() -> None:
    for name in ("rank_correlation", "measures"):
        assert doctest.testmod(importlib.import_module(f"workbench.scoring.{name}")).failed == 0
