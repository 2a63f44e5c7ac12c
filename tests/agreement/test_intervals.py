"""Intervals: percentiles, expanded percentiles, closed forms, resamples."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.agreement.made import from_rows, from_table
from tests.support import Oracle, cases
from workbench.agreement.coefficients import COEFFICIENTS, coefficient_value
from workbench.agreement.coefficients.coefficient import values
from workbench.agreement.coefficients.unpooled_kappa import unpooled_kappa
from workbench.agreement.intervals import (
    Bounds,
    bounds_of_each,
    kappa_bounds,
    kappa_error,
    share_interval,
    shares_below,
)
from workbench.agreement.linearised import linearised
from workbench.agreement.ratings import Ratings, ratings_of
from workbench.agreement.resampling import (
    Resamples,
    Unit,
    bootstrap,
    each_over_topics,
    interval_among,
    over_topics,
    resampled,
    several_over_topics,
    topic_draws,
)
from workbench.agreement.sample_model import kappa_of_shares
from workbench.agreement.tally import Floats, sum_of_last, tally
from workbench.agreement.weights import linear, nominal
from workbench.errors import WorkbenchError

stats = Oracle("scipy.stats")


@pytest.mark.parametrize("units", [2, 5, 12, 50])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_expanded_percentiles_are_those_of_hesterberg(units: int, level: float) -> None:
    # 2015: the share below is that of a normal distribution below t sqrt(n / (n - 1)).
    t = stats.t.ppf((1 - level) / 2, units - 1)
    low, high = shares_below(level, units)
    assert low == pytest.approx(stats.norm.cdf(t * np.sqrt(units / (units - 1))), rel=1e-9, abs=1e-15)
    assert low + high == pytest.approx(1)


def test_of_many_units_both_are_the_same_and_of_one_there_is_nothing_to_expand() -> None:
    assert shares_below(0.95, 100_000) == pytest.approx((0.025, 0.975), abs=1e-5)
    assert shares_below(0.95, 8, Bounds.PERCENTILE) == pytest.approx((0.025, 0.975))
    assert shares_below(0.95, 1) == pytest.approx((0.025, 0.975))


def test_of_a_mean_they_come_to_the_t_interval() -> None:
    # Of symmetric data, as is said there.
    values = np.asarray(stats.norm.ppf((np.arange(10) + 0.5) / 10))
    found = over_topics(lambda sums: sums[:, 0] / 10, values[:, np.newaxis], Resamples(20_000, seed=2))
    wanted = stats.t.interval(0.95, 9, loc=values.mean(), scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx(wanted, abs=0.07)
    assert found.method == "bootstrap over topics, expanded percentiles"


def test_of_eight_topics_that_differ_they_hold_the_kappa_far_more_often() -> None:
    # Shares and kappa vary from topic to topic; the kappa of all is that of very many topics.
    generator = np.random.default_rng(4)

    def tables(samples: int, topics: int) -> Floats:
        relevant: Floats = generator.beta(1, 3, (samples, topics))[..., np.newaxis]
        seen: Floats = 1 / (1 + np.exp(-generator.normal([1.3, 3.0], 0.8, (samples, topics, 2))))
        yes, no = seen[..., :1], 1 - seen[..., 1:]
        shares = relevant * np.concatenate([yes * yes, yes * (1 - yes), yes * (1 - yes), (1 - yes) ** 2], 2)
        shares += (1 - relevant) * np.concatenate([no * no, no * (1 - no), no * (1 - no), (1 - no) ** 2], 2)
        return generator.multinomial(60, shares / shares.sum(axis=2, keepdims=True)).astype(np.float64)

    def kappa(sums: Floats) -> Floats:
        whole = sums / sums.sum(axis=-1, keepdims=True)
        return kappa_of_shares(whole.reshape(*whole.shape[:-1], 2, 2))

    truth = float(kappa(tables(1, 40_000).sum(axis=1))[0])
    drawn = np.einsum("bt,rts->rbs", topic_draws(8, 400, seed=3), tables(600, 8), optimize=True)
    covered = {
        bounds: np.mean(
            [
                one.low <= truth <= one.high
                for values in kappa(drawn)
                if (one := interval_among(values, 8, Resamples(400, 3, bounds=bounds))).low is not None
                and one.high is not None
            ]
        )
        for bounds in Bounds
    }
    # 600 samples leave an error of .01. Nominal are .95; the plain percentiles hold in some .86.
    assert covered[Bounds.PERCENTILE] < 0.89
    assert covered[Bounds.EXPANDED] > 0.905


# Cases 14, kappa_micro_vs_macro_over_topics.
TABLES = {"t1": [[8, 2], [3, 7]], "t2": [[1, 1], [0, 48]], "t3": [[20, 5], [5, 0]]}


def three_topics() -> Ratings:
    parts = [from_table(table).codes for table in TABLES.values()]
    topics = np.repeat(np.arange(3), [part.shape[1] for part in parts])
    return ratings_of(np.concatenate(parts, axis=1), categories=(0, 1), topics=topics)


def test_every_one_of_the_27_resamples_of_three_topics_is_the_kappa_of_their_summed_tables() -> None:
    sums = tally(three_topics(), nominal(2), by_topic=True)
    tables = [np.array(table) for table in TABLES.values()]
    for chosen in product(range(3), repeat=3):
        draws = np.bincount(chosen, minlength=3).astype(float)[np.newaxis]
        found = values(COEFFICIENTS["unpooled"], sums.drawn(draws), nominal(2))[0]
        wanted = unpooled_kappa(sum(tables[number] for number in chosen)).value
        assert found == pytest.approx(wanted, abs=1e-12), chosen


def test_the_kappa_of_all_topics_together_is_the_published_micro_value() -> None:
    case = cases("14_agreement_extra.json")["kappa_micro_vs_macro_over_topics"]
    assert coefficient_value(three_topics(), "unpooled").value == pytest.approx(
        case["expected"]["micro_cohen"], abs=1e-9
    )


def test_a_bootstrap_over_topics_lies_within_the_enumerated_resamples() -> None:
    # Of 27 equally likely resamples the outermost are three times the same topic: -.2 and .6575.
    found = bootstrap(three_topics(), "unpooled", Resamples(rounds=5000, seed=1))
    # 2.5 % of the resamples are less than one of 27, so both ends are the outermost values.
    assert found.low == pytest.approx(unpooled_kappa(TABLES["t3"]).value, abs=1e-9)
    assert (found.rounds, found.units, found.seed, found.undefined_rounds) == (5000, 3, 1, 0)
    assert "topic" in found.method


def test_the_same_seed_gives_the_same_interval_and_another_another() -> None:
    one, again, other = (
        bootstrap(three_topics(), "pooled", Resamples(unit=Unit.PAIR, seed=s)) for s in (7, 7, 8)
    )
    assert one == again
    assert (one.low, one.high) != (other.low, other.high)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_bootstrap_over_pairs_of_table_8_2_is_near_the_interval_in_closed_form(name: str) -> None:
    # Closed form for Cohen's kappa: .69990 to .85234 (FORMULAS 2.4); the others are near.
    data = from_table([[300, 20], [10, 70]])
    value = coefficient_value(data, name).value or 0
    found = bootstrap(data, name, Resamples(unit=Unit.PAIR, rounds=4000, seed=3))
    assert found.low is not None
    assert found.high is not None
    assert found.low < value < found.high
    assert found.units == 400
    if name == "unpooled":
        assert (found.low, found.high) == pytest.approx((0.69990, 0.85234), abs=0.012)


def test_pairs_are_drawn_one_by_one_and_topics_whole() -> None:
    data = three_topics()
    over_pairs = resampled(data, nominal(2), Resamples(unit=Unit.PAIR, rounds=50, seed=0))
    by_topic = resampled(data, nominal(2), Resamples(unit=Unit.TOPIC, rounds=50, seed=0))
    assert (over_pairs.units, by_topic.units) == (100, 3)
    assert np.allclose(over_pairs.tally.rated, 100)
    sizes = [20, 50, 30]  # t1, t2, t3
    possible = {sum(chosen) for chosen in product(sizes, repeat=3)}
    assert set(by_topic.tally.rated.round().astype(int).tolist()) <= possible


def test_resamples_without_variation_are_left_out_and_counted() -> None:
    # Two topics: in one both say 1 only; drawn twice, nothing varies, with chance 1 in 4.
    data = ratings_of([[1, 1, 0, 1], [1, 1, 1, 0]], categories=(0, 1), topics=[0, 0, 1, 1])
    found = bootstrap(data, "pooled", Resamples(rounds=4000, seed=2))
    assert 850 < found.undefined_rounds < 1150  # 1000 expected, more than five standard errors wide
    assert found.low is not None


def test_one_topic_gives_no_interval_over_topics_and_says_so() -> None:
    found = bootstrap(from_rows([[0, 1], [0, 1]]), "pooled")
    assert (found.low, found.high) == (None, None)
    assert "two topics" in found.undefined


def test_what_is_undefined_everywhere_has_no_interval() -> None:
    data = ratings_of([[1, 1], [1, 1]], categories=(0, 1), topics=[0, 1])
    found = bootstrap(data, "pooled", Resamples(rounds=10))
    assert found.low is None
    assert found.undefined_rounds == 10
    assert "undefined" in found.undefined


def test_a_bootstrap_without_rounds_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="0 rounds"):
        bootstrap(three_topics(), "pooled", Resamples(rounds=0))
    with pytest.raises(WorkbenchError, match="no coefficient 'kapa'"):
        bootstrap(three_topics(), "kapa")
    with pytest.raises(WorkbenchError, match="no linearised variance"):
        linearised(three_topics(), "alpha")


@pytest.mark.parametrize(
    ("file", "name", "key"),
    [
        ("10_agreement_two_raters.json", "se_of_cohen_kappa_table_8_2", "std_kappa"),
        ("14_agreement_extra.json", "delta_getkappa_example", "se_fleiss_cohen_everitt"),
    ],
)
def test_the_error_of_cohens_kappa_is_that_of_fleiss_cohen_and_everitt(
    file: str, name: str, key: str
) -> None:
    case = cases(file)[name]
    assert kappa_error(case["input"]["table"]) == pytest.approx(case["expected"][key], abs=1e-6)


def test_the_error_of_weighted_kappa_is_that_of_sas() -> None:
    case = cases("10_agreement_two_raters.json")["sas_kappa_example_linear_weights"]
    found = kappa_error(case["input"]["table"], linear(3))
    assert found == pytest.approx(case["expected"]["std_kappa"], abs=1e-6)


def test_an_error_that_cannot_be_is_none() -> None:
    assert kappa_error([[0, 0], [0, 0]]) is None
    assert kappa_error([[5, 0], [0, 0]]) is None


def test_wilsons_interval_is_the_published_one() -> None:
    case = cases("14_agreement_extra.json")["ci_of_observed_agreement_table_8_2"]
    found = share_interval(case["input"]["agree"], case["input"]["n"])
    assert found == pytest.approx(tuple(case["expected"]["wilson"]), abs=1e-9)
    with pytest.raises(WorkbenchError, match="3 of 2"):
        share_interval(3, 2)


def test_no_interval_reaches_to_where_no_kappa_can_be() -> None:
    # Of three pairs two are disputed, one each way: t with two degrees reaches far beyond on both sides.
    few = from_table([[1, 1], [1, 0]])
    for name in ("pooled", "uniform", "gwet"):
        found = linearised(few, name)
        assert found.low == -1.0
        assert found.high == 1.0
    # Of five grades S is -1/4 where nobody agrees: (0 - 1/5) / (1 - 1/5).
    five = ratings_of([[0, 1, 2], [1, 1, 3]], categories=range(5))
    assert linearised(five, "uniform").low == pytest.approx(-0.25)
    # With missing grades and weights of one's own a value may itself be below -1.
    assert kappa_bounds(-1.5, 0.1) == (-1.5, -1.4)


@pytest.mark.parametrize("rounds", [1, 2, 7, 1000])
def test_bounds_are_those_of_numpy_to_the_last_bit(rounds: int) -> None:
    random = np.random.default_rng(rounds)
    found = np.stack([random.normal(size=rounds), random.integers(0, 3, rounds) / 3])
    for level, units in ((0.95, 5), (0.5, 40), (0.99, 2)):
        expected = np.quantile(found, shares_below(level, units), axis=1).T
        np.testing.assert_array_equal(bounds_of_each(found, level, units, Bounds.EXPANDED), expected)


@pytest.mark.parametrize("shape", [(40, 2, 2), (40, 7), (40, 1), (3, 0), (40, 3, 3)])
def test_sums_of_few_places_are_those_of_numpy_to_the_last_bit(shape: tuple[int, ...]) -> None:
    values_of_shape = np.random.default_rng(1).normal(size=shape)
    axes = tuple(range(1, len(shape)))
    np.testing.assert_array_equal(sum_of_last(values_of_shape, len(axes)), values_of_shape.sum(axis=axes))


def test_many_at_once_have_the_intervals_of_each() -> None:
    # Of two topics both figures are undefined in the rounds that draw none of the second; of one topic, and
    # of none, there is no interval; 60 of a number of topics are more than one portion.
    random = np.random.default_rng(4)
    sums = [random.random((units, 2)) for units in (0, 1, 2, *[5] * 60, 9)]
    sums[2][0] = 0.0
    resamples = Resamples(rounds=3000, seed=8)

    def of_resample(drawn: Floats) -> tuple[Floats, Floats]:
        return drawn[..., 0] / drawn[..., 1], drawn[..., 1] / drawn[..., 0]

    expected = [each_over_topics(of_resample, one, resamples) for one in sums]
    assert several_over_topics(of_resample, sums, resamples) == expected
    assert expected[2][0].undefined_rounds > 0
    assert expected[1][0].undefined
