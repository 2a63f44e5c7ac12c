"""What must hold for every depth pool, whatever the runs."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from tests.pooling.some_runs import MANY_SCORES, Scores, by_hand, run
from workbench.pooling.depth import depth_pool
from workbench.records import Run, TieRule, id_bytes

RULES = st.sampled_from(TieRule)
DEPTHS = st.integers(1, 6)


def runs(scores: Mapping[str, Scores]) -> list[Run]:
    return [run(tag, topics) for tag, topics in scores.items()]


@given(MANY_SCORES, DEPTHS, RULES)
def test_a_pool_is_the_union_of_the_pools_of_its_runs(
    scores: dict[str, Scores], depth: int, ties: TieRule
) -> None:
    alone = [depth_pool([one], depth=depth, ties=ties).pairs for one in runs(scores)]
    assert depth_pool(runs(scores), depth=depth, ties=ties).pairs == frozenset().union(*alone)


@given(MANY_SCORES, DEPTHS, RULES)
def test_contributions_are_the_ranks_that_runs_give_within_the_depth(
    scores: dict[str, Scores], depth: int, ties: TieRule
) -> None:
    expected: dict[tuple[str, str], list[tuple[int, bytes]]] = {}
    for tag, topics in scores.items():
        for topic, scored in topics.items():
            for rank, docno in enumerate(by_hand(scored, ties)[:depth], 1):
                expected.setdefault((topic, docno), []).append((rank, id_bytes(tag)))
    found = {
        (entry.topic, entry.docno): [(one.rank, id_bytes(one.tag)) for one in entry.contributions]
        for entry in depth_pool(runs(scores), depth=depth, ties=ties).entries
    }
    assert found == {pair: sorted(brought) for pair, brought in expected.items()}
