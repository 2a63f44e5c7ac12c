"""Intervals over topics: by hand, against formulas, and how often simulated ones hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from tests.promises.agreement import coverage, judged_collections, true_kappa
from tests.support import Oracle
from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.estimates import Estimate, estimates, topics_left_out
from workbench.agreement.jackknife import Transform, over_units
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings, ratings_of

stats = Oracle("scipy.stats")


def kappa_over(data: Ratings, name: str = "pooled") -> Estimate:
    options = AgreementOptions()
    return next(one for one in estimates(data, options, topics_left_out(data, options)) if one.name == name)


def some_topics(rows: list[list[int]], topics: list[int]) -> Ratings:
    return ratings_of(rows, categories=(1, 0), topics=topics)


def test_of_equally_rich_topics_a_mean_has_a_t_interval() -> None:
    # Pseudo-values of a mean are the values themselves (Tukey 1958); of equal topics Kish's number is theirs.
    values = np.array([0.1, 0.4, 0.2, 0.7, 0.3, 0.5, 0.25, 0.9])
    without = (values.sum() - values) / 7
    found = over_units(float(values.mean()), without, np.ones(8), Transform.PLAIN)
    # Half of eight topics less one degree of freedom.
    reach = stats.t.ppf(0.975, 3) * values.std(ddof=1) / np.sqrt(8)
    assert (found.low, found.high) == pytest.approx((values.mean() - reach, values.mean() + reach))
    assert (found.units, found.method) == (8, "jackknife over topics")
    assert found.effective == pytest.approx(8)


def test_a_kappas_interval_is_that_of_the_kappas_without_each_topic() -> None:
    generator = np.random.default_rng(3)
    topics = np.repeat(np.arange(9), 20)
    first = generator.random(180) < 0.4
    second = np.where(generator.random(180) < 0.8, first, ~first)
    data = some_topics([first.astype(int).tolist(), second.astype(int).tolist()], topics.tolist())
    found = kappa_over(data).interval
    # The same from nine ratings of which one topic is struck out.
    without = [
        some_topics([row[topics != out].tolist() for row in (first.astype(int), second.astype(int))],
                    topics[topics != out].tolist())
        for out in range(9)
    ]  # fmt: skip
    values = [coefficient_value(one, "pooled").value or 0.0 for one in without]
    whole = coefficient_value(data, "pooled").value or 0.0
    at = np.arctanh(values)
    rich = np.array([(first[topics == one].sum() + second[topics == one].sum()) / 2 for one in range(9)])
    if first.mean() + second.mean() > 1:
        rich = 20 - rich
    middle = 9 * np.arctanh(whole) - 8 * at.mean()
    error = np.sqrt(8 / 9 * ((at - at.mean()) ** 2).sum())
    effective = rich.sum() ** 2 / (rich**2).sum()
    reach = stats.t.ppf(0.975, max(effective / 2 - 1, 2)) * error
    assert found is not None
    assert (found.low, found.high) == pytest.approx(tuple(np.tanh([middle - reach, middle + reach])))
    assert found.effective == pytest.approx(effective)


def test_topics_without_relevant_documents_do_not_make_up_for_few_that_have_them() -> None:
    # Ten topics, but all relevant documents are in two of them: Kish's number is 2.
    row = [*[1, 0] * 10, *[0] * 80]
    other = [*[1, 0] * 8, 0, 1, 1, 0, *[0] * 80]
    found = kappa_over(some_topics([row, other], [number // 10 for number in range(100)]))
    assert found.interval is not None
    assert (found.interval.low, found.interval.units) == (None, 10)
    assert found.interval.effective == pytest.approx(2)
    assert (
        found.interval.undefined
        == "a few of the 10 topics carry most of the weight: together they count as 2.0 equal topics, and "
        "an interval needs 5"
    )


def test_a_graded_scale_has_intervals_too() -> None:
    generator = np.random.default_rng(8)
    true = generator.integers(0, 4, 400)
    rows = [np.clip(true + generator.integers(-1, 2, 400), 0, 3) for _ in range(3)]
    data = ratings_of(rows, categories=(3, 2, 1, 0), topics=np.repeat(np.arange(20), 20))
    options = AgreementOptions(weights="linear", level="interval")
    for one in estimates(data, options, topics_left_out(data, options)):
        assert one.interval is not None
        assert one.value is not None
        assert one.interval.low is not None
        assert one.interval.low < one.value < (one.interval.high or 0), one.name


@pytest.mark.parametrize(
    ("assessors", "topics", "documents", "relevant"),
    [
        (2, 25, 30, 0.05),
        (5, 25, 30, 0.05),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in ((2, 10, 30, 0.2), (5, 50, 30, 0.2))),
    ],
)
def test_the_interval_holds_the_kappa_of_all_topics_like_these(
    assessors: int, topics: int, documents: int, relevant: float
) -> None:
    # 300 collections leave an error of .013 at .95: below .90 it would miss its promise. The bootstrap of
    # topics held .87, .80, .91 and .90.
    truth = true_kappa(assessors, relevant)
    found = coverage(judged_collections(300, assessors, topics, documents, relevant, seed=17), truth)
    assert found.shown > 0.5
    assert found.held > 0.90
