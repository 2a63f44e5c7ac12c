"""What a random sample says of the documents it was drawn from."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from workbench.errors import WorkbenchError
from workbench.learning.missed import ElusionSample, bounds_of_sum, recall_bounds


@pytest.mark.parametrize(("left", "drawn"), [(30, 5), (60, 20), (12, 12)])
def test_the_interval_of_a_topic_is_the_inverted_hypergeometric(left: int, drawn: int) -> None:
    for seen in range(drawn + 1):
        possible = [
            relevant
            for relevant in range(left + 1)
            if min(hypergeom.cdf(seen, left, relevant, drawn), hypergeom.sf(seen - 1, left, relevant, drawn))
            > 0.025
        ]
        assert ElusionSample(left, drawn, drawn, seen).bounds == (possible[0], possible[-1])


def test_what_is_not_judged_may_be_relevant_or_not() -> None:
    low, high = ElusionSample(200, 30, 25, 4).bounds
    assert (low, high) == (
        ElusionSample(200, 30, 30, 4).bounds[0],
        ElusionSample(200, 30, 30, 9).bounds[1],
    )
    assert ElusionSample(200, 30, 0, 0).bounds == (0, 200)
    assert ElusionSample(200, 30, 0, 0).estimate is None
    assert ElusionSample(200, 30, 25, 4).estimate == 200 * 4 / 25


def test_none_found_is_bounded_and_a_larger_sample_bounds_it_closer() -> None:
    # (900 choose 100) / (1000 choose 100) and so on: P(none of 100 | 34 of 1000) is the last above 2.5 %.
    none = ElusionSample(1000, 100, 100, 0)
    assert none.bounds == (0, 34)
    assert hypergeom.cdf(0, 1000, 34, 100) > 0.025 > hypergeom.cdf(0, 1000, 35, 100)
    assert none.with_more(100).bounds[1] < 34
    assert none.with_more(5000) == ElusionSample(1000, 1000, 1000, 0)
    assert none.with_more(5000).bounds == (0, 0)


@pytest.mark.parametrize(
    "counts",
    [
        # left, drawn, relevant of each topic: equal and unequal shares, rare, common and everything.
        [(37, 7, 5), (37, 7, 3), (37, 7, 6), (37, 7, 3), (37, 7, 2)],
        [(52, 2, 20), (52, 2, 22), (52, 2, 15)],
        [(20, 10, 1), (50, 5, 0), (9, 9, 2)],
        [(20, 3, 19), (20, 3, 20)],
        [(18, 1, 2), (18, 1, 2)],
    ],
)
def test_the_interval_of_several_topics_covers_their_sum(counts: list[tuple[int, int, int]]) -> None:
    # The chance of each count of the pooled samples, by convolution: exact coverage.
    chances = np.ones(1)
    for left, drawn, relevant in counts:
        chances = np.convolve(chances, hypergeom.pmf(np.arange(drawn + 1), left, relevant, drawn))
    total, covered = sum(relevant for _, _, relevant in counts), 0.0
    for seen, chance in enumerate(chances):
        samples, rest = [], seen
        for left, drawn, _ in counts:
            own = min(rest, drawn)
            samples.append(ElusionSample(left, drawn, drawn, own))
            rest -= own
        low, high = bounds_of_sum(samples)
        covered += chance if low <= total <= high else 0.0
    assert covered >= 0.95


def test_one_topic_alone_and_everything_drawn_are_exact() -> None:
    one = ElusionSample(1000, 100, 100, 2)
    assert bounds_of_sum([one]) == one.bounds
    assert bounds_of_sum([]) == (0, 0)
    low, high = bounds_of_sum([ElusionSample(10, 10, 10, 4), ElusionSample(8, 8, 8, 1)])
    assert (low, high) == (5, 5)


def test_recall_turns_the_ends_around() -> None:
    assert recall_bounds(30, (10, 20)) == (30 / 50, 30 / 40)
    assert recall_bounds(0, (0, 5)) == (0.0, 1.0)
    assert recall_bounds(0, (0, 0)) is None


@pytest.mark.parametrize("counts", [(10, 0, 0, 0), (10, 11, 0, 0), (10, 5, 6, 0), (10, 5, 3, 4)])
def test_counts_that_cannot_be_are_no_sample(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(WorkbenchError):
        ElusionSample(*counts)
