"""Tails and bounds against scipy and a worked case."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import Oracle, cases
from workbench.learning.missed import at_most, binomial_at_most, share_bounds

stats = Oracle("scipy.stats")


def test_the_bounds_of_a_share_are_those_of_the_worked_case() -> None:
    case = cases("71_search_learning.json")["elusion_sample_recall"]
    given, expected = case["input"], case["expected"]
    bounds = share_bounds(given["relevant_in_sample"], given["sample"], confidence=0.95)
    assert bounds == pytest.approx(expected["interval_95"], abs=1e-9)


@pytest.mark.slow
def test_tails_are_those_of_scipy() -> None:
    generator = np.random.default_rng(1)
    for _ in range(200):
        population = int(generator.integers(1, 5000))
        marked, drawn = (int(generator.integers(0, population + 1)) for _ in range(2))
        count = int(generator.integers(0, drawn + 1))
        exact = stats.hypergeom(population, marked, drawn)
        tail = at_most(count, population=population, marked=marked, drawn=drawn)
        assert tail == pytest.approx(exact.cdf(count), abs=1e-9)
        share = marked / population
        assert binomial_at_most(count, drawn, share) == pytest.approx(
            stats.binom(drawn, share).cdf(count), abs=1e-9
        )
