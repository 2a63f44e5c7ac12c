"""How many pairs several assessors must judge: against closed forms, the linearised variance, simulation."""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from tests.agreement.several.made import from_counts
from workbench.agreement.sample_estimates import proof_of, stratified_kappa
from workbench.agreement.sample_of_several import (
    MOST_ASSESSORS,
    Outcomes,
    deviations_for_several,
    outcomes,
    pairs_for_several,
    samples_of_several,
)
from workbench.agreement.sample_plans import plans, spreads_by_label
from workbench.agreement.sample_results import kappa_of_sample, kappa_of_topics, kappa_of_topics_of_several
from workbench.agreement.sample_size import Chance, Draw, expected_shares, variance_at_random
from workbench.agreement.several.bootstrap import bootstrap
from workbench.agreement.several.linearised import linearised
from workbench.agreement.several.methods import agreement
from workbench.agreement.several.over_topics import Resamples
from workbench.agreement.several.ratings import ratings_of
from workbench.errors import InvalidInput

Z = NormalDist().inv_cdf(0.975)
SCALES = [((0.3, 0.7), 0.5), ((0.1, 0.2, 0.7), 0.4), ((0.05, 0.15, 0.3, 0.5), 0.8)]


def test_outcomes_by_hand() -> None:
    # Shares .3 and .7, kappa .5: a pair's own share is beta distributed with .3 and .7. All three say the
    # first grade: .3 x 1.3 x 2.3 / (1 x 2 x 3); the first does and the others do not: .3 x .7 x 1.7 / 6.
    found = outcomes([0.3, 0.7], 0.5, 3)
    assert found.counts[0].tolist() == [[3, 0], [2, 1], [1, 2]]
    assert found.shares[0] == pytest.approx([0.1495, 0.091, 0.0595])
    assert found.agreeing[0] == pytest.approx([1, 1 / 3, 1 / 3])


@pytest.mark.parametrize("assessors", [3, 4, 7])
@pytest.mark.parametrize(("shares", "kappa"), SCALES)
def test_any_two_of_them_have_the_table_of_two(
    shares: tuple[float, ...], kappa: float, assessors: int
) -> None:
    found = outcomes(shares, kappa, assessors)
    # The first and one of the others, who is drawn: row j, and what the others say by their number.
    others = found.counts - np.eye(len(shares))[:, np.newaxis]
    table = np.einsum("jk,jkl->jl", found.shares, others) / (assessors - 1)
    assert table == pytest.approx(expected_shares(shares, kappa))


@pytest.mark.parametrize("assessors", [3, 5, 10])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.3, 0.7), (0.1, 0.2, 0.7)])
def test_without_agreement_the_variance_is_that_of_fleiss_nee_and_landis(
    shares: tuple[float, ...], assessors: int
) -> None:
    # 1979: 2 ((sum pq)^2 - sum pq (q - p)) / (N k (k - 1) (sum pq)^2).
    both = sum(p * (1 - p) for p in shares)
    expected = both**2 - sum(p * (1 - p) * (1 - 2 * p) for p in shares)
    expected *= 2 / (assessors * (assessors - 1) * both**2)
    assert pairs_for_several(outcomes(shares, 0.0, assessors), half_width=0.1).variance == pytest.approx(
        expected
    )


@pytest.mark.parametrize(("shares", "kappa"), SCALES)
def test_the_variance_is_the_linearised_one_of_pairs_as_expected(
    shares: tuple[float, ...], kappa: float
) -> None:
    # As many pairs of each outcome as are expected of 400, to whole pairs; the interval there has a t of
    # n - 1 degrees and n - 1 for n.
    expected = outcomes(shares, kappa, 4)
    times = np.round(expected.shares * 400)
    n = int(times.sum())
    needed = pairs_for_several(Outcomes(4, times / n, expected.counts), half_width=0.1)
    rows = np.repeat(expected.counts.reshape(-1, len(shares)), times.ravel().astype(int), axis=0)
    data = from_counts(rows.astype(int).tolist())
    assert needed.kappa == pytest.approx(agreement(data, "pooled").value)
    found = kappa_of_sample(rows, np.zeros(n))
    assert found.value == pytest.approx(needed.kappa)
    assert needed.variance is not None
    assert found.interval.low == pytest.approx((needed.kappa or 0) - Z * sqrt(needed.variance / (n - 1)))
    usual = linearised(data, "pooled")
    assert (needed.kappa or 0) - (usual.low or 0) == pytest.approx(
        sqrt(needed.variance / (n - 1)) * 1.9659, rel=1e-3
    )


def test_more_assessors_need_fewer_pairs_and_never_fewer_than_perfect_shares_would() -> None:
    needed = [
        pairs_for_several(outcomes([0.2, 0.8], 0.6, k), half_width=0.05).pairs or 0
        for k in range(3, MOST_ASSESSORS + 1)
    ]
    of_two = (Z / 0.05) ** 2 * float(variance_at_random(expected_shares([0.2, 0.8], 0.6), Chance.POOLED))
    assert [ceil(of_two), *needed] == sorted([ceil(of_two), *needed], reverse=True)


