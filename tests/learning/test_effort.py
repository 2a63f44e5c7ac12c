"""Effort, recall at multiples of R, and the three definitions of work saved, on the worked list of 20."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import cases
from workbench.learning.effort import WORK_SAVED, effort_at, needed_for, recall_at

# Relevant at 1, 2, 4, 7 and 13 of 20.
RANKS = np.array([1, 2, 4, 7, 13])


def ranks_of(name: str) -> tuple[np.ndarray[tuple[int], np.dtype[np.intp]], int]:
    labels = np.array(cases("71_search_learning.json")[name]["input"]["labels_in_rank_order"])
    return np.flatnonzero(labels) + 1, len(labels)


def test_recall_and_effort_by_hand() -> None:
    # 4 of 5 among the first 5? No: 1, 2 and 4, so .6; among the first 10, .8; among the first 20, 1.
    assert [recall_at(RANKS, 5, multiple) for multiple in (1, 2, 4)] == [0.6, 0.8, 1.0]
    assert [effort_at(RANKS, 5, recall) for recall in (0.2, 0.8, 0.81, 1.0)] == [1, 7, 13, 13]
    # 10 * .7 is 7.000000000000001 as a double.
    assert needed_for(0.7, 10) == 7


def test_work_saved_as_asreviews_tool_has_it() -> None:
    ranks, collection = ranks_of("tar_measures_asreview_tool")
    expected = cases("71_search_learning.json")["tar_measures_asreview_tool"]["expected"]["wss_by_recall"]
    saved = WORK_SAVED["asreview"].compute
    for recall, value in expected:
        assert saved(ranks, collection, recall) == pytest.approx(value, abs=1e-9)


def test_definitions_differ_for_one_list() -> None:
    # At recall .8, rank 7: Cohen (20 - 7) / 20 - .2 = .45; ASReview .40.
    assert WORK_SAVED["cohen"].compute(RANKS, 20, 0.8) == pytest.approx(0.45)
    assert WORK_SAVED["asreview"].compute(RANKS, 20, 0.8) == pytest.approx(0.40)
    # Of 9 relevant round(.95 * 9) = 9, of 10 round(9.5) = 10, of 8 round(7.6) = 8; at .7 of 9, 6 and not 7.
    nine = np.arange(1, 10) * 2
    assert WORK_SAVED["clef"].compute(nine, 20, 0.7) == pytest.approx(8 / 20 - 0.3)
    assert WORK_SAVED["cohen"].compute(nine, 20, 0.7) == pytest.approx(6 / 20 - 0.3)
