"""How many pairs two assessors or more must judge: against closed forms, published sizes, and simulation."""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.coefficients.alpha import alpha
from workbench.agreement.coefficients.unpooled_kappa import unpooled_kappa
from workbench.agreement.intervals import kappa_error
from workbench.agreement.linearised import linearised
from workbench.agreement.ratings import ratings_of
from workbench.agreement.sample_influence import (
    PairSums,
    deviations_by_label,
    influence_of_pairs,
    intraclass_correlation,
    required_size,
)
from workbench.agreement.sample_model import (
    OutcomeModel,
    exchangeable_model,
    expected_shares,
    outcome_model,
    two_assessor_model,
)
from workbench.agreement.sample_request import MOST_ASSESSORS, PLANNED, PlanRequest, Target
from workbench.agreement.sample_simulation import PlannedDraw, plan_draws, simulate_pairs, simulation_result
from workbench.agreement.sample_size import UNDEFINED, Draw, SampleSize
from workbench.agreement.weights import linear
from workbench.errors import InvalidInput

Z = NormalDist().inv_cdf(0.975)
UNPOOLED = Target("unpooled")


def needed(
    model: OutcomeModel, target: Target | None = None, half_width: float = 0.1, draw: Draw = Draw.RANDOM
) -> SampleSize:
    return required_size(model, draw, PlanRequest(half_width, target=target or Target()))


def of_two(share: float, kappa: float) -> OutcomeModel:
    return two_assessor_model(expected_shares([share, 1 - share], kappa))


def exact(share: float, kappa: float, half_width: float) -> float:
    """The number of pairs for an unpooled kappa, before it is rounded up."""
    return (Z / half_width) ** 2 * (needed(of_two(share, kappa), UNPOOLED).variance or 0)


def test_sizes_are_those_that_reichenheim_printed() -> None:
    # Reichenheim 2000, Stata Technical Bulletin 58, sxd3: 384 for kappa 0, both 0.1, d 0.1; 114, with a Q of
    # 1.182, for kappa 0.1, both 0.2, d 0.2; whatever kappa is, at most 126, which kappa 0.289 asks for.
    assert round(exact(0.1, 0.0, 0.1)) == 384
    assert needed(of_two(0.2, 0.1), UNPOOLED).variance == pytest.approx(1.182, abs=0.0005)
    assert needed(of_two(0.2, 0.1), UNPOOLED, 0.2).pairs == 114
    by_kappa = {kappa / 1000: exact(0.2, kappa / 1000, 0.2) for kappa in range(279, 300)}
    worst = max(by_kappa, key=lambda kappa: by_kappa[kappa])
    assert (worst, round(by_kappa[worst])) == (0.289, 126)


def test_the_variance_gives_cantors_size_of_a_test() -> None:
    # Cantor 1996, as printed in the manual of R's irr (N.cohen.kappa(0.5, 0.5, 0.7, 0.85)): 96 at 5 % one-
    # sided with power 80 %.
    deviation = {k: sqrt(needed(of_two(0.5, k), UNPOOLED).variance or 0) for k in (0.7, 0.85)}
    normal = NormalDist().inv_cdf
    assert ceil(((normal(0.95) * deviation[0.85] + normal(0.8) * deviation[0.7]) / 0.15) ** 2) == 96


@pytest.mark.parametrize("method", ["pooled", "alpha"])
def test_the_pooled_variance_is_that_of_the_intraclass_kappa(method: str) -> None:
    # Bloch and Kraemer 1989: (1 - k) ((1 - k)(1 - 2k) + k(2 - k) / (2p(1 - p))); alpha tends to the same.
    for p, k in ((0.5, 0.0), (0.3, 0.6), (0.1, 0.4), (0.05, 0.8), (0.3, -0.1)):
        expected = (1 - k) * ((1 - k) * (1 - 2 * k) + k * (2 - k) / (2 * p * (1 - p)))
        found = needed(of_two(p, k), Target(method))
        assert found.variance == pytest.approx(expected, rel=1e-6)
        assert found.value == pytest.approx(k, abs=1e-6)


