"""Sizes that are planned against the pools that are then made."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pooling.by_pool import growth
from tests.pooling.some_runs import MANY_SCORES, Scores, ranked, run
from tests.pooling.test_pooling_laws import some_parameters
from tests.pooling.test_run_tops import tops
from tests.support import examples
from workbench.errors import InvalidInput
from workbench.formats.runs import cut
from workbench.pooling.comparison import without_pairs
from workbench.pooling.planning import Certainty, JudgingWork, Sizes, growth_table
from workbench.pooling.pool import Pool
from workbench.pooling.run_tops import known_tops, reached
from workbench.pooling.strategies import ADAPTIVE, ALL_STRATEGIES, STRATEGIES, build_pool, start
from workbench.records import Run, TieRule


def test_hours_are_pairs_times_judgments_times_seconds_shared_evenly() -> None:
    # 600 pairs twice are 1,200 judgments; at 30 s they take 36,000 s, ten hours; of four people 2.5 each.
    work = JudgingWork(per_pair=2, assessors=4, seconds=30.0)
    assert (work.judgments(600), work.hours(600), work.hours_each(600)) == (1200, 10.0, 2.5)


@pytest.mark.parametrize(
    ("per_pair", "assessors", "seconds", "codes"),
    [
        (0, 0, 0.0, ["per_pair", "assessors", "seconds"]),
        (3, 2, 30.0, ["assessors"]),
        (1, 1, float("nan"), ["seconds"]),
        (1, 1, float("inf"), ["seconds"]),
        (1, 10_001, 1.0, ["assessors"]),
    ],
)
def test_numbers_that_cannot_be_are_told_by_their_fields(
    per_pair: int, assessors: int, seconds: float, codes: list[str]
) -> None:
    with pytest.raises(InvalidInput) as refused:
        JudgingWork(per_pair, assessors, seconds)
    assert [finding.code for finding in refused.value.findings] == codes


def planned(
    runs: list[Run], strategy: str, given: dict[str, Any], known: set[tuple[str, str]] | None = None
) -> Sizes:
    """The sizes from no more of the runs than must be read."""
    values = ALL_STRATEGIES[strategy].values(given)
    longest: dict[str, int] = {}
    for one in runs:
        for topic, ranking in one.rankings.items():
            longest[topic] = max(longest.get(topic, 0), len(ranking))
    depth = ALL_STRATEGIES[strategy].depth_to_plan(values, longest, supplementary=known is not None)
    own = {name: values.get(name) for name in ("run_depths", "topic_depths")}
    reach = reached(tops(runs, depth), known=None if known is None else known_tops(known), **own)
    return ALL_STRATEGIES[strategy].sizes(reach, values, longest=longest, supplementary=known is not None)


def by_topic(pool: Pool) -> Counter[str]:
    return Counter(entry.topic for entry in pool.entries)


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(MANY_SCORES, st.data())
@settings(max_examples=examples(20), deadline=None)
def test_a_planned_size_is_that_of_the_pool(
    strategy: str, scores: dict[str, Scores], data: st.DataObject
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    parameters = some_parameters(data, strategy)
    plan = planned(runs, strategy, parameters)
    made = build_pool(runs, strategy=strategy, parameters=parameters)
    assert plan.certainty is Certainty.EXACT
    assert Counter({t: n for t, n in zip(plan.topics, plan.pairs, strict=True) if n}) == by_topic(made)
    assert plan.total == len(made.entries)


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(MANY_SCORES, st.data())
@settings(max_examples=examples(20), deadline=None)
def test_a_supplementary_size_is_exact_or_says_what_it_is(
    strategy: str, scores: dict[str, Scores], data: st.DataObject
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    parameters = some_parameters(data, strategy)
    pairs = sorted({(t, d) for one in runs for t, found in one.rankings.items() for d in found.docnos})
    known = set(data.draw(st.lists(st.sampled_from(pairs)))) if pairs else set()
    plan = planned(runs, strategy, parameters, known)
    made = by_topic(without_pairs(build_pool(runs, strategy=strategy, parameters=parameters), known))
    for topic, size in zip(plan.topics, plan.pairs, strict=True):
        if plan.certainty is Certainty.EXACT:
            assert made[topic] == size
        elif plan.certainty is Certainty.AT_MOST:
            assert made[topic] <= size
        else:
            assert size >= 0
    expected = {"depth": Certainty.EXACT, "take-n": Certainty.EXACT}
    sampled = dict.fromkeys(("random", "stratified"), Certainty.EXPECTED)
    assert plan.certainty is {**expected, **sampled}.get(strategy, Certainty.AT_MOST)


@given(MANY_SCORES, st.integers(1, 6), st.data())
@settings(max_examples=examples(20), deadline=None)
def test_own_depths_of_runs_and_topics_count(
    scores: dict[str, Scores], depth: int, data: st.DataObject
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    topics = sorted({topic for one in runs for topic in one.rankings})
    own: dict[str, Any] = {"depth": depth}
    for name, those in (("run_depths", [one.tag for one in runs]), ("topic_depths", topics)):
        if those:
            own[name] = data.draw(st.dictionaries(st.sampled_from(those), st.integers(0, 8)), label=name)
    made = build_pool(runs, strategy="depth", parameters=own)
    assert planned(runs, "depth", own).total == len(made.entries)


@given(MANY_SCORES)
@settings(max_examples=examples(20), deadline=None)
def test_the_growth_table_has_all_depths_at_once(scores: dict[str, Scores]) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    reach = reached(tops(runs, 6))
    table = growth_table(reach, 6).cumsum(axis=1)
    for at in growth(runs, [1, 2, 3, 4, 5, 6]) if runs else ():
        assert table[:, at.depth - 1].sum() == at.size
        plain = {topic.topic: topic.size for topic in at.topics}
        arrays = zip(reach.topics, table[:, at.depth - 1].tolist(), strict=True)
        assert {topic: size for topic, size in arrays if size} == plain


def test_what_is_left_of_a_sample_is_its_expected_number() -> None:
    # Ten documents, of which five are known; of a sample of four two are new on average. By strata: the
    # first two (one known) are all taken, 1 new; of the other eight (four known) half is drawn, 2 new.
    runs = [ranked("A", [f"d{n}" for n in range(10)])]
    known = {("1", f"d{n}") for n in (0, 3, 5, 7, 9)}
    drawn = planned(runs, "random", {"budget": 4}, known)
    assert (drawn.pairs, drawn.certainty) == ((2.0,), Certainty.EXPECTED)
    strata = planned(runs, "stratified", {"strata": "1:2:1 3:10:0.5"}, known)
    assert strata.pairs == (1.0 + 4 * 4 / 8,)


@pytest.mark.parametrize("strategy", ADAPTIVE)
@given(MANY_SCORES, st.integers(1, 4), st.integers(1, 3), st.data())
@settings(max_examples=examples(15), deadline=None)
def test_an_adaptive_pool_is_planned_as_large_as_it_can_become(
    strategy: str, scores: dict[str, Scores], budget: int, depth: int, data: st.DataObject
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    pairs = sorted({(t, d) for one in runs for t, found in one.rankings.items() for d in found.docnos})
    known = set(data.draw(st.lists(st.sampled_from(pairs)))) if pairs else set()
    parameters = {"budget": budget, "depth": depth}
    pool = start(runs, strategy=strategy, parameters=parameters)
    for topic, docno in sorted(known):
        pool.judged(topic, docno, None)
    plan = planned(runs, strategy, parameters, known)
    assert plan.certainty is Certainty.EXACT
    assert dict(zip(plan.topics, plan.pairs, strict=True)) == {t: pool.left(t) for t in plan.topics}


def test_a_budget_that_one_list_fills_needs_no_document_to_be_read() -> None:
    values = STRATEGIES["rrf"].values({"budget": 5})
    assert STRATEGIES["rrf"].depth_to_plan(values, {"1": 5, "2": 9}) == 0
    # The list of topic 2 is shorter, so that topic must be read whole.
    assert STRATEGIES["rrf"].depth_to_plan(values, {"1": 5, "2": 3}) == 3
    assert STRATEGIES["rrf"].depth_to_plan(values, {"1": 5, "2": 3}, supplementary=True) == 5


@pytest.mark.parametrize(
    ("strategy", "given", "depth"),
    [
        ("depth", {"depth": 7}, 7),
        ("depth", {"depth": 7, "run_depths": "A=9 B=3"}, 9),
        ("depth", {"depth": 7, "topic_depths": "1=20"}, 20),
        ("random", {"depth": 30}, 30),
        ("stratified", {"strata": "1:10:1 11:40:.1"}, 40),
        ("hedge", {"depth": 12}, 12),
        ("rrf", {}, None),
        ("take-n", {}, None),
    ],
)
def test_how_deep_a_strategy_reads(strategy: str, given: dict[str, Any], depth: int | None) -> None:
    chosen = ALL_STRATEGIES[strategy]
    assert chosen.depth_read(chosen.values(given)) == depth


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(MANY_SCORES, st.data())
@settings(max_examples=examples(13), deadline=None)
def test_a_pool_from_what_a_strategy_reads_is_the_pool_from_all(
    strategy: str, scores: dict[str, Scores], data: st.DataObject
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    parameters = some_parameters(data, strategy)
    ties = data.draw(st.sampled_from(TieRule))
    depth = STRATEGIES[strategy].depth_read(STRATEGIES[strategy].values(parameters))
    tops_only = runs if depth is None else [cut(one, depth, ties) for one in runs]
    whole = build_pool(runs, strategy=strategy, ties=ties, parameters=parameters)
    assert build_pool(tops_only, strategy=strategy, ties=ties, parameters=parameters) == whole
