"""Growth of the depth pool: the sizes are those of the pools themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pooling.some_runs import ABC, MANY_SCORES, Scores, run
from workbench.errors import Conflict, WorkbenchError
from workbench.pooling.depth import depth_pool
from workbench.pooling.growth import growth
from workbench.pooling.summary import TopicSize, summarise
from workbench.records import TieRule


def test_the_worked_case_grows_by_three_two_none_and_five() -> None:
    # The sizes of depth_k_small: 3, 5, 5, 10 at depths 1, 2, 3, 5; three runs with five documents each.
    sizes = growth(ABC, [1, 2, 3, 5, 9])
    assert [(one.depth, one.size, one.largest_possible) for one in sizes] == [
        (1, 3, 3), (2, 5, 6), (3, 5, 9), (5, 10, 15), (9, 10, 15),
    ]  # fmt: skip
    assert sizes[1].topics == (TopicSize("1", 5, 6),)


@given(MANY_SCORES, st.lists(st.integers(1, 9), min_size=1, max_size=4), st.sampled_from(TieRule))
def test_every_size_is_that_of_the_pool_of_its_depth(
    scores: dict[str, Scores], depths: list[int], ties: TieRule
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    sizes = growth(runs, depths, ties=ties)
    assert [one.depth for one in sizes] == depths
    assert [one.topics for one in sizes] == [
        summarise(depth_pool(runs, depth=depth, ties=ties)).topics for depth in depths
    ]


def test_runs_may_come_from_an_iterator() -> None:
    assert growth(iter(ABC), [5, 1]) == growth(ABC, [5, 1])


@pytest.mark.parametrize("depths", [[], [0], [3, -1]])
def test_depths_below_one_are_refused(depths: list[int]) -> None:
    with pytest.raises(WorkbenchError, match="a pool's growth needs depths of 1 or more"):
        growth(ABC, depths)


def test_two_runs_with_one_tag_are_refused() -> None:
    with pytest.raises(Conflict):
        growth([ABC[0], ABC[0]], [1])
