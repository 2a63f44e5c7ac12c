"""Depth-k pools: the cases of the field, ties, and what is refused."""

from __future__ import annotations

import weakref
from collections.abc import Iterator

import pytest

from tests.pooling.some_runs import ranked, run
from tests.support import cases
from workbench.errors import WorkbenchError
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import Pool
from workbench.records import Contribution, PoolEntry, Ranking, Run, TieRule


def docnos(pool: Pool) -> list[str]:
    return [entry.docno for entry in pool.entries]


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_the_pool_is_the_union_of_the_first_documents(depth: int) -> None:
    case = cases("20_pooling_depth_k.json")["depth_k_small"]
    runs = [ranked(tag, docnos) for tag, docnos in case["input"]["runs_in_rank_order"].items()]
    assert docnos(depth_pool(runs, depth=depth)) == case["expected"][f"depth{depth}"]


@pytest.mark.parametrize(
    "name", ["ties_by_docno_descending", "docno_order_is_bytewise", "scores_are_numeric"]
)
def test_the_runs_are_read_in_the_order_of_trec_eval(name: str) -> None:
    case = cases("20_pooling_depth_k.json")[name]
    scored = {docno: float(score) for docno, score in case["input"]["docno_score"]}
    pool = depth_pool([run("A", {"1": scored})])
    ranks = {entry.docno: entry.contributions[0].rank for entry in pool.entries}
    assert sorted(ranks, key=ranks.__getitem__) == case["expected"]["order"]


@pytest.mark.parametrize(
    ("ties", "expected"),
    [(TieRule.TREC_EVAL, "c"), (TieRule.DOCNO_ASCENDING, "a"), (TieRule.FILE, "b")],
)
def test_the_tie_rule_decides_which_of_equal_documents_is_pooled(ties: TieRule, expected: str) -> None:
    tied = run("A", {"1": {"b": 1.0, "c": 1.0, "a": 1.0}})
    assert docnos(depth_pool([tied], depth=1, ties=ties)) == [expected]


def test_every_entry_names_the_runs_that_brought_it_by_rank_then_tag() -> None:
    runs = [ranked("C", ["x", "y"]), ranked("B", ["y", "x"]), ranked("A", ["z", "y"])]
    assert depth_pool(runs, depth=2).entries == (
        PoolEntry("1", "x", (Contribution("C", 1), Contribution("B", 2))),
        PoolEntry("1", "y", (Contribution("B", 1), Contribution("A", 2), Contribution("C", 2))),
        PoolEntry("1", "z", (Contribution("A", 1),)),
    )


def test_topics_share_what_says_that_a_run_brought_a_document_at_a_rank() -> None:
    # Of 71 runs to depth 100 there are 7,100 of these, not one for each of 355,000 documents.
    both = run("A", {"1": {"x": 2.0, "y": 1.0}, "2": {"z": 2.0, "y": 1.0}})
    x, y, again, z = depth_pool([both]).entries
    assert x.contributions[0] is z.contributions[0]
    assert y.contributions[0] is again.contributions[0]


def test_entries_are_sorted_by_the_bytes_of_topic_and_docno() -> None:
    # "10" < "9" < "B" < "a" < "é" (C3 A9) < the lone byte FF; topic 10 before topic 9.
    runs = [ranked("A", ["a", "é", "9", "\udcff"], topic="9"), ranked("B", ["B", "10"], topic="10")]
    pairs = [(entry.topic, entry.docno) for entry in depth_pool(runs).entries]
    assert pairs == [("10", "10"), ("10", "B"), ("9", "9"), ("9", "a"), ("9", "é"), ("9", "\udcff")]


def test_the_largest_possible_pool_counts_what_runs_have_up_to_the_depth() -> None:
    runs = [ranked("A", ["x", "y", "z"]), ranked("B", ["x"]), ranked("C", ["x"], topic="2")]
    pool = depth_pool(runs, depth=2)
    assert pool.largest_possible == {"1": 2 + 1, "2": 1}
    assert pool.tags == ("A", "B", "C")


def test_runs_from_an_iterator_are_let_go() -> None:
    class Rankings(dict[str, Ranking]):
        """A mapping that can be watched."""

    watched: list[weakref.ref[Rankings]] = []

    def one_by_one() -> Iterator[Run]:
        for number in range(4):
            rankings = Rankings({"1": Ranking((f"d{number}",), (1.0,))})
            watched.append(weakref.ref(rankings))
            # The loop that takes the runs may still hold the one before.
            assert [one() for one in watched[:-2]] == [None] * (len(watched) - 2 if number else 0)
            yield Run(f"run{number}", rankings)

    assert len(depth_pool(one_by_one()).entries) == 4


def test_no_runs_make_an_empty_pool() -> None:
    assert depth_pool([]) == Pool((), (), {})


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
