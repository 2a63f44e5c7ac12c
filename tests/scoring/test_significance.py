"""Tests of two runs, against the textbook's ten queries, scipy and exhaustive counts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.support import Oracle, cases
from workbench.errors import WorkbenchError
from workbench.scoring.relevance import Floats
from workbench.scoring.significance import (
    NO_DIFFERENCE,
    NO_VARIATION,
    Significance,
    SignificanceTest,
    bootstrap,
    compare_two,
    paired_t,
    randomisation,
    signed_ranks,
)

stats = Oracle("scipy.stats")


def random_differences(topics: int, seed: int) -> Floats:
    return np.random.default_rng(seed).normal(0.03, 0.1, topics).round(2)


def one_of(found: tuple[Significance, ...], test: SignificanceTest) -> Significance:
    return next(one for one in found if one.test is test)


def p_of(found: Significance) -> float:
    assert found.p is not None
    return found.p


def test_the_ten_queries_of_the_textbook() -> None:
    case = cases("42_significance.json")["cms_ten_queries"]
    expected = case["expected"]
    found = compare_two(case["input"]["B"], case["input"]["A"])
    differences = np.subtract(case["input"]["B"], case["input"]["A"], dtype=np.float64)
    assert found.mean == pytest.approx(expected["mean_diff"], abs=1e-9)
    assert found.effect == pytest.approx(expected["mean_diff"] / expected["sd_diff"], abs=1e-9)
    assert (found.better, found.worse, found.tied) == (7, 2, 1)
    t, wilcoxon, randomised, bootstrapped = found.tests
    assert t.statistic == pytest.approx(expected["t"], abs=1e-9)
    assert t.p == pytest.approx(expected["p_t_two_sided"], abs=1e-9)
    assert (wilcoxon.n, wilcoxon.statistic) == (9, expected["wilcoxon_signed_rank_sum"])
    approximate = signed_ranks(differences, exact_up_to=0)
    assert p_of(approximate) / 2 == pytest.approx(expected["wilcoxon_p_one_sided_scipy"], abs=1e-9)
    assert randomised.p == expected["randomization_exact_p_two_sided"]
    assert (bootstrapped.statistic, bootstrapped.seed) == (t.statistic, 0)


def test_the_exact_rank_test_of_the_ten_queries_by_hand() -> None:
    # Ranks 1 2 3 4 5.5 5.5 7 8 9, those of the negative 1 and 4. Sums of at most 5: none, 1, 2, 3, 4, 1+2,
    # 1+3, 1+4, 2+3, hence 9 of 2 ** 9 assignments, and as many at the other end.
    found = signed_ranks(np.array([10.0, 41, -24, 0, 25, 70, 60, -2, 9, 25]))
    assert found.p == pytest.approx(18 / 512, abs=1e-12)


@pytest.mark.parametrize("topics", [5, 6, 10, 50, 250])
def test_t_and_its_interval_are_those_of_scipy(topics: int) -> None:
    differences = random_differences(topics, seed=topics)
    found = compare_two(differences, np.zeros(topics), level=0.9, rounds=10)
    expected = stats.ttest_1samp(differences, 0)
    interval = expected.confidence_interval(0.9)
    assert one_of(found.tests, SignificanceTest.T).p == pytest.approx(expected.pvalue, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_many_ranks_with_ties_are_those_of_scipy() -> None:
    differences = random_differences(300, seed=5)
    expected = stats.wilcoxon(differences, method="approx", correction=False)
    found = signed_ranks(differences)
    assert found.method == "normal"
    assert found.n == int((differences != 0).sum())
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_exact_ranks_with_ties_are_those_of_all_signs() -> None:
    differences = np.array([0.1, 0.1, -0.1, 0.3, 0.2, -0.2, 0.4, 0.0])
    kept = np.abs(differences[differences != 0])
    ranks = stats.rankdata(kept)
    sums = [abs(float(np.dot(signs, ranks))) for signs in product((-1, 1), repeat=len(ranks))]
    statistic = float(np.dot(np.sign(differences[differences != 0]), ranks))
    expected = sum(one >= abs(statistic) for one in sums) / len(sums)
    assert signed_ranks(differences).p == pytest.approx(expected, abs=1e-12)


def test_exact_signs_count_a_sum_that_differs_by_rounding_alone() -> None:
    # .1 + .2 and .3 differ in doubles; of the signs of (.1, .2, .3) that give |sum| >= 0 all eight count.
    assert randomisation(np.array([0.1, 0.2, -0.3])).p == 1.0
    # (.3, .3, .3): only all plus or all minus are as far as the sum itself.
    assert randomisation(np.array([0.3, 0.1 + 0.2, 0.3])).p == pytest.approx(2 / 8)


def test_random_signs_come_close_to_all_of_them_and_repeat_with_their_seed() -> None:
    differences = random_differences(17, seed=8)
    signs = 2 * (np.arange(2**17)[:, np.newaxis] >> np.arange(17) & 1) - 1
    expected = float((np.abs(signs @ differences) >= abs(differences.sum()) - 1e-12).mean())
    found = randomisation(differences, rounds=20_000, seed=1)
    # The standard error of 20,000 draws is at most .0036.
    assert found.p == pytest.approx(expected, abs=0.012)
    assert found.seed == 1
    assert randomisation(differences, rounds=20_000, seed=1) == found
    assert randomisation(differences, rounds=20_000, seed=2).p != found.p


def test_p_of_random_signs_is_never_zero() -> None:
    found = randomisation(np.full(40, 0.2), rounds=99)
    assert found.p == pytest.approx(1 / 100)


def test_the_bootstrap_of_three_topics_by_hand() -> None:
    # 1, 2, 3 have t = 2 sqrt(3). Shifted to -1, 0, 1, only the resamples 1 1 1 and -1 -1 -1 have a t as far
    # from 0: the next, 1 1 0, has (2/3) sqrt(3) / sqrt(1/3) = 2. So p is 2/27 with a standard error of .0026.
    found = bootstrap(np.array([1.0, 2.0, 3.0]), seed=3)
    assert found.statistic == pytest.approx(2 * 3**0.5)
    assert p_of(found) == pytest.approx(2 / 27, abs=0.011)
    assert bootstrap(np.array([1.0, 2.0, 3.0]), seed=3) == found


def test_the_same_runs_differ_in_nothing() -> None:
    found = compare_two([0.2, 0.4, 0.6, 0.8, 1.0], [0.2, 0.4, 0.6, 0.8, 1.0])
    t, wilcoxon, randomised, bootstrapped = found.tests
    assert (found.mean, found.low, found.high, found.effect, found.tied) == (0, 0, 0, None, 5)
    assert (t.p, t.undefined) == (None, NO_DIFFERENCE)
    assert (wilcoxon.p, wilcoxon.undefined) == (None, NO_DIFFERENCE)
    assert randomised.p == 1
    assert (bootstrapped.p, bootstrapped.undefined) == (None, NO_DIFFERENCE)


def test_a_difference_without_variation_has_no_t() -> None:
    # .3 - .1, .5 - .3 and .7 - .5 are .2 but for rounding.
    found = compare_two([0.3, 0.5, 0.7], [0.1, 0.3, 0.5])
    assert found.effect is None
    assert paired_t(np.array([0.3, 0.5, 0.7]) - np.array([0.1, 0.3, 0.5])).undefined == NO_VARIATION


@pytest.mark.parametrize(
    ("first", "second"),
    [([0.1, 0.2], [0.1]), ([], []), ([0.1, float("nan")], [0.1, 0.2]), ([[0.1]], [[0.2]])],
)
def test_what_cannot_be_compared_is_refused(first: list[float], second: list[float]) -> None:
    with pytest.raises(WorkbenchError) as refused:
        compare_two(first, second)
    assert refused.value.remedy
