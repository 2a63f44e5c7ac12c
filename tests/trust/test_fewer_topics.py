"""Fewer topics: swaps and correlations of two sets, the extrapolation, the difference that may be trusted."""

from __future__ import annotations

import numpy as np
import pytest

from tests.scoring.two_rankings import two_rankings
from tests.support import shared
from workbench.errors import WorkbenchError
from workbench.formats.qrels import read_qrels
from workbench.formats.runs import read_run_arrays
from workbench.scoring.pairs_of_runs import Comparisons, compare_all
from workbench.scoring.relevance import Floats
from workbench.scoring.scorer import Scorer
from workbench.trust.collection_tables import TOPIC_PARTS
from workbench.trust.fewer_topics import (
    UNCORRECTED,
    FewerTopics,
    Splitting,
    compare_sets,
    discriminative_power,
    fewer_topics,
    set_sizes,
)
from workbench.trust.power_law import most_likely


def drawn(topics: int, runs: int, *, seed: int) -> Floats:
    """Runs evenly from .20 to .40, topics of standard deviation .1, and .1 that neither explains."""
    random = np.random.default_rng(seed)
    level = np.linspace(0.2, 0.4, runs)
    return np.asarray(level + random.normal(0, 0.1, (topics, 1)) + random.normal(0, 0.1, (topics, runs)))


def test_one_topic_against_another_by_hand() -> None:
    # The runs are .3 apart on every topic, on one of four the other way round: of the 12 ordered pairs of
    # topics 6 have it once. Standard error of 4,000 rounds: .008.
    scores = np.array([[0.5, 0.2], [0.6, 0.3], [0.7, 0.4], [0.2, 0.5]])
    found = compare_sets(scores, 1, rounds=4_000, seed=1, width=0.1)
    assert found.compared.tolist() == [0, 0, 0, 4_000, 0]
    assert found.swap_rate == pytest.approx(0.5, abs=0.03)
    assert found.tau.mean == pytest.approx(0.0, abs=0.06)
    assert (found.tau.low, found.tau.high) == (-1, 1)


def test_errors_cover_the_rate_of_all_splits() -> None:
    # 20 samples of 200 splits against 20,000: 95 % intervals that held 14 or fewer have a chance of 3e-4.
    scores = drawn(12, 4, seed=3)
    whole = compare_sets(scores, 6, rounds=20_000, seed=99, width=0.05)
    truth = whole.swapped[0] / whole.compared[0]
    held = 0
    for seed in range(20):
        found = compare_sets(scores, 6, rounds=200, seed=seed, width=0.05)
        held += abs(found.swapped[0] / found.compared[0] - truth) <= 1.96 * found.errors[0]
    assert held >= 15


def test_a_lower_score_may_as_well_be_the_better_one() -> None:
    scores, splitting = drawn(10, 4, seed=8), Splitting(rounds=100)
    one, other = fewer_topics(scores, splitting), fewer_topics(1 - scores, splitting)
    assert other.trusted == one.trusted
    assert other.rates == pytest.approx(one.rates, nan_ok=True)
    assert [sets.swaps for sets in other.sets] == [sets.swaps for sets in one.sets]


def test_tau_of_two_sets_is_kendalls() -> None:
    # Of two topics there is one split into sets of one, and tau does not care which is first.
    scores = np.array([[0.1, 0.2, 0.2, 0.5, 0.4], [0.2, 0.1, 0.3, 0.3, 0.5]])
    found = compare_sets(scores, 1, rounds=3, seed=0, width=0.01)
    expected = two_rankings(scores[0].tolist(), scores[1].tolist()).tau.value
    assert found.tau.mean == pytest.approx(expected)
    assert found.pearson.mean == pytest.approx(np.corrcoef(scores)[0, 1])


def test_ties_are_no_swaps() -> None:
    # On one topic the runs are tied: as the first set it has nothing to turn round, as the second no order.
    found = compare_sets(np.array([[0.5, 0.2], [0.4, 0.4]]), 1, rounds=200, seed=0, width=0.1)
    assert 50 < found.compared.sum() < 150
    assert found.swapped.sum() == 0
    assert found.tau.mean is None
    assert found.tau.n == 0


def test_exact_rates_are_extrapolated_exactly() -> None:
    # 40 % of one topic less a fifth with every other: exp(-.2 n).
    sizes, compared = np.array([5.0, 10.0, 15.0]), np.array([[100.0, 300.0, 50.0]])
    ((level, slope),) = most_likely(compared * 0.4 * np.exp(-0.2 * sizes), sizes, compared)
    assert (np.exp(level), slope) == pytest.approx((0.4, -0.2))


