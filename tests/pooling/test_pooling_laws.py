"""What must hold for every strategy in the catalogues, whatever the runs; none escapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pooling.by_pool import replay, summarise
from tests.pooling.some_runs import MANY_SCORES, Scores, by_hand, run
from tests.support import examples
from workbench.pooling.pool import Pool
from workbench.pooling.sampling import accept_strata
from workbench.pooling.strategies import ADAPTIVE, STRATEGIES, build_pool, start
from workbench.records import Run, TieRule, id_bytes

Parameters = dict[str, Any]

RULES = st.sampled_from(TieRule)
DOCNO_RULES = st.sampled_from([TieRule.TREC_EVAL, TieRule.DOCNO_ASCENDING])
SOME = {
    "depth": st.integers(1, 6),
    "budget": st.integers(1, 5),
    "seed": st.integers(0, 3),
    "strata": st.sampled_from(["1:1:1 2:3:.5 4:8:.3", "1:2:.4", "1:1:.1 3:6", "2:5"]).map(accept_strata),
    "k": st.sampled_from([0, 60]),
    "p": st.sampled_from([0.01, 0.5, 0.8, 0.999]),
    "z": st.sampled_from([1, 3, 1000]),
    "beta": st.sampled_from([0.001, 0.1, 0.999]),
    "maximum": st.sampled_from([1, 100]),
    "reduction": st.sampled_from([1, 100]),
}
# Sixteen strategies share most of what could go wrong, so each needs fewer examples.
FEWER = settings(max_examples=examples(7), deadline=None)
EVERY = pytest.mark.parametrize("name", [*STRATEGIES, *ADAPTIVE])


def runs(scores: Mapping[str, Scores]) -> list[Run]:
    return [run(tag, topics) for tag, topics in scores.items()]


def some_parameters(data: st.DataObject, name: str) -> Parameters:
    """Small values for all parameters of a strategy that are in `SOME`; the others have their defaults."""
    strategy = {**STRATEGIES, **ADAPTIVE}[name]
    return {
        one.name: data.draw(SOME[one.name], label=one.name) for one in strategy.parameters if one.name in SOME
    }


def relevant(docno: str) -> bool:
    return sum(id_bytes(docno)) % 3 == 0


def pooled(given_runs: list[Run], name: str, ties: TieRule, parameters: Parameters) -> Pool:
    """The pool of a strategy; an adaptive one after one assessor has judged all that it hands out."""
    if name in STRATEGIES:
        return build_pool(given_runs, strategy=name, ties=ties, parameters=parameters)
    adaptive = start(given_runs, strategy=name, ties=ties, parameters=parameters)
    for topic in adaptive.topics:
        while (docno := adaptive.next(topic)) is not None:
            adaptive.judged(topic, docno, relevant(docno))
    return adaptive.pool()


def reach(parameters: Parameters) -> int | None:
    """How far down a run a strategy goes; None for all the way."""
    if "strata" in parameters:
        last: int = parameters["strata"][-1].last
        return last
    return parameters.get("depth")


@EVERY
@FEWER
@given(st.data(), MANY_SCORES, RULES)
def test_a_pool_is_of_the_runs_documents_and_names_all_that_brought_them(
    name: str, data: st.DataObject, scores: dict[str, Scores], ties: TieRule
) -> None:
    parameters = some_parameters(data, name)
    brought: dict[tuple[str, str], list[tuple[int, bytes]]] = {}
    for tag, topics in scores.items():
        for topic, scored in topics.items():
            for rank, docno in enumerate(by_hand(scored, ties)[: reach(parameters)], 1):
                brought.setdefault((topic, docno), []).append((rank, id_bytes(tag)))
    pool = pooled(runs(scores), name, ties, parameters)
    for entry in pool.entries:
        found = [(one.rank, id_bytes(one.tag)) for one in entry.contributions]
        assert found == sorted(brought[entry.topic, entry.docno])


@EVERY
@FEWER
@given(st.data(), MANY_SCORES, RULES)
def test_entries_are_sorted_and_each_pair_stands_once(
    name: str, data: st.DataObject, scores: dict[str, Scores], ties: TieRule
) -> None:
    pool = pooled(runs(scores), name, ties, some_parameters(data, name))
    keys = [(id_bytes(one.topic), id_bytes(one.docno)) for one in pool.entries]
    assert keys == sorted(set(keys))
    assert list(pool.tags) == sorted(scores, key=id_bytes)


@EVERY
@FEWER
@given(st.data(), MANY_SCORES, RULES)
def test_no_pool_is_larger_than_its_budget_or_the_largest_possible(
    name: str, data: st.DataObject, scores: dict[str, Scores], ties: TieRule
) -> None:
    parameters = some_parameters(data, name)
    pool = pooled(runs(scores), name, ties, parameters)
    sizes = summarise(pool).topics
    assert sum(topic.size for topic in sizes) == len(pool.entries)
    assert all(topic.size <= topic.largest_possible for topic in sizes)
    if "budget" in parameters:
        assert all(topic.largest_possible <= parameters["budget"] for topic in sizes)


@EVERY
@FEWER
@given(st.data(), MANY_SCORES, RULES)
def test_the_order_of_the_runs_does_not_matter_and_a_pool_comes_out_again(
    name: str, data: st.DataObject, scores: dict[str, Scores], ties: TieRule
) -> None:
    parameters = some_parameters(data, name)
    shuffled = data.draw(st.permutations(runs(scores)))
    assert pooled(shuffled, name, ties, parameters) == pooled(runs(scores), name, ties, parameters)


@EVERY
@FEWER
@given(st.data(), MANY_SCORES, DOCNO_RULES)
def test_the_order_of_lines_does_not_matter_where_docnos_break_ties(
    name: str, data: st.DataObject, scores: dict[str, Scores], ties: TieRule
) -> None:
    parameters = some_parameters(data, name)
    shuffled = {
        tag: {
            topic: dict(data.draw(st.permutations(list(scored.items())))) for topic, scored in topics.items()
        }
        for tag, topics in scores.items()
    }
    assert pooled(runs(shuffled), name, ties, parameters) == pooled(runs(scores), name, ties, parameters)


def grows_with(name: str) -> str:
    return "depth" if name == "depth" else "budget"


@EVERY
@FEWER
@given(st.data(), MANY_SCORES, RULES)
def test_a_pool_grows_with_its_depth_or_budget(
    name: str, data: st.DataObject, scores: dict[str, Scores], ties: TieRule
) -> None:
    parameters = some_parameters(data, name)
    size = grows_with(name)
    more = {**parameters, size: parameters[size] + 1}
    assert pooled(runs(scores), name, ties, parameters).pairs <= pooled(runs(scores), name, ties, more).pairs


@EVERY
@FEWER
@given(st.data(), MANY_SCORES, RULES)
def test_weights_and_probabilities_are_those_of_the_entries(
    name: str, data: st.DataObject, scores: dict[str, Scores], ties: TieRule
) -> None:
    pool = pooled(runs(scores), name, ties, some_parameters(data, name))
    for mapping in (pool.weights, pool.inclusion):
        assert not mapping or set(mapping) == pool.pairs
    assert all(weight >= 0 for weight in pool.weights.values())
    assert all(0 < share <= 1 for share in pool.inclusion.values())
    assert pool.pairs <= set(pool.strata) or not pool.strata


@pytest.mark.parametrize("name", STRATEGIES)
def test_what_a_strategy_says_of_its_entries_is_known(name: str) -> None:
    pool = pooled([run("A", {"1": {"x": 2.0, "y": 1.0}})], name, TieRule.TREC_EVAL, {})
    assert bool(pool.weights) == (name not in {"depth", "take-n", "random", "stratified"})
    assert bool(pool.inclusion) == bool(pool.strata) == (name in {"random", "stratified"})


@pytest.mark.parametrize("name", ADAPTIVE)
@FEWER
@given(st.data(), MANY_SCORES, RULES)
def test_an_adaptive_pool_hands_out_all_that_its_budget_allows(
    name: str, data: st.DataObject, scores: dict[str, Scores], ties: TieRule
) -> None:
    parameters = some_parameters(data, name)
    whole = build_pool(runs(scores), strategy="depth", ties=ties, parameters={"depth": parameters["depth"]})
    reached = {topic.topic: min(topic.size, parameters["budget"]) for topic in summarise(whole).topics}
    pool = pooled(runs(scores), name, ties, parameters)
    assert {topic.topic: topic.size for topic in summarise(pool).topics} == reached


@pytest.mark.parametrize("name", ADAPTIVE)
@FEWER
@given(st.data(), MANY_SCORES, RULES)
def test_several_assessors_never_get_one_document_and_all_comes_out_again(
    name: str, data: st.DataObject, scores: dict[str, Scores], ties: TieRule
) -> None:
    parameters = some_parameters(data, name)
    adaptive = start(runs(scores), strategy=name, ties=ties, parameters=parameters)
    out: dict[str, list[str]] = {topic: [] for topic in adaptive.topics}
    seen: dict[str, set[str]] = {topic: set() for topic in adaptive.topics}
    for _ in range(data.draw(st.integers(0, 25)) if adaptive.topics else 0):
        topic = data.draw(st.sampled_from(adaptive.topics))
        act = data.draw(st.sampled_from(["next", "next", "judge", "unasked", "change", "give back"]))
        if act == "next":
            docno = adaptive.next(topic)
            if docno is not None:
                assert docno not in out[topic]
                assert docno not in seen[topic]
                out[topic].append(docno)
        elif act == "unasked":
            unasked = data.draw(
                st.sampled_from(sorted({d for one in scores.values() for d in one.get(topic, ())}))
            )
            if unasked not in out[topic]:
                adaptive.judged(topic, unasked, True)
                seen[topic].add(unasked)
        elif act == "change" and seen[topic]:
            again = data.draw(st.sampled_from(sorted(seen[topic])))
            adaptive.judged(topic, again, data.draw(st.sampled_from([True, False, None])))
        elif act in {"judge", "give back"} and out[topic]:
            docno = data.draw(st.sampled_from(out[topic]))
            out[topic].remove(docno)
            if act == "judge":
                adaptive.judged(topic, docno, data.draw(st.sampled_from([True, False, None])))
                seen[topic].add(docno)
            else:
                adaptive.give_back(topic, docno)
    again_runs = data.draw(st.permutations(runs(scores)))
    events = adaptive.events
    replayed = replay(again_runs, events, strategy=name, ties=ties, parameters=parameters)
    recorded = start(again_runs, strategy=name, ties=ties, parameters=parameters)
    for event in events:
        recorded.record(event)
    assert replayed.events == recorded.events == events
    assert replayed.pool() == recorded.pool() == adaptive.pool()
    for topic in adaptive.topics:
        assert adaptive.next(topic) == replayed.next(topic) == recorded.next(topic)
