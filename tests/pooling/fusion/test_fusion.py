"""Fused pools: the worked cases of the field (verified with ranx), the cut, ties and odd scores."""

from __future__ import annotations

import math

import pytest

from tests.pooling.some_runs import ABC, ranked, run
from tests.support import cases
from workbench.errors import WorkbenchError
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import build_pool
from workbench.records import Run


def fused(strategy: str, runs: list[Run], **parameters: object) -> Pool:
    return build_pool(runs, strategy=strategy, parameters=parameters)


def weights(pool: Pool) -> dict[str, float]:
    return {docno: weight for (_, docno), weight in pool.weights.items()}


def docnos(pool: Pool) -> list[str]:
    return [entry.docno for entry in pool.entries]


@pytest.mark.parametrize(
    ("strategy", "name"),
    [("rrf", "rrf_k60"), ("borda", "borda_fuse"), ("rbp", "rbp_weight_sum_method_A")],
)
def test_weights_by_rank_are_those_of_the_worked_case(strategy: str, name: str) -> None:
    case = cases("21_pooling_fusion.json")[name]
    runs = [ranked(tag, docnos) for tag, docnos in case["input"]["runs_in_rank_order"].items()]
    assert weights(fused(strategy, runs)) == pytest.approx(case["expected"], abs=case["tolerance"], rel=0)


def test_combsum_is_that_of_the_worked_case() -> None:
    case = cases("21_pooling_fusion.json")["combsum_minmax"]
    runs = [run(tag, {"1": scores}) for tag, scores in case["input"]["scores"].items()]
    assert weights(fused("combsum", runs)) == pytest.approx(case["expected"], abs=case["tolerance"], rel=0)


def test_combmnz_is_combsum_times_the_runs_that_retrieved() -> None:
    # d1 has 1 of A and 0 of B, two runs: (1 + 0) x 2; d2 .5 of A, one run; d3 0 of A and 1 of B, two runs.
    runs = [run("A", {"1": {"d1": 5.0, "d2": 4.0, "d3": 3.0}}), run("B", {"1": {"d3": 0.9, "d1": 0.1}})]
    assert weights(fused("combmnz", runs)) == {"d1": 2.0, "d2": 0.5, "d3": 2.0}


def test_a_budget_takes_the_first_of_the_worked_case() -> None:
    case = cases("21_pooling_fusion.json")["budget_cut_of_fused_pool"]
    pool = fused("rbp", ABC, budget=case["input"]["budget"])
    assert docnos(pool) == case["expected"]["pool"]
    # Each budget adds the next document of the order, equal weights by docno descending.
    taken: list[str] = []
    for budget in range(1, 11):
        (new,) = set(docnos(fused("rbp", ABC, budget=budget))) - set(taken)
        taken.append(new)
    assert taken == case["expected"]["order"]


def test_sums_that_are_equal_in_exact_arithmetic_are_equal() -> None:
    # .1 + .2 + .3 and .3 + .2 + .1 differ in the last bit of a double; the docno decides, not the rounding.
    scores = {"lo": 0.0, "hi": 1.0}
    runs = [
        run("A", {"1": {"a": 0.1, "b": 0.3, **scores}}),
        run("B", {"1": {"a": 0.2, "b": 0.2, **scores}}),
        run("C", {"1": {"a": 0.3, "b": 0.1, **scores}}),
    ]
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    assert docnos(fused("combsum", runs, budget=2)) == ["b", "hi"]


def test_deep_ranks_keep_their_order_in_rank_biased_weights() -> None:
    # At rank 150 the weight is .2 x .8^149 = 7e-16: compared to 12 digits, not to 12 decimals.
    deep = ranked("A", [f"d{9999 - rank}" for rank in range(200)])
    assert docnos(fused("rbp", [deep], budget=150)) == sorted(f"d{9999 - rank}" for rank in range(150))


def test_scores_that_are_all_equal_say_nothing() -> None:
    flat = run("flat", {"1": {"x": 7.0, "y": 7.0}})
    assert weights(fused("combsum", [flat])) == {"x": 0.0, "y": 0.0}
    assert weights(fused("combsum", [flat, run("A", {"1": {"y": 2.0, "z": 1.0}})]))["y"] == 1.0


def test_scores_as_far_apart_as_doubles_can_be_are_normalised() -> None:
    wide = run("wide", {"1": {"x": 1.7e308, "y": 0.0, "z": -1.7e308}})
    assert weights(fused("combsum", [wide])) == {"x": 1.0, "y": 0.5, "z": 0.0}


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("strategy", ["combsum", "combmnz"])
def test_a_score_that_is_not_finite_is_refused(strategy: str, score: float) -> None:
    with pytest.raises(WorkbenchError, match='the run "A" has a score that is not a finite number'):
        fused(strategy, [run("A", {"1": {"x": score, "y": 1.0}})])


def test_a_run_without_a_document_for_a_topic_does_not_vote() -> None:
    assert (
        fused("borda", [*ABC, ranked("D", ["x"], topic="2")]).weights.items()
        >= fused("borda", ABC).weights.items()
    )
