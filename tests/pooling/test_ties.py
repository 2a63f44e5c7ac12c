"""Ties at the cut of a depth pool, and the pool under each tie rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pooling.by_pool import cut_ties, decided
from tests.pooling.some_runs import MANY_SCORES, Scores, run
from workbench.pooling.analysis import examine
from workbench.pooling.contributions import CutTie
from workbench.pooling.depth import depth_pool
from workbench.records import TieRule

TIED = run("A", {"1": {"b": 5.0, "d": 7.0, "c": 5.0, "a": 5.0, "e": 1.0}})


@pytest.mark.parametrize(
    ("ties", "inside", "outside"),
    [
        (TieRule.TREC_EVAL, ("c",), ("b", "a")),
        (TieRule.DOCNO_ASCENDING, ("a",), ("b", "c")),
        (TieRule.FILE, ("b",), ("c", "a")),
    ],
)
def test_documents_of_the_same_score_on_both_sides_are_named_in_the_rules_order(
    ties: TieRule, inside: tuple[str, ...], outside: tuple[str, ...]
) -> None:
    assert cut_ties([TIED], depth=2, ties=ties) == (CutTie("A", "1", 5.0, inside, outside),)


@pytest.mark.parametrize("depth", [1, 4, 5, 6])
def test_there_is_no_tie_where_the_scores_differ_or_the_run_ends(depth: int) -> None:
    assert cut_ties([TIED], depth=depth) == ()


def test_ties_are_sorted_by_the_bytes_of_tag_and_topic() -> None:
    flat = {topic: {"x": 1.0, "y": 1.0} for topic in ("9", "10", "é")}
    found = cut_ties([run("b", flat), run("B", flat)], depth=1)
    assert [(tie.tag, tie.topic) for tie in found] == [
        ("B", "10"), ("B", "9"), ("B", "é"), ("b", "10"), ("b", "9"), ("b", "é"),
    ]  # fmt: skip


@given(MANY_SCORES, st.integers(1, 5), st.sampled_from(TieRule), st.sampled_from(TieRule))
def test_pools_under_two_rules_differ_only_in_what_the_rules_decided(
    scores: dict[str, Scores], depth: int, one: TieRule, other: TieRule
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    pools = [depth_pool(runs, depth=depth, ties=ties) for ties in (one, other)]
    found = decided(pools[0], cut_ties(runs, depth=depth, ties=one))
    assert pools[0].pairs - pools[1].pairs <= set(found.let_in)
    assert pools[1].pairs - pools[0].pairs <= set(found.kept_out)


def test_what_enters_and_leaves_is_worked_out_by_hand() -> None:
    # A ties x y z over the cut at 1; B brings y for certain. By docno descending A lets in z, ascending x, in
    # the order of the file y, which is there already.
    runs = [
        run("A", {"1": {"y": 1.0, "x": 1.0, "z": 1.0}}),
        run("B", {"1": {"y": 2.0, "z": 1.0}}),
    ]
    found = {one.rule: one for one in examine(runs, depth=1).rules}
    ascending, in_file = found[TieRule.DOCNO_ASCENDING], found[TieRule.FILE]
    assert (ascending.pairs, ascending.added, ascending.removed) == (2, (("1", "x"),), (("1", "z"),))
    assert (in_file.pairs, in_file.added, in_file.removed) == (1, (), (("1", "z"),))
    assert (found[TieRule.TREC_EVAL].added, found[TieRule.TREC_EVAL].removed) == ((), ())


@given(MANY_SCORES, st.integers(1, 5), st.sampled_from(TieRule))
def test_every_outcome_is_the_pool_made_under_that_rule(
    scores: dict[str, Scores], depth: int, chosen: TieRule
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    mine = depth_pool(runs, depth=depth, ties=chosen).pairs
    for one in examine(runs, depth=depth, ties=chosen).rules:
        theirs = depth_pool(runs, depth=depth, ties=one.rule).pairs
        assert one.pairs == len(theirs)
        assert set(one.added) == theirs - mine
        assert set(one.removed) == mine - theirs
