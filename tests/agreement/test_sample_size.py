"""How many doubly judged pairs: against published sizes, closed forms and simulated samples."""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.agreement.closed_form import kappa_error
from workbench.agreement.sample_estimates import likeness, mean_topic_size, prove, stratified_kappa
from workbench.agreement.sample_size import (
    FEWEST,
    Chance,
    Draw,
    deviations_by_label,
    expected_shares,
    kappa_of_shares,
    moves,
    pairs_needed,
    spread,
    variance_at_random,
)
from workbench.agreement.unpooled import unpooled_kappa
from workbench.errors import InvalidInput

Z = NormalDist().inv_cdf(0.975)
TABLES = st.lists(st.lists(st.integers(1, 60), min_size=3, max_size=3), min_size=3, max_size=3)


def unpooled(share: float, kappa: float, half_width: float) -> float:
    """The exact number of pairs, before it is rounded up."""
    needed = pairs_needed(
        expected_shares([share, 1 - share], kappa), half_width=half_width, chance=Chance.UNPOOLED
    )
    assert needed.variance is not None
    return (Z / half_width) ** 2 * needed.variance


def test_sizes_are_those_that_reichenheim_printed() -> None:
    # Reichenheim 2000, Stata Technical Bulletin 58, sxd3: 384 for kappa 0, both 0.1, d 0.1; 114, with a Q of
    # 1.182, for kappa 0.1, both 0.2, d 0.2; whatever kappa is, at most 126, which kappa 0.289 asks for.
    assert round(unpooled(0.1, 0.0, 0.1)) == 384
    shares = expected_shares([0.2, 0.8], 0.1)
    assert round(float(variance_at_random(shares, Chance.UNPOOLED)), 3) == 1.182
    assert pairs_needed(shares, half_width=0.2, chance=Chance.UNPOOLED).pairs == 114
    by_kappa = {kappa / 1000: unpooled(0.2, kappa / 1000, 0.2) for kappa in range(1000)}
    worst = max(by_kappa, key=lambda kappa: by_kappa[kappa])
    assert (worst, round(by_kappa[worst])) == (0.289, 126)


def test_the_variance_gives_cantors_size_of_a_test() -> None:
    # Cantor 1996, as printed in the manual of R's irr (N.cohen.kappa(0.5, 0.5, 0.7, 0.85)): 96 at 5 % one-
    # sided with power 80 %.
    deviation = {
        kappa: sqrt(float(variance_at_random(expected_shares([0.5, 0.5], kappa), Chance.UNPOOLED)))
        for kappa in (0.7, 0.85)
    }
    normal = NormalDist().inv_cdf
    assert ceil(((normal(0.95) * deviation[0.85] + normal(0.8) * deviation[0.7]) / 0.15) ** 2) == 96


def test_the_pooled_variance_is_that_of_the_intraclass_kappa() -> None:
    # Bloch and Kraemer 1989: (1 - k) ((1 - k)(1 - 2k) + k(2 - k) / (2p(1 - p))).
    for p, k in ((0.5, 0.0), (0.3, 0.6), (0.1, 0.4), (0.05, 0.8)):
        expected = (1 - k) * ((1 - k) * (1 - 2 * k) + k * (2 - k) / (2 * p * (1 - p)))
        found = float(variance_at_random(expected_shares([p, 1 - p], k), Chance.POOLED))
        assert found == pytest.approx(expected, abs=1e-12)


@settings(max_examples=30)
@given(TABLES)
def test_the_variance_of_any_table_is_that_of_fleiss_cohen_and_everitt(counts: list[list[int]]) -> None:
    table = np.array(counts)
    shares = table / table.sum()
    assert float(kappa_of_shares(shares, Chance.UNPOOLED)) == pytest.approx(unpooled_kappa(table).value)
    linear = np.abs(np.subtract.outer(range(3), range(3))) / 2
    for weights in (None, linear):
        error = sqrt(float(variance_at_random(shares, Chance.UNPOOLED, weights)) / table.sum())
        assert error == pytest.approx(kappa_error(table, weights))


@settings(max_examples=20)
@given(TABLES, st.sampled_from(Chance))
def test_moves_are_what_a_small_change_of_a_cell_does(counts: list[list[int]], chance: Chance) -> None:
    shares = np.array(counts) / np.sum(counts)
    g, step = moves(shares, chance), 1e-6
    for place in np.ndindex(3, 3):
        more, less = shares.copy(), shares.copy()
        more[place] += step
        less[place] -= step
        slope = (kappa_of_shares(more, chance) - kappa_of_shares(less, chance)) / (2 * step)
        assert float(slope) == pytest.approx(g[place], rel=1e-4, abs=1e-6)


@settings(max_examples=20)
@given(TABLES, st.sampled_from(Chance))
def test_a_draw_by_label_never_needs_more_than_one_at_random(counts: list[list[int]], chance: Chance) -> None:
    # (sum of w s)^2 <= sum of w s^2 <= the variance of all, since what rows differ by on average is left out.
    shares = np.array(counts) / np.sum(counts)
    weighed = float((shares.sum(axis=1) * deviations_by_label(shares, chance)).sum())
    assert weighed**2 <= float(variance_at_random(shares, chance)) + 1e-12


