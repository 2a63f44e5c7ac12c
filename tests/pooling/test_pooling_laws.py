"""What must hold for every pool, whatever the runs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench.pooling
from tests.pooling.some_runs import MANY_SCORES, Scores, by_hand, run
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import STRATEGIES, build_pool
from workbench.pooling.summary import summarise
from workbench.records import Run, TieRule, id_bytes

RULES = st.sampled_from(TieRule)
DOCNO_RULES = st.sampled_from([TieRule.TREC_EVAL, TieRule.DOCNO_ASCENDING])
DEPTHS = st.integers(1, 6)


def runs(scores: Mapping[str, Scores]) -> list[Run]:
    return [run(tag, topics) for tag, topics in scores.items()]


def pairs(pool: Pool) -> set[tuple[str, str]]:
    return {(entry.topic, entry.docno) for entry in pool.entries}


@given(MANY_SCORES, DEPTHS, RULES)
def test_a_pool_is_the_union_of_the_pools_of_its_runs(
    scores: dict[str, Scores], depth: int, ties: TieRule
) -> None:
    alone = [pairs(depth_pool([one], depth=depth, ties=ties)) for one in runs(scores)]
    assert pairs(depth_pool(runs(scores), depth=depth, ties=ties)) == set().union(*alone)


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


@given(MANY_SCORES, DEPTHS, RULES)
def test_a_pool_grows_with_its_depth(scores: dict[str, Scores], depth: int, ties: TieRule) -> None:
    shallow = depth_pool(runs(scores), depth=depth, ties=ties)
    deep = depth_pool(runs(scores), depth=depth + 1, ties=ties)
    assert pairs(shallow) <= pairs(deep)


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(st.data(), MANY_SCORES, RULES)
def test_no_strategy_minds_the_order_of_the_runs(
    strategy: str, data: st.DataObject, scores: dict[str, Scores], ties: TieRule
) -> None:
    shuffled = data.draw(st.permutations(runs(scores)))
    assert build_pool(shuffled, strategy=strategy, ties=ties) == build_pool(
        runs(scores), strategy=strategy, ties=ties
    )


@given(st.data(), MANY_SCORES, DEPTHS, DOCNO_RULES)
def test_the_order_of_lines_does_not_matter_where_docnos_break_ties(
    data: st.DataObject, scores: dict[str, Scores], depth: int, ties: TieRule
) -> None:
    shuffled = {
        tag: {
            topic: dict(data.draw(st.permutations(list(scored.items())))) for topic, scored in topics.items()
        }
        for tag, topics in scores.items()
    }
    assert depth_pool(runs(shuffled), depth=depth, ties=ties) == depth_pool(
        runs(scores), depth=depth, ties=ties
    )


@given(MANY_SCORES, DEPTHS)
def test_entries_are_sorted_and_each_pair_stands_once(scores: dict[str, Scores], depth: int) -> None:
    keys = [
        (id_bytes(one.topic), id_bytes(one.docno)) for one in depth_pool(runs(scores), depth=depth).entries
    ]
    assert keys == sorted(set(keys))


@given(MANY_SCORES, DEPTHS)
def test_no_pool_is_larger_than_the_largest_possible(scores: dict[str, Scores], depth: int) -> None:
    summary = summarise(depth_pool(runs(scores), depth=depth))
    assert all(topic.size <= topic.largest_possible for topic in summary.topics)
    assert summary.size == sum(topic.size for topic in summary.topics)
    assert summary.largest_possible == sum(topic.largest_possible for topic in summary.topics)


def test_every_function_that_makes_a_pool_is_in_the_catalogue() -> None:
    modules = [
        importlib.import_module(f"workbench.pooling.{module.name}")
        for module in pkgutil.iter_modules(workbench.pooling.__path__)
    ]
    makers = {
        function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and inspect.signature(function).return_annotation == "Pool"
    }
    assert makers - {build_pool} == {strategy.build for strategy in STRATEGIES.values()}
