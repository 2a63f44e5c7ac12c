"""All pairs of runs: Holm's correction, and the largest t of all pairs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.support import Oracle, cases
from workbench.errors import WorkbenchError
from workbench.scoring.pairs_of_runs import Comparisons, compare_all, finds_nothing, holm
from workbench.scoring.relevance import Floats
from workbench.scoring.significance import compare_two

stats = Oracle("scipy.stats")


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


def test_the_largest_t_comes_close_to_all_draws_of_the_topics() -> None:
    scores = scores_of(5, 3, seed=1, apart=0.02)
    pairs = scores[:, [0, 0, 1]] - scores[:, [1, 2, 2]]
    # 5 ** 5 = 3,125 draws of five topics, less five of one topic alone, which have no t.
    draws = np.array([drawn for drawn in product(range(5), repeat=5) if len(set(drawn)) > 1])
    assert len(draws) == 3120
    centred = (pairs - pairs.mean(axis=0))[draws.T]
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.nanmax(np.abs(stats.ttest_1samp(centred, 0).statistic), axis=1)
    expected = [(largest >= abs(t)).mean() for t in stats.ttest_1samp(pairs, 0).statistic]
    found = compare_all(scores, rounds=4000, seed=3)
    # The standard error of 4,000 draws is at most .008.
    assert found.p.tolist() == pytest.approx(expected, abs=0.025)
    assert (found.seed, found.rounds) == (3, 4000)


def test_the_largest_t_of_two_runs_is_students_where_differences_are_normal() -> None:
    # 2,000 rounds have a standard error of at most .011; 50 topics bootstrap a t almost as Student's.
    for seed in range(5):
        scores = scores_of(50, 2, seed=seed)
        (found,) = compare_all(scores).p
        assert found == pytest.approx(stats.ttest_rel(*scores.T).pvalue, abs=0.03)
    assert compare_all(scores).rounds == 2000


def test_every_pair_has_an_error_of_its_own() -> None:
    # The same mean difference on all topics: certain of the first two runs, less so of a third that varies.
    random = np.random.default_rng(6)
    steady = scores_of(40, 1, seed=6)
    scores = np.hstack(
        [steady, steady + random.normal(0.02, 0.01, (40, 1)), steady + random.normal(0.02, 0.2, (40, 1))]
    )
    found = compare_all(scores)
    assert found.significant.tolist() == [True, False, False]
    assert found.reach[1] > 10 * found.reach[0]
    deviations = np.array([(scores[:, 0] - scores[:, other]).std(ddof=1) for other in (1, 2)])
    assert found.effects[:2].tolist() == pytest.approx((found.differences[:2] / deviations).tolist())


@pytest.mark.parametrize("seed", range(10))
def test_an_interval_excludes_0_exactly_where_the_difference_is_significant(seed: int) -> None:
    # A step is about the standard error of a difference, so that of 28 pairs some are on either side.
    found = compare_all(scores_of(20, 8, seed=seed, apart=0.015), seed=seed)
    assert 0 < found.significant.sum() < 28
    assert found.significant.tolist() == (np.abs(found.differences) > found.reach).tolist()


@pytest.mark.parametrize("seed", range(10))
def test_what_holm_leaves_has_0_in_its_interval(seed: int) -> None:
    # Bonferroni's intervals are a little wider: Holm finds all that exclude 0, and perhaps one more.
    found = compare_all(scores_of(20, 8, seed=seed, apart=0.015), Comparisons.T_HOLM)
    assert found.significant[np.abs(found.differences) > found.reach].all()


@pytest.mark.parametrize(
    ("topics", "pairs", "needed"),
    [
        # The smallest p is 2 / 2 ** topics: of 10 topics 45 of them are .088, of 11 .044.
        (10, 45, "11 topics"),
        (11, 45, None),
        # .0625 of 5 topics is too much for a single pair, .03125 of 6 is not.
        (5, 1, "6 topics"),
        (6, 1, None),
        (6, 2, "7 topics"),
    ],
)
@pytest.mark.parametrize("comparisons", [Comparisons.WILCOXON_HOLM, Comparisons.RANDOMISATION_HOLM])
def test_a_test_says_that_it_can_find_nothing(
    comparisons: Comparisons, topics: int, pairs: int, needed: str | None
) -> None:
    said = finds_nothing(comparisons, topics, pairs)
    assert said.endswith(f"it needs {needed}") if needed else not said
    assert not finds_nothing(Comparisons.T_HOLM, topics, pairs)
    # Of nine topics draws are so often alike that the largest t has no end, and no interval either.
    assert bool(finds_nothing(Comparisons.MAX_T, topics, pairs)) == (topics < 10)


@pytest.mark.parametrize("comparisons", [Comparisons.WILCOXON_HOLM, Comparisons.RANDOMISATION_HOLM])
@pytest.mark.parametrize("topics", [10, 11])
def test_what_can_find_nothing_finds_nothing_and_one_topic_more_finds_all(
    comparisons: Comparisons, topics: int
) -> None:
    # Ten runs, 45 pairs: each is better than the next on every topic, by more and more.
    scores = np.arange(1, topics + 1)[:, np.newaxis] * np.arange(10) * 0.01
    found = compare_all(scores, comparisons)
    assert found.significant.all() == (not finds_nothing(comparisons, topics, 45))
    assert found.significant.any() == found.significant.all()


def test_rounds_can_be_too_few_for_so_many_pairs() -> None:
    # 10,000 rounds have no p below 1 / 10,001: 500 pairs of these are .04999, 501 .0501.
    assert not finds_nothing(Comparisons.RANDOMISATION_HOLM, 50, 500)
    assert "10,000 rounds" in finds_nothing(Comparisons.RANDOMISATION_HOLM, 50, 501)
    # All signs of up to 16 topics are tried: 2 / 2 ** 16 of 501 pairs is .015.
    assert not finds_nothing(Comparisons.RANDOMISATION_HOLM, 16, 501)
    assert not finds_nothing(Comparisons.WILCOXON_HOLM, 50, 501)


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
        # Three intervals that hold together: each at a third of .05 (Bonferroni).
        alone = compare_two(scores[:, first], scores[:, second], level=1 - 0.05 / 3, rounds=500)
        assert found.p[pair] == pytest.approx(alone.tests[place].p)
        assert found.effects[pair] == pytest.approx(alone.effect)
        assert found.differences[pair] - found.reach[pair] == pytest.approx(alone.low)
    assert found.adjusted.tolist() == holm(found.p).tolist()


@pytest.mark.parametrize("comparisons", Comparisons)
def test_runs_that_are_the_same_never_differ_significantly(comparisons: Comparisons) -> None:
    scores = np.repeat(np.linspace(0.1, 0.9, 8)[:, np.newaxis], 3, axis=1)
    found = compare_all(scores, comparisons, rounds=50)
    assert found.differences.tolist() == [0.0] * 3
    assert not found.significant.any()


@pytest.mark.slow
@pytest.mark.parametrize("comparisons", [Comparisons.MAX_T, Comparisons.T_HOLM])
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
