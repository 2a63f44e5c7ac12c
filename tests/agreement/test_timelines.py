"""Sittings and stretches of an assessor's judging."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.agreement.timelines import Timeline, bins, sittings


def test_a_pause_of_thirty_minutes_begins_a_new_sitting() -> None:
    number, position = sittings([0, 60, 60 + 1799, 60 + 1799 + 1800, 9000])
    assert number.tolist() == [0, 0, 0, 1, 2]
    assert position.tolist() == [1, 2, 3, 1, 1]
    assert [part.tolist() for part in sittings([])] == [[], []]


def course() -> Timeline:
    """Four judgments; two others: same, half, nobody, and an answer that is no grade."""
    return Timeline(
        moments=np.array([0.0, 1.0, 2.0, 3.0]),
        codes=np.array([0, 1, 1, -1], dtype=np.int8),
        others=np.array([[2, 0], [1, 1], [0, 0], [1, 0]]),
        seconds=np.array([10.0, 30.0, np.nan, 20.0]),
        topics=np.zeros(4, dtype=np.int64),
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
