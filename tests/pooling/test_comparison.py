"""Two pools side by side."""

from __future__ import annotations

from tests.pooling.some_runs import ABC
from workbench.pooling.comparison import Change, compare
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import Pool
from workbench.records import Contribution, PoolEntry


def entry(topic: str, docno: str, *tags: str) -> PoolEntry:
    return PoolEntry(topic, docno, tuple(Contribution(tag, 1) for tag in tags))


# a brings d1, d2 to T1; b brings d2 to T1 and d1 to T2. Later b alone brings d2, and d3 to T3.
BEFORE = Pool((entry("T1", "d1", "a"), entry("T1", "d2", "a", "b"), entry("T2", "d1", "b")), ("a", "b"), {})
AFTER = Pool((entry("T1", "d2", "b"), entry("T1", "d9"), entry("T3", "d3", "b", "c")), ("b", "c"), {})


def test_the_change_is_told_in_all_by_topic_and_by_run() -> None:
    found = compare(BEFORE, AFTER, judged={("T1", "d2"), ("T2", "d1")}, added_after={("T1", "d9")})
    # Name, before, after, entering, leaving, staying, to judge.
    assert found.total == Change("", 3, 3, 2, 2, 1, 2)
    assert found.by_topic == (
        Change("T1", 2, 2, 1, 1, 1, 1),
        Change("T2", 1, 0, 0, 1, 0, 0),
        Change("T3", 0, 1, 1, 0, 0, 1),
    )
    # T1 d2 stays in the pool but a brings it no more; b keeps T1 d2, loses T2 d1 and gains T3 d3.
    assert found.by_run == (
        Change("a", 2, 0, 0, 2, 0, 0),
        Change("b", 2, 2, 1, 1, 1, 1),
        Change("c", 0, 1, 1, 0, 0, 1),
    )
    assert found.by_hand == Change("", 0, 1, 1, 0, 0, 1)
    assert found.unjudged == {("T1", "d9"), ("T3", "d3")}


def test_what_enters_one_way_leaves_the_other() -> None:
    there, back = compare(BEFORE, AFTER, judged=()), compare(AFTER, BEFORE, judged=())
    assert there.difference.entering == back.difference.leaving
    for one, other in zip((*there.by_topic, *there.by_run), (*back.by_topic, *back.by_run), strict=True):
        assert (one.name, one.entering, one.leaving, one.staying) == (
            other.name,
            other.leaving,
            other.entering,
            other.staying,
        )


def test_a_pool_beside_itself_changes_nothing_and_asks_for_what_is_not_judged() -> None:
    pool = depth_pool(ABC, depth=2)
    found = compare(pool, pool, judged={("1", "d01")})
    assert (found.total.entering, found.total.leaving) == (0, 0)
    assert found.total.staying == found.total.to_judge + 1 == len(pool.entries)
    assert [one.name for one in found.by_run] == list(pool.tags)