def test_the_variance_of_any_table_is_that_of_fleiss_cohen_and_everitt() -> None:
    for seed in range(5):
        table = np.random.default_rng(seed).integers(1, 60, (3, 3))
        n = int(table.sum())
        for target, weights in ((UNPOOLED, None), (Target("unpooled", "linear"), linear(3))):
            found = needed(two_assessor_model(table / n), target)
            if weights is None:
                assert found.value == pytest.approx(unpooled_kappa(table).value)
            assert sqrt((found.variance or 0) / n) == pytest.approx(kappa_error(table, weights), rel=1e-6)


@pytest.mark.parametrize("assessors", [3, 5, 10])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.3, 0.7), (0.1, 0.2, 0.7)])
def test_without_agreement_the_variance_is_that_of_fleiss_nee_and_landis(
    shares: tuple[float, ...], assessors: int
) -> None:
    # 1979: 2 ((sum pq)^2 - sum pq (q - p)) / (N k (k - 1) (sum pq)^2).
    both = sum(p * (1 - p) for p in shares)
    expected = both**2 - sum(p * (1 - p) * (1 - 2 * p) for p in shares)
    expected *= 2 / (assessors * (assessors - 1) * both**2)
    assert needed(exchangeable_model(shares, 0.0, assessors)).variance == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("method", ["pooled", "gwet"])
