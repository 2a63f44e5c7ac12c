"""Sittings, bins and trends of an assessor's judging."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.agreement.drift import FEWEST, Course, bins, sittings, trend_between, trend_within


def test_a_pause_of_thirty_minutes_begins_a_new_sitting() -> None:
    number, position = sittings([0, 60, 60 + 1799, 60 + 1799 + 1800, 9000])
    assert number.tolist() == [0, 0, 0, 1, 2]
    assert position.tolist() == [1, 2, 3, 1, 1]
    assert [part.tolist() for part in sittings([])] == [[], []]


def course() -> Course:
    """Four judgments; two others: same, half, nobody, and an answer that is no grade."""
    return Course(
        moments=np.array([0.0, 1.0, 2.0, 3.0]),
        codes=np.array([0, 1, 1, -1], dtype=np.int8),
        others=np.array([[2, 0], [1, 1], [0, 0], [1, 0]]),
        seconds=np.array([10.0, 30.0, np.nan, 20.0]),
    )


def test_agreement_is_the_share_of_the_others_who_say_the_same() -> None:
    assert course().agreement.tolist() == pytest.approx([1.0, 0.5, np.nan, np.nan], nan_ok=True)


def test_a_bin_says_what_was_given_and_how_far_it_was_shared() -> None:
    (found,) = bins(course(), np.zeros(4, dtype=np.int64))
    # Table: one pair 0-0; the other half 1-0 and half 1-1: shares .5 0 / .25 .25, pooled 5/8 and 3/8,
    # observed 3/4, expected 34/64: (48 - 34) / (64 - 34) = 7/15.
    assert (found.judgments, found.grades, found.compared) == (4, (1, 2), 2)
    assert (found.agreement, found.seconds) == (0.75, 20.0)
    assert found.kappa == pytest.approx(7 / 15)
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < 0.75 < found.high <= 1


def test_a_slope_within_sittings_takes_their_level_out() -> None:
    # Each sitting falls by 0.01 a judgment, the second from a level that is much higher.
    x = np.tile(np.arange(10), 6)
    sitting = np.repeat(np.arange(6), 10)
    found = trend_within(x, -0.01 * x + sitting, sitting)
    assert found.slope == pytest.approx(-0.01)
    assert found.low == pytest.approx(-0.01)
    assert found.high == pytest.approx(-0.01)
    assert found.shown
    assert (found.n, found.groups) == (60, 6)


def test_noise_shows_no_trend_and_p_is_uniform() -> None:
    rng = np.random.default_rng(1)
    x, sitting = np.tile(np.arange(8), 5), np.repeat(np.arange(5), 8)
    ps = [trend_within(x, rng.random(40), sitting, rounds=200, seed=3).p or 0 for _ in range(200)]
    # Of 200 tests about 10 are below 0.05: 3 to 20 but once in a thousand.
    assert 3 <= sum(p < 0.05 for p in ps) <= 20
    assert np.mean(ps) == pytest.approx(0.5, abs=0.08)


def test_from_sitting_to_sitting_the_line_of_least_squares_is_drawn() -> None:
    rng = np.random.default_rng(2)
    sitting = np.repeat(np.arange(8), 5)
    y = 0.9 - 0.05 * sitting + rng.normal(0, 0.01, 40)
    found = trend_between(sitting, y, sitting)
    assert found.slope == pytest.approx(float(np.polyfit(sitting, y, 1)[0]))
    assert found.shown
    assert found.low is not None
    assert found.high is not None
    assert found.low < -0.04
    assert found.high > -0.06
    assert found == trend_between(sitting, y, sitting)


def test_few_judgments_have_no_trend_and_few_sittings_no_interval() -> None:
    few = trend_within(np.arange(5), np.ones(5), np.zeros(5, dtype=np.int64))
    assert (few.slope, few.p) == (None, None)
    assert few.undefined == f"a trend needs {FEWEST} judgments that can be compared; there are 5"
    one = trend_within(np.arange(30), np.arange(30) % 3, np.zeros(30, dtype=np.int64))
    assert one.p is not None
    assert one.low is None
    assert one.no_interval == "an interval needs 5 sittings or more"
    same = trend_between(np.zeros(30), np.arange(30), np.repeat([0, 1], 15))
    assert "no line through them" in same.undefined


def test_many_values_have_the_p_of_their_permutations_without_drawing_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    x, sitting = np.tile(np.arange(30), 40), np.repeat(np.arange(40), 30)
    y = rng.random(1200) - 0.002 * x
    drawn = trend_within(x, y, sitting, rounds=4000).p
    monkeypatch.setattr("workbench.agreement.drift.MOST_PERMUTED", 1000)
    # 4,000 rounds leave an error of about 0.007 at a p of 0.2.
    assert trend_within(x, y, sitting).p == pytest.approx(drawn, abs=0.025)
