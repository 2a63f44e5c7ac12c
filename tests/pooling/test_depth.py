"""Depth-k pools: the cases of the field, ties, and what is refused."""

from __future__ import annotations

import pytest

from tests.pooling.some_runs import ranked, run
from tests.support import cases
from workbench.errors import WorkbenchError
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import Pool
from workbench.records import Ranking, Run, TieRule


def docnos(pool: Pool) -> list[str]:
    return [entry.docno for entry in pool.entries]


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_the_pool_is_the_union_of_the_first_documents(depth: int) -> None:
    case = cases("20_pooling_depth_k.json")["depth_k_small"]
    runs = [ranked(tag, docnos) for tag, docnos in case["input"]["runs_in_rank_order"].items()]
    assert docnos(depth_pool(runs, depth=depth)) == case["expected"][f"depth{depth}"]


@pytest.mark.parametrize(
    ("ties", "expected"),
    [(TieRule.TREC_EVAL, "c"), (TieRule.DOCNO_ASCENDING, "a"), (TieRule.FILE, "b")],
)
def test_the_tie_rule_decides_which_of_equal_documents_is_pooled(ties: TieRule, expected: str) -> None:
    tied = run("A", {"1": {"b": 1.0, "c": 1.0, "a": 1.0}})
    assert docnos(depth_pool([tied], depth=1, ties=ties)) == [expected]


def test_an_empty_ranking_brings_no_topic() -> None:
    assert depth_pool([Run("A", {"1": Ranking((), ())})]) == Pool((), ("A",), {})


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_is_refused(depth: int) -> None:
    with pytest.raises(WorkbenchError, match="give a depth of 1 or more"):
        depth_pool([ranked("A", ["x"])], depth=depth)


def test_runs_can_have_depths_of_their_own() -> None:
    case = cases("20_pooling_depth_k.json")["mixed_depth_small"]
    runs = [ranked(tag, docnos) for tag, docnos in case["input"]["runs_in_rank_order"].items()]
    assert docnos(depth_pool(runs, run_depths=case["input"]["depth"])) == case["expected"]["pool"]


def test_topics_can_have_depths_of_their_own_and_nought_leaves_one_out() -> None:
    runs = [run("A", {topic: {"x": 3.0, "y": 2.0, "z": 1.0} for topic in ("1", "2", "3")})]
    pool = depth_pool(runs, depth=1, topic_depths={"2": 3, "3": 0})
    assert [(one.topic, one.docno) for one in pool.entries] == [
        ("1", "x"),
        ("2", "x"),
        ("2", "y"),
        ("2", "z"),
    ]
    assert pool.largest_possible == {"1": 1, "2": 3}


def test_where_run_and_topic_have_their_own_depth_the_smaller_holds() -> None:
    runs = [ranked("A", ["a1", "a2", "a3"]), ranked("B", ["b1", "b2", "b3"])]
    pool = depth_pool(runs, depth=1, run_depths={"A": 3}, topic_depths={"1": 2})
    assert docnos(pool) == ["a1", "a2", "b1", "b2"]
    assert docnos(depth_pool(runs, depth=3, run_depths={"A": 1}, topic_depths={"1": 2})) == ["a1", "b1", "b2"]


@pytest.mark.parametrize(
    ("runs", "topics", "message"),
    [
        ({"A": 2, "b": 3, "B": 1}, {}, "a depth for the run B, b, but no such run"),
        ({}, {"01": 2}, "a depth for the topic 01, but no such topic"),
    ],
)
def test_a_depth_for_what_is_not_there_is_refused(
    runs: dict[str, int], topics: dict[str, int], message: str
) -> None:
    with pytest.raises(WorkbenchError, match=message):
        depth_pool([ranked("A", ["x"])], depth=1, run_depths=runs, topic_depths=topics)
