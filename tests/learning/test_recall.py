"""Recall from documents drawn at random: worked cases, scipy, and how often the interval is right."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import Oracle, cases
from workbench.errors import WorkbenchError
from workbench.learning.hypergeometric import at_least, at_most, binomial_at_most, marked_bounds, share_bounds
from workbench.learning.recall import (
    ElusionSample,
    RandomShare,
    elusion_recall,
    estimated_recall,
    found_against_read,
    further_sample,
)

stats = Oracle("scipy.stats")


def test_the_worked_case_of_an_elusion_sample() -> None:
    case = cases("71_search_learning.json")["elusion_sample_recall"]
    given, expected = case["input"], case["expected"]
    sample = ElusionSample(given["unread"], given["sample"], given["relevant_in_sample"])
    found = elusion_recall(sample, given["found"])
    assert found.value == pytest.approx(expected["recall_point"], abs=1e-9)
    assert (found.low, found.high) == pytest.approx(expected["recall_interval_95"], abs=1e-9)
    bounds = share_bounds(sample.relevant, sample.drawn, confidence=0.95)
    assert bounds == pytest.approx(expected["interval_95"], abs=1e-9)
    assert sample.relevant / sample.drawn == pytest.approx(expected["elusion"], abs=1e-9)


def test_an_elusion_sample_without_a_hit() -> None:
    # 1 - 0.025 ** (1 / 100) = 0.036217 of 1,000 unread are 36.217 at most: recall at least 90 / 126.217.
    found = elusion_recall(ElusionSample(1000, 100, 0), 90)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(90 / 126.217, abs=1e-5)
    assert elusion_recall(ElusionSample(1000, 100, 0), 0).value is None
    for wrong in (ElusionSample(10, 0, 0), ElusionSample(10, 11, 0), ElusionSample(10, 5, 6)):
        with pytest.raises(WorkbenchError, match="impossible"):
            elusion_recall(wrong, 1)


def test_bounds_of_a_small_population_by_hand() -> None:
    # 10 documents, 4 drawn, none relevant. P(0 | 5 relevant) = C(5,4) / C(10,4) = 5 / 210 = .0238, which is
    # no more than .025; P(0 | 4) = 15 / 210 = .071: 4 at most.
    assert marked_bounds(0, population=10, drawn=4, confidence=0.95) == (0, 4)
    assert marked_bounds(4, population=10, drawn=4, confidence=0.95) == (6, 10)
    assert marked_bounds(0, population=10, drawn=0, confidence=0.95) == (0, 10)
    assert marked_bounds(3, population=10, drawn=10, confidence=0.95) == (3, 3)
    with pytest.raises(WorkbenchError, match="impossible"):
        marked_bounds(3, population=10, drawn=2, confidence=0.95)


@pytest.mark.slow
def test_tails_are_those_of_scipy() -> None:
    generator = np.random.default_rng(1)
    for _ in range(200):
        population = int(generator.integers(1, 5000))
        marked, drawn = (int(generator.integers(0, population + 1)) for _ in range(2))
        count = int(generator.integers(0, drawn + 1))
        given = {"population": population, "marked": marked, "drawn": drawn}
        exact = stats.hypergeom(population, marked, drawn)
        assert at_most(count, **given) == pytest.approx(exact.cdf(count), abs=1e-9)
        assert at_least(count, **given) == pytest.approx(exact.sf(count - 1), abs=1e-9)
        share = marked / population
        assert binomial_at_most(count, drawn, share) == pytest.approx(
            stats.binom(drawn, share).cdf(count), abs=1e-9
        )


def test_the_interval_of_recall_from_the_random_share_by_hand() -> None:
    # 10 documents, 4 drawn, none relevant: 0 to 4 in all; 2 were found, so 2 to 4, recall .5 to 1.
    found = estimated_recall(RandomShare(10, 4, 4, 0), 2)
    assert (found.value, found.low, found.high, found.total_low, found.total_high) == (None, 0.5, 1.0, 2, 4)
    # 2 of 4 drawn: 5 of 10 expected, 4 found: .8. P(X >= 2 | 2 relevant) = C(8,2) / C(10,4) = .133: 2 at
    # least, but 4 are found; P(X <= 2 | 8) is the same: 8 at most.
    found = estimated_recall(RandomShare(10, 4, 4, 2), 4)
    assert (found.value, found.low, found.high) == (0.8, 0.5, 1.0)
    nothing = estimated_recall(RandomShare(10, 0, 0, 0), 0)
    assert (nothing.value, nothing.low, nothing.high) == (None, 0.0, 1.0)


@pytest.mark.slow
def test_the_interval_contains_the_truth_as_often_as_it_promises() -> None:
    # 500 topics of 2,000 documents, 80 relevant, 60 of which are found: recall .75.
    generator = np.random.default_rng(5)
    hits = generator.hypergeometric(80, 1920, 300, size=500)
    right = 0
    for relevant in hits.tolist():
        found = estimated_recall(RandomShare(2000, 300, 300, relevant), 60)
        right += found.low <= 0.75 <= found.high
    # 93 % of 500.
    assert right >= 465


def test_what_a_further_sample_buys() -> None:
    share = RandomShare(5000, 400, 400, 9)
    more = further_sample(share, found=80, read=900, draws=400)
    # Of 4,600 undrawn documents 500 are read: 400 * 4,100 / 4,600 are to be read.
    assert more.to_read == pytest.approx(356.5217, abs=1e-4)
    assert (more.then.drawn, more.then.relevant) == (800, 18)
    assert more.narrowed > 0
    assert more.narrowed < further_sample(share, found=80, read=900, draws=2000).narrowed
    assert further_sample(RandomShare(5000, 0, 0, 0), found=0, read=0, draws=10).then.low == 0
    for wrong in (0, 4601):
        with pytest.raises(WorkbenchError, match="cannot be drawn"):
            further_sample(share, found=80, read=900, draws=wrong)


def test_found_against_read() -> None:
    assert found_against_read(3, 4) == 0.75
    assert found_against_read(0, 0) is None
