"""The fall of new relevant documents with the depth: against a hand calculation and an exact law."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import Oracle
from workbench.errors import WorkbenchError
from workbench.scoring.relevance import Floats
from workbench.trust.power_law import fitted_law, fitted_laws

stats = Oracle("scipy.stats")
linear_model = Oracle("sklearn.linear_model")


def of_one_topic(counts: list[int]) -> Floats:
    return np.array([counts], dtype=np.float64)


@pytest.mark.parametrize("terms", [2, 3])
def test_the_most_likely_law_is_that_of_poissons_regression(terms: int) -> None:
    ranks = np.arange(3, 30)
    counts = np.random.default_rng(7).poisson(30 * ranks**-0.8)
    (found,) = fitted_laws(counts[np.newaxis].astype(np.float64), first=3, terms=terms)
    powers = np.log(ranks)[:, np.newaxis] ** np.arange(1, terms)
    oracle = linear_model.PoissonRegressor(alpha=0, solver="newton-cholesky", tol=1e-10).fit(powers, counts)
    assert found.tolist() == pytest.approx([oracle.intercept_, *oracle.coef_], abs=1e-6)


@pytest.mark.parametrize("counts", [[0, 0, 0], [5, 0, 0], [0, 3, 0], [4]])
def test_a_fall_needs_two_ranks(counts: list[int]) -> None:
    with pytest.raises(WorkbenchError) as refused:
        fitted_law(of_one_topic(counts))
    assert refused.value.remedy


@pytest.mark.parametrize("terms", [2, 3])
def test_many_laws_are_fitted_as_each_alone(terms: int) -> None:
    counts = np.random.default_rng(4).poisson(20 * np.arange(3, 20) ** -0.8, (5, 17)).astype(np.float64)
    laws = fitted_laws(counts, first=3, terms=terms)
    alone = [fitted_laws(row[np.newaxis], first=3, terms=terms)[0] for row in counts]
    assert laws.shape == (5, terms)
    assert laws.ravel().tolist() == pytest.approx(np.ravel(alone).tolist())
    if terms == 2:
        # One topic has no law that bends.
        one = [fitted_law(row[np.newaxis], first=3) for row in counts]
        assert np.exp(laws[:, 0]).tolist() == pytest.approx([law.scale for law in one])
        assert laws[:, 1].tolist() == pytest.approx([law.exponent for law in one])


def test_laws_that_cannot_be_fitted_leave_the_others_as_they_are() -> None:
    counts = np.array([[6.0, 2.0, 1.0], [5.0, 0.0, 0.0], [6.0, 2.0, 0.0]])
    # A bend needs three ranks with a relevant document, a power law two.
    assert np.isnan(fitted_laws(counts, first=1)).any(axis=1).tolist() == [False, True, False]
    assert np.isnan(fitted_laws(counts, first=1, terms=3)).any(axis=1).tolist() == [False, True, True]
    assert fitted_laws(counts, first=1)[0].tolist() == pytest.approx(
        fitted_laws(counts[:1], first=1)[0].tolist()
    )


def bending(topics: int, bend: float, *, seed: int) -> Floats:
    """Poisson's counts at ranks 3 to 20 around laws of different heights that bend alike."""
    random, logs = np.random.default_rng(seed), np.log(np.arange(3, 21))
    return np.asarray(
        random.poisson(random.gamma(2.0, 4.0, (topics, 1)) * np.exp((bend * logs - 0.5) * logs))
    )


def test_a_law_that_bends_is_found_with_its_bend() -> None:
    # 15 d ** (.2 - .3 log d) at each rank; the counts of the 2,000 topics differ by chance alone, which
    # leaves an exponent with a standard error of .014.
    ranks = np.arange(1, 31)
    counts = np.random.default_rng(2).poisson(15 * ranks ** (0.2 - 0.3 * np.log(ranks)), (2_000, 30))
    law = fitted_law(counts)
    assert law.p is not None
    assert law.p < 0.001
    assert law.scale == pytest.approx(2_000 * 15, rel=0.02)
    assert [law.exponent, law.bend] == pytest.approx([0.2, -0.3], abs=0.05)
    # By the formula: log d is 0 at rank 1 and 2.303 at rank 10.
    expected = [law.scale, law.scale * 10 ** (law.exponent + 2.302585 * law.bend)]
    assert law.at(np.array([1.0, 10.0])) == pytest.approx(expected)


def test_the_test_of_a_bend_is_a_jackknife_over_topics() -> None:
    # Tukey 1958: the bends without each of n topics have (n - 1) / n times their squares as variance.
    counts = bending(12, -0.1, seed=1)
    totals = counts.sum(axis=0).astype(np.float64)
    bends = [fitted_laws((totals - row)[np.newaxis], first=3, terms=3)[0, 2] for row in counts]
    error = (11 / 12 * ((np.array(bends) - np.mean(bends)) ** 2).sum()) ** 0.5
    (whole,) = fitted_laws(totals[np.newaxis], first=3, terms=3)
    law = fitted_law(counts, first=3)
    assert law.p == pytest.approx(2 * stats.t.sf(abs(whole[2]) / error, 11))


def test_what_does_not_bend_seldom_seems_to() -> None:
    # Of 100 collections 5 seem to; 13 or more would have a chance of .0015 (binomial).
    laws = [fitted_law(bending(25, 0.0, seed=seed), first=3) for seed in range(100)]
    assert sum(law.bend != 0 for law in laws) <= 12
    assert all((law.bend != 0) == (law.p is not None and law.p < 0.05) for law in laws)


def test_a_bend_is_not_tested_of_one_topic_or_two_ranks() -> None:
    assert fitted_law(bending(25, -0.3, seed=3)[:1], first=3).p is None
    two_ranks = fitted_law(np.array([[9, 0, 3], [8, 0, 2]]))
    assert (two_ranks.p, two_ranks.bend) == (None, 0)
    # Without the first topic there are two ranks.
    assert fitted_law(np.array([[9, 1, 3], [8, 0, 2]])).p is None
