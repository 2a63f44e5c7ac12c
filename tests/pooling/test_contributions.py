"""What runs and groups bring to a pool, alone and together."""

from __future__ import annotations

from hypothesis import given

from tests.pooling.some_runs import MANY_SCORES, Scores, ranked, run
from tests.support import cases
from workbench.pooling.contributions import Part, contributions, uniques
from workbench.pooling.depth import depth_pool


def test_uniques_of_groups_are_those_of_the_worked_case() -> None:
    case = cases("23_uniques_leave_out.json")["leave_out_small"]
    given_runs = case["input"]["runs"]
    runs = [ranked(tag, one["ranking"]) for tag, one in given_runs.items()]
    groups = {tag: one["group"] for tag, one in given_runs.items()}
    pool = depth_pool(runs, depth=case["input"]["depth"])
    found = uniques(pool, groups)
    assert {name: [docno for _, docno in pairs] for name, pairs in found.items()} == case["expected"][
        "uniques"
    ]
    contributing = case["expected"]["contributing_groups"]
    assert contributions(pool, groups) == tuple(
        Part(
            name,
            sum(name in names for names in contributing.values()),
            len(case["expected"]["uniques"][name]),
        )
        for name in ("g1", "g2")
    )


def test_a_run_without_a_group_stands_for_itself() -> None:
    # d1 by all; d2 by A; d3 by A and C; d4, d5 by B; d6 by C.
    runs = [ranked("A", ["d1", "d2", "d3"]), ranked("B", ["d1", "d4", "d5"]), ranked("C", ["d3", "d6", "d1"])]
    pool = depth_pool(runs)
    assert contributions(pool) == (Part("A", 3, 1), Part("B", 3, 2), Part("C", 3, 1))
    assert contributions(pool, {"A": "g", "C": "g", "Z": "h"}) == (Part("B", 3, 2), Part("g", 4, 3))


def test_a_run_that_brings_nothing_is_there_with_nothing() -> None:
    pool = depth_pool([ranked("A", ["x"]), run("empty", {})])
    assert contributions(pool) == (Part("A", 1, 1), Part("empty", 0, 0))
    assert uniques(pool) == {"A": (("1", "x"),), "empty": ()}


@given(MANY_SCORES)
def test_counts_are_those_of_the_pairs(scores: dict[str, Scores]) -> None:
    pool = depth_pool([run(tag, topics) for tag, topics in scores.items()], depth=3)
    found = uniques(pool)
    assert {part.name: part.alone for part in contributions(pool)} == {
        name: len(pairs) for name, pairs in found.items()
    }
    assert sum(part.pairs for part in contributions(pool)) == sum(
        len(one.contributions) for one in pool.entries
    )
    assert set().union(*found.values()) <= pool.pairs