@pytest.mark.parametrize("draw", [Draw.RANDOM, Draw.LABEL])
@pytest.mark.parametrize(("shares", "assessors"), [((0.2, 0.8), 3), ((0.2, 0.3, 0.5), 5)])
def test_simulated_samples_give_that_interval(draw: Draw, shares: tuple[float, ...], assessors: int) -> None:
    expected = outcomes(shares, 0.5, assessors)
    needed = pairs_for_several(expected, half_width=0.06, draw=draw)
    proof = proof_of(*samples_of_several(expected, needed, rounds=4000, seed=7), needed, seed=7)
    assert proof.coverage == pytest.approx(0.95, abs=0.015)
    assert proof.half_width == pytest.approx(0.06, rel=0.02)


@pytest.mark.parametrize("assessors", [2, 4])
@pytest.mark.parametrize(("likeness", "topic_size"), [(0.0, 5.0), (0.1, 10.0), (1.0, 4.0)])
def test_simulated_topics_have_the_width_of_the_design_effect(
    assessors: int, likeness: float, topic_size: float
) -> None:
    # Fifty topics and more; where all pairs of a topic are alike it is one pair, and the sample as many.
    shares = expected_shares([0.4, 0.6], 0.5)
    topic = plans(
        shares, half_width=0.08, topic_size=topic_size, likeness=likeness, assessors=assessors, rounds=10
    )[2]
    assert topic.needed.effect == pytest.approx(1 + (topic_size - 1) * likeness)
    assert topic.proof.half_width == pytest.approx(0.08, rel=0.06)
    assert topic.proof.coverage == pytest.approx(0.94, abs=0.035)
    assert (
        topic
        == plans(
            shares, half_width=0.08, topic_size=topic_size, likeness=likeness, assessors=assessors, rounds=10
        )[2]
    )


def test_too_many_topics_are_not_simulated() -> None:
    topic = plans(expected_shares([0.4, 0.6], 0.5), half_width=0.005, rounds=10)[2]
    assert (topic.proof.rounds, topic.proof.half_width) == (0, None)


def test_labels_are_drawn_by_what_varies_within_them() -> None:
    shares = expected_shares([0.1, 0.9], 0.5)
    of_three = spreads_by_label(shares, 3)
    assert of_three == pytest.approx(deviations_for_several(outcomes([0.1, 0.9], 0.5, 3)))
    # What others say of a pair that one calls relevant is far less certain than of the many others.
    assert of_three[0] > 2 * of_three[1]


def test_a_sample_by_label_is_weighed_back_as_one_of_two_is() -> None:
    table = [[80, 20], [5, 95]]
    counts = [np.eye(2)[j] + np.eye(2)[k] for j in (0, 1) for k in (0, 1) for _ in range(table[j][k])]
    found = kappa_of_sample(counts, [0] * 100 + [1] * 100, sizes=[1000, 9000])
    of_two = stratified_kappa(table, [1000, 9000])
    assert found.value == pytest.approx(of_two.value)
    assert found.interval.low == pytest.approx(of_two.interval.low)
    some = kappa_of_sample(counts[:100], [0] * 100, sizes=[1000, 9000])
    assert "no pair is judged by all of them yet" in some.undefined
    assert kappa_of_sample(np.zeros((0, 2)), []).undefined == "no pair was judged by both"
    assert "the same grade" in kappa_of_sample([[3, 0], [3, 0]], [0, 0]).undefined


@pytest.mark.parametrize("assessors", [2, 3])
def test_topics_that_were_drawn_whole_are_drawn_again_as_everywhere(assessors: int) -> None:
    generator = np.random.default_rng(4)
    topics = np.repeat(np.arange(9), 8)
    truth = generator.integers(0, 3, 72)
    said = np.where(generator.random((assessors, 72)) < 0.4, generator.integers(0, 3, (assessors, 72)), truth)
    data = ratings_of(said, categories=(0, 1, 2), topics=topics)
    usual = bootstrap(data, "pooled", rounds=300, seed=6)
    resamples = Resamples(rounds=300, seed=6)
    if assessors == 2:
        tables = np.zeros((9, 3, 3), dtype=np.int64)
        np.add.at(tables, (topics, *said), 1)
        found = kappa_of_topics(tables, Chance.POOLED, resamples)
    else:
        counts = (said[:, :, np.newaxis] == np.arange(3)).sum(axis=0)
        found = kappa_of_topics_of_several(counts, topics, resamples)
    assert found.value == pytest.approx(agreement(data, "pooled").value)
    assert (found.interval.low, found.interval.high) == pytest.approx((usual.low, usual.high))
    nothing = kappa_of_topics(np.zeros((3, 2, 2), dtype=np.int64), Chance.POOLED, resamples)
    assert (nothing.value, nothing.undefined) == (None, "no pair was judged by both")


@pytest.mark.parametrize(
    ("assessors", "kappa", "shares", "code"),
    [
        (11, 0.5, (0.2, 0.8), "assessors"),
        (1, 0.5, (0.2, 0.8), "assessors"),
        (10, 0.5, (0.05,) * 20, "assessors"),
        (3, -0.05, (0.2, 0.8), "kappa"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    assessors: int, kappa: float, shares: tuple[float, ...], code: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        plans(expected_shares(shares, kappa), half_width=0.1, assessors=assessors)
    assert [one.code for one in refused.value.findings] == [code]


def test_of_several_only_the_pooled_kappa_is_planned_for() -> None:
    with pytest.raises(InvalidInput, match="pooled"):
        plans(expected_shares([0.2, 0.8], 0.5), half_width=0.1, assessors=3, chance=Chance.UNPOOLED)
    alone = plans(np.array([[1.0, 0.0], [0.0, 0.0]]), half_width=0.1, assessors=3)
    assert [one.needed.pairs for one in alone] == [None] * 3
