"""Sittings, bins and trends of an assessor's judging."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.agreement.drift import FEWEST, trend_between, trend_within


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
    assert few.would_define == f"{FEWEST - 5} more"
    one = trend_within(np.arange(30), np.arange(30) % 3, np.zeros(30, dtype=np.int64))
    assert one.p is not None
    assert one.low is None
    assert one.no_interval == "an interval needs 5 sittings or more"
    assert one.would_define == "4 more"
    same = trend_between(np.zeros(30), np.arange(30), np.repeat([0, 1], 15))
    assert "no line through them" in same.undefined


def test_an_interval_of_which_no_draw_has_a_slope_says_so() -> None:
    # Five of six sittings are of one day: (5/6)^6, a third of all draws, has these alone, as seed 0.
    days, sitting = np.repeat([0, 0, 0, 0, 0, 1], 5), np.repeat(np.arange(6), 5)
    found = trend_between(days, np.arange(30) % 2, sitting, rounds=1, seed=0)
    assert found.slope is not None
    assert (found.low, found.high) == (None, None)
    assert found.no_interval == "no draw of the sittings has a slope"


def test_many_values_have_the_p_of_their_permutations_without_drawing_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    x, sitting = np.tile(np.arange(30), 40), np.repeat(np.arange(40), 30)
    y = rng.random(1200) - 0.002 * x
    # Also of values of which few are large, as active seconds are; from seed 5 their p are .02 and .19.
    for values in (y, rng.exponential(1, 1200) ** 2 + 0.012 * x):
        monkeypatch.undo()
        exact = trend_within(x, values, sitting).p
        monkeypatch.setattr("workbench.agreement.drift.MOST_PERMUTED", 1200)
        # 4,000 rounds leave an error of about 0.007 at a p of 0.2.
        assert exact == pytest.approx(trend_within(x, values, sitting, rounds=4000).p, abs=0.025)


def test_topics_one_after_the_other_that_differ_are_no_fatigue() -> None:
    # Sittings of four topics of ten pairs each, with shares of relevant that are drawn for the topic.
    rng = np.random.default_rng(7)
    x, sitting = np.tile(np.arange(40), 6), np.repeat(np.arange(6), 40)
    topic = np.repeat(np.arange(24), 10)
    alarms = {True: 0, False: 0}
    for _ in range(100):
        y = (rng.random(240) < np.repeat(rng.random(24), 10)).astype(float)
        for told, found in (
            (True, trend_within(x, y, sitting, topic=topic, rounds=100)),
            (False, trend_within(x, y, sitting, rounds=100)),
        ):
            alarms[told] += found.shown
    # 5 of 100 by chance, more than 12 but once in a thousand; without the topics many more.
    assert alarms[True] <= 12
    assert alarms[False] >= 20


def test_a_slope_that_all_topics_share_is_found_within_them() -> None:
    x, sitting = np.tile(np.arange(40), 6), np.repeat(np.arange(6), 40)
    topic = np.repeat(np.arange(24), 10)
    found = trend_within(x, -0.01 * x + topic % 5, sitting, topic=topic)
    assert (found.groups, found.n) == (6, 240)
    for one in (found.slope, found.low, found.high):
        assert one == pytest.approx(-0.01)