def test_whole_topics_need_more_by_the_likeness_of_their_pairs() -> None:
    # 1 + (30 - 1) x 0.05 = 2.45 times as many.
    shares = expected_shares([0.2, 0.8], 0.6)
    single = pairs_needed(shares, half_width=0.05)
    whole = pairs_needed(shares, half_width=0.05, draw=Draw.TOPIC, topic_size=30, likeness=0.05)
    assert whole.effect == pytest.approx(2.45)
    assert single.variance is not None
    assert whole.pairs == ceil(2.45 * (Z / 0.05) ** 2 * single.variance)


@pytest.mark.parametrize("draw", [Draw.RANDOM, Draw.LABEL])
@pytest.mark.parametrize("chance", list(Chance))
@pytest.mark.parametrize(("shares", "kappa"), [((0.2, 0.8), 0.6), ((0.5, 0.5), 0.3), ((0.2, 0.3, 0.5), 0.5)])
def test_simulated_samples_of_that_size_give_that_interval(
    draw: Draw, chance: Chance, shares: tuple[float, ...], kappa: float
) -> None:
    table = expected_shares(shares, kappa)
    needed = pairs_needed(table, half_width=0.08, draw=draw, chance=chance)
    proof = prove(table, needed, rounds=4000, seed=7)
    # 4,000 rounds leave an error of 0.0034 in the coverage.
    assert proof.coverage == pytest.approx(0.95, abs=0.012)
    assert proof.half_width == pytest.approx(0.08, rel=0.02)
    assert proof == prove(table, needed, rounds=4000, seed=7)


def test_a_stratified_sample_gives_the_kappa_of_the_whole() -> None:
    # 100 of 1,000 relevant and 100 of 9,000 not relevant were judged again: 80 and 20, 5 and 95. The whole is
    # .08 .02 / .045 .855: observed .935, expected .1 x .125 + .9 x .875 = .8, kappa .135 / .2 = .675. The
    # drawn table itself would say (.875 - .5) / .5 = .75.
    found = stratified_kappa([[80, 20], [5, 95]], [1000, 9000], chance=Chance.UNPOOLED)
    assert found.value == pytest.approx(0.675)
    assert found.n == 200
    # A cell moves kappa by (.2 if they agree - .065 (column of its row + row of its column)) / .2 squared: in
    # the first row (.2 - .065 x .225) / .04 = 4.634375 and -.065 x 1.025 / .04 = -1.665625, 6.3 apart at
    # shares .8 and .2; in the second -1.584375 and 2.115625, 3.7 apart at .05 and .95.
    first = 0.1**2 * 0.8 * 0.2 * 6.3**2 / 99
    second = 0.9**2 * 0.05 * 0.95 * 3.7**2 / 99
    assert found.interval.low == pytest.approx(0.675 - Z * sqrt(first + second))


def test_a_stratified_sample_that_says_nothing_says_why() -> None:
    assert stratified_kappa([[0, 0], [0, 0]], [5, 5]).undefined == "no pair was judged by both"
    assert "no pair is judged a second time yet" in stratified_kappa([[3, 1], [0, 0]], [5, 5]).undefined
    assert "the same grade" in stratified_kappa([[0, 0], [0, 4]], [0, 5]).undefined


def test_pairs_are_spread_within_what_there_is() -> None:
    assert spread(100, [1, 3]) == (25, 75)
    # The first stratum has ten, and the second gets what it cannot give.
    assert spread(100, [1, 3], [10, 500]) == (10, 90)
    assert spread(100, [1, 3], [3, 5]) == (3, 5)
    # Two of each, however little it weighs: else its spread is not seen.
    assert spread(50, [0, 1], [40, 400]) == (2, 48)
    assert sum(spread(31, [1, 1, 1])) == 31


def test_likeness_is_one_where_topics_differ_and_nothing_within_them_does() -> None:
    # Two topics without a difference among their pairs, one always in agreement and one never; the pairs of
    # the first say the same as one another, those of the second likewise.
    same, apart = [[10, 0], [0, 0]], [[0, 0], [10, 0]]
    assert likeness([same, apart]) == pytest.approx(1.0)
    assert likeness([[[5, 2], [2, 5]]] * 4) == 0.0
    assert likeness([[[5, 2], [2, 5]]]) == 0.0
    # A pair lies in a topic of (10 x 10 + 30 x 30) / 40 = 25 pairs on average.
    assert mean_topic_size([10, 30]) == 25.0


def test_what_has_no_kappa_has_no_size() -> None:
    needed = pairs_needed(np.array([[1.0, 0.0], [0.0, 0.0]]), half_width=0.05)
    assert (needed.pairs, needed.kappa) == (None, None)
    assert "no kappa to estimate" in needed.undefined
    assert pairs_needed(expected_shares([0.5, 0.5], 0.99), half_width=0.5).pairs == FEWEST


@pytest.mark.parametrize(
    ("prevalence", "kappa"), [([0.5, 0.6], 0.5), ([1.0, 0.0], 0.5), ([0.5, 0.5], 1.0), ([0.1, 0.9], -0.9)]
)
def test_guesses_that_cannot_be_are_refused(prevalence: list[float], kappa: float) -> None:
    with pytest.raises(InvalidInput):
        expected_shares(prevalence, kappa)


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(InvalidInput) as refused:
        pairs_needed(expected_shares([0.5, 0.5], 0.5), half_width=0, level=2, topic_size=0, likeness=-1)
    assert [one.code for one in refused.value.findings] == ["half_width", "level", "likeness", "topic_size"]
