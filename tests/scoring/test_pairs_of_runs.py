"""All pairs of runs: Holm's correction, and Tukey's HSD with topics as blocks."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from tests.support import cases
from workbench.errors import WorkbenchError
from workbench.scoring import pairs_of_runs
from workbench.scoring.pairs_of_runs import Comparisons, compare_all, holm, unexplained_variance
from workbench.scoring.relevance import Floats
from workbench.scoring.significance import compare_two


def scores_of(topics: int, runs: int, *, seed: int, apart: float = 0.0) -> Floats:
    """Topics of different difficulty, runs that are each `apart` better than the one before."""
    random = np.random.default_rng(seed)
    difficulty = random.uniform(0.2, 0.6, (topics, 1))
    return np.asarray(difficulty + apart * np.arange(runs) + random.normal(0, 0.05, (topics, runs)))


def test_holm_is_that_of_statsmodels() -> None:
    case = cases("42_significance.json")["holm_adjusted"]
    assert holm(case["input"]["p"]).tolist() == pytest.approx(case["expected"]["holm"], abs=1e-9)


def test_holm_leaves_out_what_is_undefined() -> None:
    assert holm([0.04, np.nan, 0.01]).tolist() == pytest.approx([0.04, np.nan, 0.02], nan_ok=True)


def test_tukeys_hsd_has_topics_as_blocks() -> None:
    case = cases("42_significance.json")["tukey_hsd_two_way"]
    scores = np.array(case["input"]["topic_by_system"])
    found = compare_all(scores, Comparisons.TUKEY)
    pairs = case["expected"]["pairs"]
    assert unexplained_variance(scores) == pytest.approx(case["expected"]["MSE"], abs=1e-12)
    assert found.p.tolist() == pytest.approx([pairs[pair]["p"] for pair in ("0-1", "0-2", "1-2")], abs=1e-7)
    # The case's differences are the second run less the first.
    assert (-found.differences).tolist() == pytest.approx(
        [pairs[pair]["diff"] for pair in ("0-1", "0-2", "1-2")], abs=1e-12
    )


def test_the_randomised_hsd_comes_close_to_all_permutations() -> None:
    scores = np.array([[0.1, 0.3, 0.2], [0.5, 0.9, 0.6], [0.2, 0.3, 0.4], [0.4, 0.7, 0.5], [0.3, 0.4, 0.4]])
    dealt = np.array(
        [np.mean(deal, axis=0) for deal in product(*(permutations(row) for row in scores.tolist()))]
    )
    ranges = dealt.max(axis=1) - dealt.min(axis=1)
    found = compare_all(scores, rounds=4000, seed=3)
    expected = [(ranges >= abs(size) - 1e-12).mean() for size in found.differences]
    # 6 ** 5 = 7,776 deals; the standard error of 4,000 draws is at most .008.
    assert len(ranges) == 7776
    assert found.p.tolist() == pytest.approx(expected, abs=0.025)
    assert (found.seed, found.rounds) == (3, 4000)


def test_the_randomised_hsd_agrees_with_tukeys_where_scores_are_normal() -> None:
    # Of runs that do not differ; where they do, dealing mixes the difference into what chance gives.
    scores = scores_of(40, 5, seed=1)
    randomised = compare_all(scores, rounds=4000)
    parametric = compare_all(scores, Comparisons.TUKEY)
    assert randomised.p.tolist() == pytest.approx(parametric.p.tolist(), abs=0.03)
    assert randomised.effects.tolist() == parametric.effects.tolist()
    assert randomised.reach.tolist() == pytest.approx(parametric.reach.tolist(), rel=0.05)


def test_large_differences_are_significant_and_small_ones_are_not() -> None:
    # Standard error of a difference: .05 * sqrt(2 / 40) = .011, here against .03 a step.
    found = compare_all(scores_of(40, 4, seed=1, apart=0.03), rounds=1000)
    apart = found.second - found.first
    assert found.significant[apart == 3].all()
    assert not found.significant.all()
    assert found.significant.tolist() == (np.abs(found.differences) > found.reach).tolist()


BY_THEMSELVES = (Comparisons.T_HOLM, Comparisons.WILCOXON_HOLM, Comparisons.RANDOMISATION_HOLM)


@pytest.mark.parametrize(
    ("comparisons", "place"),
    [(Comparisons.T_HOLM, 0), (Comparisons.WILCOXON_HOLM, 1), (Comparisons.RANDOMISATION_HOLM, 2)],
)
@pytest.mark.parametrize("topics", [12, 20])
def test_a_pair_by_itself_is_the_comparison_of_two_runs(
    comparisons: Comparisons, place: int, topics: int
) -> None:
    scores = scores_of(topics, 3, seed=2, apart=0.01)
    found = compare_all(scores, comparisons, rounds=500)
    pairs = [(0, 1), (0, 2), (1, 2)]
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == pairs
    for pair, (first, second) in enumerate(pairs):
        alone = compare_two(scores[:, first], scores[:, second], rounds=500)
        assert found.p[pair] == pytest.approx(alone.tests[place].p)
        assert found.effects[pair] == pytest.approx(alone.effect)
        assert found.differences[pair] - found.reach[pair] == pytest.approx(alone.low)
    assert found.adjusted.tolist() == holm(found.p).tolist()


@pytest.mark.parametrize("comparisons", [Comparisons.RANDOMISED_TUKEY, *BY_THEMSELVES])
def test_pairs_are_compared_in_parts_as_all_at_once(
    comparisons: Comparisons, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = scores_of(20, 6, seed=2, apart=0.01)
    whole = compare_all(scores, comparisons, rounds=200)
    # 15 pairs: parts of 4, 4, 4 and 3.
    monkeypatch.setattr(pairs_of_runs, "_AT_ONCE", 4)
    parts = compare_all(scores, comparisons, rounds=200)
    for name in ("first", "second", "differences", "reach", "effects", "p", "adjusted"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()


@pytest.mark.parametrize("comparisons", Comparisons)
def test_runs_that_are_the_same_never_differ_significantly(comparisons: Comparisons) -> None:
    scores = np.repeat(np.linspace(0.1, 0.9, 8)[:, np.newaxis], 3, axis=1)
    found = compare_all(scores, comparisons, rounds=50)
    assert found.differences.tolist() == [0.0] * 3
    assert not found.significant.any()


@pytest.mark.slow
@pytest.mark.parametrize("comparisons", [Comparisons.RANDOMISED_TUKEY, Comparisons.T_HOLM])
def test_one_false_difference_is_found_in_one_of_twenty_collections(comparisons: Comparisons) -> None:
    # Ten runs that do not differ: some pair seems to in 5 % of collections (300: standard error 1.3 points).
    found = [
        compare_all(scores_of(25, 10, seed=seed), comparisons, rounds=400).significant.any()
        for seed in range(300)
    ]
    assert 0.015 <= np.mean(found) <= 0.085


@pytest.mark.parametrize(
    "scores", [[[0.1, 0.2]], [[0.1], [0.2]], [0.1, 0.2], [[0.1, float("inf")], [0.1, 0.2]]]
)
def test_too_little_to_compare_is_refused(scores: list[object]) -> None:
    with pytest.raises(WorkbenchError) as refused:
        compare_all(scores)  # type: ignore[arg-type]
    assert refused.value.remedy
