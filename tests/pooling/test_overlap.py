"""Overlap of runs: counts, shares and the order in which alike runs stand together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.pooling.by_pool import overlap
from tests.pooling.some_runs import ABC, MANY_SCORES, Scores, ranked, run
from workbench.pooling.depth import depth_pool
from workbench.records import TieRule


def test_shared_pairs_are_counted_over_all_topics() -> None:
    # To depth 3 A has d01 d02 d03, B d03 d06 d01, C d09 d06 d02.
    runs = [*ABC, ranked("D", ["d01"], topic="2")]
    found = overlap(runs, depth=3)
    assert found.tags == ("A", "B", "C", "D")
    assert found.shared.tolist() == [[3, 2, 1, 0], [2, 3, 1, 0], [1, 1, 3, 0], [0, 0, 0, 1]]
    assert found.shares()[0].tolist() == [1, 2 / 4, 1 / 5, 0]


def test_two_runs_without_documents_have_no_share() -> None:
    assert not overlap([run("A", {}), run("B", {})]).shares().any()


def test_alike_runs_stand_together() -> None:
    # a and d share 3 of 5, c and e too, but a comes first. d is more like c (2 of 6) than a is like c or e
    # (1 of 7), so c goes beside d; e beside c; b is like nothing.
    runs = [
        ranked("a", ["1", "7", "8", "9"]),
        ranked("b", ["x", "y", "z", "w"]),
        ranked("c", ["1", "2", "3", "4"]),
        ranked("d", ["1", "2", "7", "8"]),
        ranked("e", ["1", "2", "3", "5"]),
    ]
    found = overlap(runs)
    assert "".join(found.tags[place] for place in found.chain()) == "adceb"


@given(MANY_SCORES, st.integers(1, 6), st.sampled_from(TieRule))
def test_counts_are_those_of_the_runs_own_pools(scores: dict[str, Scores], depth: int, ties: TieRule) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    found = overlap(runs, depth=depth, ties=ties)
    own = {one.tag: depth_pool([one], depth=depth, ties=ties).pairs for one in runs}
    assert found.shared.tolist() == [
        [len(own[first] & own[second]) for second in found.tags] for first in found.tags
    ]
    assert sorted(found.chain()) == list(range(len(runs)))
    again = overlap(runs[::-1], depth=depth, ties=ties)
    assert (again.tags, again.shared.tolist()) == (found.tags, found.shared.tolist())
