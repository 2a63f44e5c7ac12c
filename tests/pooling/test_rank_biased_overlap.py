"""Rank-biased overlap: worked cases, a plain statement of the definition, and laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import cases
from workbench.errors import WorkbenchError
from workbench.pooling.near_identical_runs import rank_biased_overlap

RANKINGS = st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=10)
PS = st.sampled_from([0.1, 0.5, 0.9, 0.99])


@pytest.mark.parametrize(
    "name", ["rbo_abcdefg_zcavwxy", "rbo_abcde_bacde", "rbo_abcde_abced", "rbo_abcde_fghij"]
)
def test_values_are_those_of_the_worked_cases(name: str) -> None:
    case = cases("41_rank_correlation.json")[name]
    value = rank_biased_overlap(case["input"]["S"], case["input"]["T"], p=case["input"]["p"])
    assert value == pytest.approx(case["expected"]["rbo_ext"], abs=case["tolerance"])


def test_lists_of_unequal_length_by_hand() -> None:
    # S = a b, L = b c a, p = .5. Shared to depth 1, 2, 3: 0, 1, 2. Equation 32:
    # (1-p)/p x (0/1 x .5 + 1/2 x .25 + 2/3 x .125 + 1 x (3-2)/(2 x 3) x .125) + ((2-1)/3 + 1/2) x .125
    expected = 0.125 + 0.25 / 3 + 0.125 / 6 + (1 / 3 + 1 / 2) * 0.125
    assert rank_biased_overlap("ab", "bca", p=0.5) == pytest.approx(expected, abs=1e-15)


def plain(first: list[str], second: list[str], p: float) -> float:
    """The definition term by term: the overlap at each depth, extrapolated beyond either list."""
    short, long = sorted((first, second), key=len)
    s, n = len(short), len(long)
    shared = [len(set(short[:d]) & set(long[:d])) for d in range(n + 1)]
    value = sum((1 - p) * p ** (d - 1) * shared[d] / d for d in range(1, n + 1))
    value += sum((1 - p) * p ** (d - 1) * shared[s] * (d - s) / (s * d) for d in range(s + 1, n + 1))
    return value + ((shared[n] - shared[s]) / n + shared[s] / s) * p**n


@given(RANKINGS, RANKINGS, PS)
def test_values_are_those_of_the_definition_symmetric_and_between_nought_and_one(
    first: list[str], second: list[str], p: float
) -> None:
    value = rank_biased_overlap(first, second, p=p)
    assert value == pytest.approx(rank_biased_overlap(second, first, p=p), abs=1e-12)
    assert -1e-12 <= value <= 1 + 1e-12
    if first and second:
        assert value == pytest.approx(plain(first, second, p), abs=1e-12)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.5, 1.5, float("nan")])
def test_a_p_outside_nought_to_one_is_refused(p: float) -> None:
    with pytest.raises(WorkbenchError, match="give a number between 0 and 1"):
        rank_biased_overlap("ab", "ab", p=p)
