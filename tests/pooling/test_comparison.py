"""What changes from one pool to another, by topic and run."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from tests.pooling.by_pool import fused
from tests.pooling.some_runs import ABC
from workbench.pooling.comparison import (
    NO_MEMBERS,
    ComparedTags,
    PoolChange,
    PoolComparison,
    PoolMembers,
    TopicMembers,
    compare_topic,
    put_together,
    without_pairs,
)
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import Pair, Pool
from workbench.pooling.sampling import stratified_pool
from workbench.records import Contribution, PoolEntry


def test_what_enters_what_leaves_and_what_stays() -> None:
    # Depth 1: d01 d03 d09. The three largest of reciprocal rank fusion: d01 d03 d06 (case rrf_k60).
    before, after = depth_pool(ABC, depth=1).pairs, fused("rrf", ABC, budget=3).pairs
    assert after - before == {("1", "d06")}
    assert before - after == {("1", "d09")}
    assert before & after == {("1", "d01"), ("1", "d03")}


def test_a_supplementary_pool_is_what_is_left() -> None:
    deep, shallow = depth_pool(ABC, depth=2), depth_pool(ABC, depth=1)
    left = without_pairs(deep, shallow.pairs | {("1", "judged elsewhere"), ("2", "d02")})
    assert [entry.docno for entry in left.entries] == ["d02", "d06"]
    assert set(left.entries) <= set(deep.entries)
    assert (left.tags, left.largest_possible) == (deep.tags, deep.largest_possible)


def test_what_is_taken_away_keeps_no_weight_and_no_stratum() -> None:
    left = without_pairs(fused("rrf", ABC, budget=3), [("1", "d01")])
    assert set(left.weights) == left.pairs == {("1", "d03"), ("1", "d06")}
    sampled = stratified_pool(ABC)
    left = without_pairs(sampled, [("1", "d01")])
    assert set(left.inclusion) == set(left.strata) == left.pairs == sampled.pairs - {("1", "d01")}


def entry(topic: str, docno: str, *tags: str) -> PoolEntry:
    return PoolEntry(topic, docno, tuple(Contribution(tag, 1) for tag in tags))


# a brings d1, d2 to T1; b brings d2 to T1 and d1 to T2. Later b alone brings d2, and d3 to T3.
BEFORE = Pool((entry("T1", "d1", "a"), entry("T1", "d2", "a", "b"), entry("T2", "d1", "b")), ("a", "b"), {})
AFTER = Pool((entry("T1", "d2", "b"), entry("T1", "d9"), entry("T3", "d3", "b", "c")), ("b", "c"), {})


def members(pool: Pool, *, added: frozenset[Pair] = frozenset()) -> PoolMembers:
    place = {tag: number for number, tag in enumerate(pool.tags)}
    topics = {}
    for topic in dict.fromkeys(one.topic for one in pool.entries):
        entries = [one for one in pool.entries if one.topic == topic]
        topics[topic] = TopicMembers(
            tuple(one.docno for one in entries),
            np.array([place[each.tag] for one in entries for each in one.contributions], np.int64),
            np.array([len(one.contributions) for one in entries], np.int64),
            frozenset(docno for name, docno in added if name == topic),
        )
    return PoolMembers(pool.tags, topics)


def compared(before: PoolMembers, after: PoolMembers, *, judged: Set[Pair]) -> PoolComparison:
    tags = ComparedTags.of(before.tags, after.tags)
    found = []
    for topic in sorted({*before.topics, *after.topics}):
        was, now = (one.topics.get(topic, NO_MEMBERS) for one in (before, after))
        of_topic = {docno for name, docno in judged if name == topic}
        found.append(compare_topic(topic, tags, was, now, judged=of_topic))
    return put_together(tags, found)


def test_the_change_is_told_in_all_by_topic_and_by_run() -> None:
    found = compared(
        members(BEFORE),
        members(AFTER, added=frozenset({("T1", "d9")})),
        judged={("T1", "d2"), ("T2", "d1")},
    )
    # Name, before, after, added, removed, kept, to judge.
    assert found.total == PoolChange("", 3, 3, 2, 2, 1, 2)
    assert found.by_topic == (
        PoolChange("T1", 2, 2, 1, 1, 1, 1),
        PoolChange("T2", 1, 0, 0, 1, 0, 0),
        PoolChange("T3", 0, 1, 1, 0, 0, 1),
    )
    # T1 d2 stays in the pool but a brings it no more; b keeps T1 d2, loses T2 d1 and gains T3 d3.
    assert found.by_run == (
        PoolChange("a", 2, 0, 0, 2, 0, 0),
        PoolChange("b", 2, 2, 1, 1, 1, 1),
        PoolChange("c", 0, 1, 1, 0, 0, 1),
    )
    assert found.by_hand == PoolChange("", 0, 1, 1, 0, 0, 1)
    unjudged = [
        (one.topic, docno)
        for one in found.topics
        for docno, open_ in zip(one.docnos, one.after & ~one.judged, strict=True)
        if open_
    ]
    assert unjudged == [("T1", "d9"), ("T3", "d3")]


def test_what_enters_one_way_leaves_the_other() -> None:
    before, after = members(BEFORE), members(AFTER)
    there, back = compared(before, after, judged=set()), compared(after, before, judged=set())
    assert there.total.added == back.total.removed
    for one, other in zip((*there.by_topic, *there.by_run), (*back.by_topic, *back.by_run), strict=True):
        assert (one.name, one.added, one.removed, one.kept) == (
            other.name,
            other.removed,
            other.added,
            other.kept,
        )
