"""Reliability by number of topics: by hand, and against simulated runs whose reliability is known."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import cases
from workbench.errors import WorkbenchError
from workbench.scoring.relevance import Floats
from workbench.trust.fewer_topics import halves_correlate, reliability


def drawn(topics: int, runs: int, *, seed: int) -> Floats:
    """Runs of variance 1 over topics of variance 4, with an unexplained variance of 9."""
    random = np.random.default_rng(seed)
    return np.asarray(
        random.normal(0, 1, runs) + random.normal(0, 2, (topics, 1)) + random.normal(0, 3, (topics, runs))
    )


def test_two_runs_on_two_topics_by_hand() -> None:
    # Means of runs 1.5 and 4.5: MSR = 2 * 4.5 = 9. Residuals +-.5: MSE = 4 * .25 / 1 = 1. So 1 - 1 / 9.
    found = reliability([[1.0, 3.0], [2.0, 6.0]])
    assert found.value == pytest.approx(8 / 9)
    # Twice the topics: 2 * 8/9 / (1 + 8/9); half of them: .5 * 8/9 / (1 - 4/9).
    assert found.at(4) == pytest.approx(16 / 17)
    assert found.at(1) == pytest.approx(4 / 5)
    # 2 topics * 19 * (1/9) / (8/9) = 4.75.
    assert found.topics_for(0.95) == 5
    assert found.at(5) >= 0.95 > found.at(4)


def test_what_is_unexplained_is_that_of_an_analysis_with_topics_as_blocks() -> None:
    case = cases("42_significance.json")["tukey_hsd_two_way"]
    scores = np.array(case["input"]["topic_by_system"])
    of_runs = len(scores) * scores.mean(axis=0).var(ddof=1)
    assert reliability(scores).value == pytest.approx(1 - case["expected"]["MSE"] / of_runs)


def test_runs_that_do_not_differ_have_no_reliability() -> None:
    found = reliability([[0.1, 0.2], [0.2, 0.1]])
    assert found.value <= 0
    assert found.topics_for(0.95) is None


def test_what_is_the_same_on_every_topic_is_wholly_reliable() -> None:
    found = reliability([[0.25, 0.5], [0.25, 0.5], [0.5, 0.75]])
    assert found.value == 1.0
    assert found.topics_for(0.95) == 1


def test_it_is_the_correlation_of_two_sets_of_topics() -> None:
    # 1 / (1 + 9 / 9) = 1/2 of nine topics. An estimate from 40 runs is 1 - F / 2, F with 312 and 39 degrees,
    # and 1 - 39 / 37 / 2 = .473 on average; the standard errors of 600 of each are .006.
    found = [(drawn_means(seed), reliability(drawn(9, 40, seed=seed)).value) for seed in range(600)]
    correlations = halves_correlate(*(np.array([means[half] for means, _ in found]) for half in (0, 1)))
    assert correlations.mean() == pytest.approx(0.5, abs=0.02)
    assert np.mean([value for _, value in found]) == pytest.approx(0.473, abs=0.02)


def drawn_means(seed: int) -> tuple[Floats, Floats]:
    """The means of 40 runs over nine topics and over nine others."""
    scores = drawn(18, 40, seed=seed)
    return scores[:9].mean(axis=0), scores[9:].mean(axis=0)


def test_one_topic_is_refused() -> None:
    with pytest.raises(WorkbenchError):
        reliability([[0.1, 0.2, 0.3]])
