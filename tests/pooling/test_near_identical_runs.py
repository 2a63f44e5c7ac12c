"""Near-identical runs: the overlap reported, and the bound that spares computing it."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from workbench.pooling import near_identical_runs
from workbench.pooling.near_identical_runs import (
    THRESHOLD,
    compared_topics,
    nearly_identical,
    tops_of,
)
from workbench.records import Ranking, Run

DOCNOS = [f"d{number:02d}" for number in range(60)]


def run(*rankings: list[str]) -> Run:
    return Run(
        "t",
        {
            str(topic): Ranking(tuple(docnos), tuple(float(-at) for at in range(len(docnos))))
            for topic, docnos in enumerate(rankings)
        },
    )


def likeness(one: Run, other: Run, topics: tuple[str, ...] = ("0", "1")) -> float | None:
    return nearly_identical(tops_of(one, topics), tops_of(other, topics))


def test_a_run_is_identical_with_itself() -> None:
    assert likeness(run(DOCNOS), run(DOCNOS)) == pytest.approx(1)


def test_a_swap_far_down_is_nearly_identical_and_one_at_the_top_is_not() -> None:
    # By hand at p .9: a swap of ranks r and r + 1 takes from depth r alone: (1 - p) p^(r-1) / r.
    far = [*DOCNOS[:9], DOCNOS[10], DOCNOS[9], *DOCNOS[11:]]
    assert likeness(run(DOCNOS), run(far)) == pytest.approx(1 - 0.1 * 0.9**9 / 10)
    # A swap at the top takes .1 of the overlap: .9 is below the threshold.
    top = [DOCNOS[1], DOCNOS[0], *DOCNOS[2:]]
    assert THRESHOLD == 0.95
    assert likeness(run(DOCNOS), run(top)) is None
    # Over two topics, of which one is the same, the mean is .95.
    assert likeness(run(DOCNOS, DOCNOS), run(top, DOCNOS)) == pytest.approx(0.95)


def test_a_topic_that_one_run_lacks_counts_nothing() -> None:
    assert likeness(run(DOCNOS, DOCNOS), run(DOCNOS)) is None
    assert likeness(run(DOCNOS, []), run(DOCNOS)) == pytest.approx(1)
    assert likeness(run([]), run([])) is None


def test_many_topics_are_compared_by_the_first() -> None:
    topics = [str(number) for number in range(1000)]
    assert compared_topics(topics) == tuple(topics[: near_identical_runs.MOST_TOPICS])


RANKINGS = st.lists(st.lists(st.sampled_from(DOCNOS[:9]), unique=True, max_size=9), min_size=1, max_size=3)
