"""The pool under each tie rule, told from the ties at the cut alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.pooling.some_runs import MANY_SCORES, Scores, run
from workbench.pooling.depth import depth_pool
from workbench.pooling.examining import examine
from workbench.records import TieRule


def test_what_enters_and_leaves_is_worked_out_by_hand() -> None:
    # A ties x y z over the cut at 1; B brings y for certain. By docno descending A lets in z, ascending x, in
    # the order of the file y, which is there already.
    runs = [
        run("A", {"1": {"y": 1.0, "x": 1.0, "z": 1.0}}),
        run("B", {"1": {"y": 2.0, "z": 1.0}}),
    ]
    found = {one.rule: one for one in examine(runs, depth=1).rules}
    ascending, in_file = found[TieRule.DOCNO_ASCENDING], found[TieRule.FILE]
    assert (ascending.pairs, ascending.entering, ascending.leaving) == (2, (("1", "x"),), (("1", "z"),))
    assert (in_file.pairs, in_file.entering, in_file.leaving) == (1, (), (("1", "z"),))
    assert (found[TieRule.TREC_EVAL].entering, found[TieRule.TREC_EVAL].leaving) == ((), ())


@given(MANY_SCORES, st.integers(1, 5), st.sampled_from(TieRule))
def test_every_outcome_is_the_pool_made_under_that_rule(
    scores: dict[str, Scores], depth: int, chosen: TieRule
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    mine = depth_pool(runs, depth=depth, ties=chosen).pairs
    for one in examine(runs, depth=depth, ties=chosen).rules:
        theirs = depth_pool(runs, depth=depth, ties=one.rule).pairs
        assert one.pairs == len(theirs)
        assert set(one.entering) == theirs - mine
        assert set(one.leaving) == mine - theirs