@pytest.mark.parametrize("weights", ["nominal", "quadratic"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_variance_is_gwets_of_pairs_as_expected(method: str, weights: str, missing: float) -> None:
    # As many pairs of each outcome as are expected of 600, to whole pairs; the interval there has t of n - 1
    # degrees and n - 1 for n. What one alone has judged does not enter.
    expected = exchangeable_model((0.1, 0.2, 0.7), 0.4, 4, missing=missing)
    times = np.round(expected.probabilities * 600).astype(int)
    times[(expected.codes >= 0).sum(axis=0) < 2] = 0
    n = int(times.sum())
    data = ratings_of(np.repeat(expected.codes, times, axis=1), categories=(0, 1, 2), missing=-1)
    found = needed(OutcomeModel(expected.codes, times / n, 3), Target(method, weights))
    assert found.value == pytest.approx(coefficient_value(data, method, weights=weights).value)
    usual = linearised(data, method, weights=weights)
    # t of some 600 degrees is 1.964.
    assert (found.value or 0) - (usual.low or 0) == pytest.approx(
        1.964 * sqrt((found.variance or 0) / (n - 1)), rel=1e-3
    )


@pytest.mark.parametrize("method", PLANNED)
def test_values_and_slopes_are_those_of_the_coefficients_over_the_pairs(method: str) -> None:
    generator = np.random.default_rng(6)
    codes = generator.integers(-1, 3, (4, 60)).astype(np.int8)
    codes = codes[:, (codes >= 0).sum(axis=0) > 1]
    sums = PairSums(Target(method, "quadratic"), 3, 4)
    rows = sums.of_pairs(codes)
    data = ratings_of(codes, categories=(0, 1, 2), missing=-1)
    whole = rows.sum(axis=0)
    usual = (
        alpha(data, "interval") if method == "alpha" else coefficient_value(data, method, weights="quadratic")
    )
    assert float(sums.value(whole)) == pytest.approx(usual.value)
    # A pair more, a thousandth of it at a time.
    slope = sums.slopes(whole) @ rows[0]
    assert float(slope) == pytest.approx(
        1000 * float(sums.value(whole + rows[0] / 1000) - sums.value(whole)), rel=0.01, abs=1e-6
    )


def test_pairs_on_which_several_agree_alike_are_correlated_within_topics() -> None:
    # Three of one topic's four assessors agree on every pair of it, two and two of the other's.
    codes = [[0] * 6 + [1] * 6, [0] * 12, [0] * 6 + [1] * 6, [1] * 6 + [0] * 6]
    topics = np.repeat([0, 1], 6)
    data = ratings_of(codes, categories=(0, 1), topics=topics)
    moved = influence_of_pairs(data, Target())
    assert intraclass_correlation(moved, topics) == pytest.approx(1.0)
    # 2,000 times all pairs and then the first once more.
    many = np.concatenate([np.tile(codes, 2000), np.array(codes)[:, :1]], axis=1)
    before = coefficient_value(data, "pooled").value or 0
    after = coefficient_value(ratings_of(many, categories=(0, 1)), "pooled").value or 0
    assert moved[0] == pytest.approx(2000 * (after - before), rel=0.01)


def test_a_draw_by_label_never_needs_more_than_one_at_random() -> None:
    # (sum of w s)^2 <= sum of w s^2 <= the variance of all, since what rows differ by on average is left out.
    for seed, method in enumerate(PLANNED):
        table = np.random.default_rng(seed).integers(1, 60, (3, 3))
        model = two_assessor_model(table / table.sum())
        at_random = needed(model, Target(method)).variance or 0
        weighed = model.by_label * deviations_by_label(model, Target(method))
        by_label = needed(model, Target(method), draw=Draw.LABEL).variance
        assert by_label == pytest.approx(float(weighed.sum()) ** 2)
        assert (by_label or 0) <= at_random


def test_labels_are_drawn_by_what_varies_within_them() -> None:
    found = deviations_by_label(exchangeable_model([0.1, 0.9], 0.5, 3), Target())
    # What others say of a pair that one calls relevant is far less certain than of the many others.
    assert found[0] > 2 * found[1]
    assert deviations_by_label(two_assessor_model(np.diag([1.0, 0.0])), Target()).tolist() == [1.0, 1.0]


def test_more_assessors_need_fewer_pairs() -> None:
    sizes = [
        needed(exchangeable_model([0.2, 0.8], 0.6, k), half_width=0.05).pairs or 0
        for k in range(2, MOST_ASSESSORS + 1)
    ]
    assert sizes == sorted(sizes, reverse=True)


def test_whole_topics_need_more_by_the_intraclass_correlation_of_their_pairs() -> None:
    # 1 + (30 - 1) x 0.05 = 2.45 times as many; of some 150 topics t is a hair above z.
    model = of_two(0.2, 0.6)
    single = needed(model, half_width=0.05)
    whole = required_size(model, Draw.TOPIC, PlanRequest(0.05, topic_size=30, icc=0.05))
    assert whole.effect == pytest.approx(2.45)
    by_z = 2.45 * (Z / 0.05) ** 2 * (single.variance or 0)
    assert by_z < (whole.pairs or 0) < 1.02 * by_z
    assert (
        (whole.half_width_of(whole.pairs or 0) or 1)
        <= 0.05
        < (whole.half_width_of((whole.pairs or 0) - 1) or 0)
    )


def test_of_few_topics_the_width_has_t_of_as_many_less_one() -> None:
    # Ten topics of forty pairs: t of nine degrees is 2.2622.
    found = required_size(of_two(0.2, 0.6), Draw.TOPIC, PlanRequest(0.2, topic_size=40, icc=0.1))
    assert found.half_width_of(400) == pytest.approx(
        2.2622 * sqrt((found.variance or 0) * 4.9 / 400), rel=1e-4
    )


SETTINGS = [
    (Target("pooled"), 2, (0.2, 0.8), 0.5, 0.0), (Target("unpooled"), 2, (0.5, 0.5), 0.3, 0.0),
    (Target("pooled"), 3, (0.2, 0.8), -0.05, 0.0), (Target("unpooled"), 4, (0.2, 0.8), 0.5, 0.2),
    (Target("alpha"), 5, (0.2, 0.8), 0.5, 0.3), (Target("gwet"), 3, (0.3, 0.7), 0.6, 0.0),
    (Target("pooled", "quadratic"), 3, (0.1, 0.3, 0.6), 0.5, 0.0),
    (Target("gwet", "linear"), 2, (0.2, 0.3, 0.5), 0.5, 0.0),
]  # fmt: skip


@pytest.mark.parametrize("draw", [Draw.RANDOM, Draw.LABEL])
@pytest.mark.parametrize(("target", "assessors", "shares", "kappa", "non_response"), SETTINGS)
def test_simulated_samples_of_that_size_give_that_interval(
    target: Target, assessors: int, shares: tuple[float, ...], kappa: float, non_response: float, draw: Draw
) -> None:
    bias = np.zeros((2, len(shares)))
    bias[:, 0], bias[:, -1] = (0.05, -0.05), (-0.05, 0.05)
    request = PlanRequest(0.06, target=target, assessors=assessors, non_response=non_response, seed=7)
    model = outcome_model(expected_shares(shares, kappa), request, bias=bias)
    size = required_size(model, draw, request)
    values, variances = simulate_pairs(model, size, rounds=2000)
    found = simulation_result(values, variances, size)
    # 2,000 rounds leave an error of 0.005 in the coverage.
    assert found.coverage == pytest.approx(0.95, abs=0.02)
    assert found.half_width == pytest.approx(0.06, rel=0.03)
    assert Z * float(values.std()) == pytest.approx(0.06, rel=0.06)


@pytest.mark.parametrize(("target", "assessors"), [(Target(), 2), (Target("alpha"), 4)])
@pytest.mark.parametrize(
    ("icc", "topic_size", "half_width"), [(0.0, 5.0, 0.08), (0.1, 10.0, 0.08), (0.03, 40.0, 0.15)]
)
def test_simulated_topics_have_the_width_of_the_design_effect(
    target: Target, assessors: int, icc: float, topic_size: float, half_width: float
) -> None:
    # Fifty topics and more, and in the last row six to ten: there the middle of t intervals, as the middle of
    # chi, is a few hundredths narrower than t times the true deviation.
    request = PlanRequest(half_width, target=target, assessors=assessors, topic_size=topic_size, icc=icc)
    model = outcome_model(expected_shares([0.4, 0.6], 0.5), request)

    def planned() -> PlannedDraw:
        return plan_draws(model, request, rounds=10)[2]

    topic = planned()
    assert topic.size.effect == pytest.approx(1 + (topic_size - 1) * icc)
    whole = ceil((topic.size.pairs or 0) / topic_size) * topic_size
    few = topic_size == 40
    expected = topic.size.half_width_of(whole)
    assert topic.simulation.half_width == pytest.approx(expected, rel=0.1 if few else 0.05)
    assert topic.simulation.coverage == pytest.approx(0.945, abs=0.035)
    assert topic == planned()


def test_too_many_topics_are_not_simulated() -> None:
    topic = plan_draws(of_two(0.4, 0.5), PlanRequest(0.005), rounds=10)[2]
    assert (topic.simulation.rounds, topic.simulation.half_width) == (0, None)


@pytest.mark.parametrize("method", PLANNED)
def test_what_has_no_spread_has_no_size(method: str) -> None:
    request = PlanRequest(0.1, target=Target(method), assessors=3)
    alone = plan_draws(outcome_model(np.diag([1.0, 0.0]), request), request)
    if method == "gwet":
        # Where all agree on one grade AC1 is 1.
        assert alone[0].size.value == pytest.approx(1)
    else:
        assert [one.size.pairs for one in alone] == [None] * 3
        assert alone[0].size.undefined == UNDEFINED


def test_what_is_no_coefficient_to_plan_for_is_refused_with_all_that_is_wrong() -> None:
    with pytest.raises(InvalidInput) as refused:
        Target("kapa", "own")
    assert [one.code for one in refused.value.findings] == ["coefficient", "weights"]
    targets = (Target(), Target("gwet"), Target("gwet", "linear"), Target("alpha", "quadratic"))
    assert [target.label for target in targets] == [
        "pooled kappa", "Gwet's AC1", "Gwet's AC2 with linear weights",
        "Krippendorff's alpha with quadratic weights",
    ]  # fmt: skip


def test_an_interval_that_under_covers_with_so_few_pairs_is_marked() -> None:
    # All but agreed on a rare grade, AC1 is .98 of 30 pairs, in which often nothing differs.
    model = two_assessor_model(expected_shares([0.05, 0.95], 0.8))
    few = plan_draws(model, PlanRequest(0.1, target=Target("gwet")))[0]
    assert few.size.pairs == 30
    assert few.under_covers
    assert not plan_draws(model, PlanRequest(0.01, target=Target("gwet")))[0].under_covers


@pytest.mark.parametrize("method", ["pooled", "unpooled", "alpha"])
@pytest.mark.parametrize("rare", [1e-2, 1e-4, 1e-6])
def test_grades_may_be_rare(method: str, rare: float) -> None:
    # Bloch and Kraemer 1989: the variance is (1 - k) ((1 - k) (1 - 2k) + k (2 - k) / (2 p (1 - p))), at
    # k = .5 half of .75 / (2 p (1 - p)); the other coefficients have it too where both give the same shares.
    request = PlanRequest(0.1, target=Target(method))
    found = plan_draws(outcome_model(expected_shares([rare, 1 - rare], 0.5), request), request, rounds=0)
    variance = 0.5 * 0.75 / (2 * rare * (1 - rare))
    assert found[0].size.variance == pytest.approx(variance, rel=1e-4)
    assert found[0].simulation.rounds == 0