@pytest.fixture(scope="module")
def found() -> FewerTopics:
    return fewer_topics(drawn(40, 8, seed=1), Splitting(rounds=300, seed=7))


def test_the_trusted_difference_is_where_the_swaps_become_few(found: FewerTopics) -> None:
    limit = found.splitting.most_swapped
    for trusted, rates in zip(found.trusted, (*found.rates, found.extrapolated), strict=True):
        assert trusted.difference is not None
        at = round(trusted.difference / found.splitting.width)
        assert not (rates[at:] > limit).any()
        assert not at or rates[at - 1] > limit or np.isnan(rates[at - 1])
    assert [trusted.topics for trusted in found.trusted] == [*set_sizes(40), 40]
    assert [trusted.extrapolated for trusted in found.trusted] == [False] * 10 + [True]


def test_the_pairs_are_those_at_least_so_far_apart(found: FewerTopics) -> None:
    means = drawn(40, 8, seed=1).mean(axis=0)
    trusted = found.trusted[0]
    apart = [abs(one - other) for place, one in enumerate(means) for other in means[:place]]
    assert trusted.difference is not None
    assert trusted.pairs == sum(size >= trusted.difference for size in apart)


def test_runs_that_never_differ_trust_nothing() -> None:
    same = np.repeat(np.linspace(0.1, 0.8, 6)[:, np.newaxis], 3, axis=1)
    found = fewer_topics(same, Splitting(rounds=20))
    assert {trusted.difference for trusted in found.trusted} == {None}
    assert {trusted.pairs for trusted in found.trusted} == {0}
    assert {sets.swap_rate for sets in found.sets} == {None}


def test_the_seed_gives_everything() -> None:
    scores = drawn(12, 5, seed=2)
    one, again, other = (
        TOPIC_PARTS["topics"](fewer_topics(scores, Splitting(rounds=20, seed=seed), sizes=(4,)))
        for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_the_power_is_that_of_all_pairs() -> None:
    scores = drawn(20, 6, seed=5)
    plain, holm, largest = discriminative_power(scores, rounds=500, seed=3)
    by_t, by_largest = (
        compare_all(scores, test, rounds=500, seed=3) for test in (Comparisons.T_HOLM, Comparisons.MAX_T)
    )
    assert (plain.test, holm.test, largest.test) == (UNCORRECTED, "t-holm", "max-t")
    assert plain.significant == (by_t.p <= 0.05).sum()
    assert holm.significant == by_t.significant.sum()
    assert largest.significant == by_largest.significant.sum()
    assert plain.pairs == 15
    assert plain.share == plain.significant / 15
    assert largest.smallest is not None
    assert largest.largest is not None
    assert largest.smallest > largest.largest
    assert (plain.seed, largest.seed) == (None, 3)


def test_bins_that_are_too_narrow_are_refused() -> None:
    with pytest.raises(WorkbenchError) as refused:
        fewer_topics(drawn(10, 3, seed=1), Splitting(rounds=2, width=1e-9))
    assert refused.value.remedy


@pytest.mark.slow
def test_the_rate_of_all_topics_is_foretold_from_half_of_them() -> None:
    # The truth of 40 topics: two sets of 40 of a thousand that none of the collections has seen.
    truth = compare_sets(drawn(1_000, 8, seed=99), 40, rounds=4_000, seed=0, width=0.02)
    rate = truth.swapped[1] / truth.compared[1]
    foretold = [
        fewer_topics(drawn(40, 8, seed=seed), Splitting(rounds=300, width=0.02)).extrapolated[1]
        for seed in range(20)
    ]
    assert np.mean(foretold) == pytest.approx(rate, abs=0.06)


@pytest.mark.slow
def test_fifty_topics_of_robust_2003_foretell_what_a_hundred_show() -> None:
    folder = shared("data", "robust03")
    with (folder / "qrels.txt").open("rb") as stream:
        scorer = Scorer(read_qrels(stream, source="qrels.txt"), "AP")
    columns = []
    for path in sorted((folder / "runs").iterdir()):
        with path.open("rb") as stream:
            scored = scorer.score(read_run_arrays(stream, source=path.name, depth=None))
        columns.append([scored.per_topic["AP"][topic] for topic in scorer.relevance.topics])
    scores = np.array(columns).T
    shown = fewer_topics(scores, sizes=(50,)).trusted[0].difference
    chosen = np.random.default_rng(1).permutation(100)[:50]
    foretold = fewer_topics(scores[chosen]).trusted[-1].difference
    assert shown == pytest.approx(0.04)
    assert foretold == pytest.approx(0.04, abs=0.011)
