"""Random pools: lots, probabilities, seeds."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest

from tests.pooling.some_runs import ABC, ranked
from workbench.errors import WorkbenchError
from workbench.pooling.depth import depth_pool
from workbench.pooling.sampling import random_pool, seeded_key


def test_a_lot_is_the_hash_of_seed_topic_and_docno() -> None:
    assert seeded_key(7, "MB001", "d\udcff#é") == sha256(b"7\nMB001\nd\xff#\xc3\xa9").digest()


def test_the_sample_has_the_smallest_lots_of_the_depth_pool() -> None:
    whole = [entry.docno for entry in depth_pool(ABC, depth=2).entries]
    expected = sorted(whole, key=lambda docno: seeded_key(3, "1", docno))[:2]
    pool = random_pool(ABC, depth=2, budget=2, seed=3)
    assert sorted(expected) == [entry.docno for entry in pool.entries]
    assert pool.inclusion == {("1", docno): 2 / 5 for docno in expected}
    assert pool.strata == {("1", docno): 1 for docno in whole}


def test_a_sample_may_be_the_whole() -> None:
    pool = random_pool(ABC, depth=2, budget=100)
    assert pool.entries == depth_pool(ABC, depth=2).entries
    assert set(pool.inclusion.values()) == {1.0}
    assert pool.largest_possible == {"1": 6}


def test_every_document_is_drawn_as_often_as_any_other() -> None:
    # 2,000 seeds x 3 of 10 documents: 600 each, standard deviation 20.5.
    drawn = Counter(
        entry.docno for seed in range(2000) for entry in random_pool(ABC, budget=3, seed=seed).entries
    )
    assert len(drawn) == 10
    assert all(abs(count - 600) < 4 * 20.5 for count in drawn.values())


def test_topics_are_drawn_independently() -> None:
    docnos = [f"d{number}" for number in range(20)]
    runs = [ranked("A", docnos, topic="1"), ranked("B", docnos, topic="2")]
    pool = random_pool(runs, budget=10)
    first, second = ({docno for topic, docno in pool.pairs if topic == wanted} for wanted in "12")
    assert len(first) == len(second) == 10
    assert first != second


@pytest.mark.parametrize(("depth", "budget"), [(0, 1), (1, 0)])
def test_a_sample_of_nothing_is_refused(depth: int, budget: int) -> None:
    with pytest.raises(WorkbenchError, match="1 or more"):
        random_pool(ABC, depth=depth, budget=budget)
