"""Adaptive pools on judgments that exist."""

from __future__ import annotations

import pytest

from tests.pooling.by_pool import replay
from tests.pooling.some_runs import ABC, ABC_RELEVANT, ranked
from workbench.pooling.adaptive_pool import Simulated, simulated
from workbench.pooling.strategies import ADAPTIVE, start


def test_what_is_found_is_counted_topic_by_topic() -> None:
    """By hand, max-mean: A plays x (relevant, so A has 2/3), then y; of topic 2 there is only z."""
    runs = [ranked("A", ["x", "y"]), ranked("B", ["z"], topic="2")]
    known = {("1", "x"): True, ("1", "y"): False, ("3", "w"): True}
    assert list(simulated(start(runs, strategy="max-mean"), known)) == [
        Simulated("1", "x", 1, relevant=True, found=1),
        Simulated("1", "y", 2, relevant=False, found=1),
        Simulated("2", "z", 1, relevant=None, found=0),
    ]


def test_what_is_not_known_teaches_nothing_or_counts_as_not_relevant() -> None:
    """By hand, max-mean: A plays x. If that taught nothing A has 1/2 still and plays y; else it has 1/3."""
    runs = [ranked("A", ["x", "y"]), ranked("B", ["z"])]
    docnos = {
        unknown: [one.docno for one in simulated(start(runs, strategy="max-mean"), {}, unknown=unknown)]
        for unknown in (None, False)
    }
    assert docnos == {None: ["x", "y", "z"], False: ["x", "z", "y"]}


@pytest.mark.parametrize("strategy", ADAPTIVE)
def test_a_simulation_is_a_pool_that_can_be_replayed(strategy: str) -> None:
    pool = start(ABC, strategy=strategy, parameters={"budget": 6})
    judged = list(simulated(pool, {("1", docno): True for docno in ABC_RELEVANT}, unknown=False))
    assert [one.number for one in judged] == [1, 2, 3, 4, 5, 6]
    assert judged[-1].found == len({one.docno for one in judged} & set(ABC_RELEVANT))
    again = replay(ABC, pool.events, strategy=strategy, parameters={"budget": 6})
    assert again.pool() == pool.pool()
