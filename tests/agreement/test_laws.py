"""What no coefficient for several assessors escapes; random data against oracles."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import warnings
from typing import Literal, get_args

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import workbench.agreement
from tests.agreement.made import TABLE_FORMS, from_rows, ratings
from tests.support import Oracle
from workbench.agreement.alpha import alpha
from workbench.agreement.coefficient import Coefficient, values
from workbench.agreement.coefficients import COEFFICIENTS, coefficient_value, pooled_kappa
from workbench.agreement.ratings import MISSING, Ratings, contingency, ratings_of
from workbench.agreement.tally import tally
from workbench.agreement.weights import WEIGHTS

metrics = Oracle("sklearn.metrics")

ALL = pytest.mark.parametrize("name", COEFFICIENTS)
WEIGHTINGS = st.sampled_from(sorted(WEIGHTS))


def close(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return first == pytest.approx(second, abs=1e-9)


@ALL
@given(data=ratings(), weights=WEIGHTINGS, seed=st.integers(0, 2**32 - 1))
def test_neither_the_order_of_assessors_nor_of_pairs_matters(
    name: str, weights: str, data: Ratings, seed: int
) -> None:
    rows = np.random.default_rng(seed)
    order = rows.permutation(data.codes.shape[1])
    mixed = Ratings(
        data.codes[rows.permutation(data.n_assessors)][:, order],
        data.categories,
        data.topics[order],
        data.n_topics,
    )
    assert close(
        coefficient_value(data, name, weights=weights).value,
        coefficient_value(mixed, name, weights=weights).value,
    )


@ALL
@given(data=ratings(), weights=WEIGHTINGS)
def test_no_value_is_above_one(name: str, weights: str, data: Ratings) -> None:
    value = coefficient_value(data, name, weights=weights).value
    assert value is None or value <= 1 + 1e-12


@ALL
@given(data=ratings(), again=st.permutations(range(5)))
def test_new_names_for_the_grades_change_nothing(name: str, data: Ratings, again: list[int]) -> None:
    places = np.array([place for place in again if place < len(data.categories)], dtype=np.int8)
    codes = np.where(data.codes == MISSING, MISSING, places[data.codes]).astype(np.int8)
    renamed = Ratings(codes, data.categories, data.topics, data.n_topics)
    assert close(coefficient_value(data, name).value, coefficient_value(renamed, name).value)


@ALL
@given(data=ratings(), weights=WEIGHTINGS)
def test_a_scale_read_backwards_changes_nothing(name: str, weights: str, data: Ratings) -> None:
    last = len(data.categories) - 1
    codes = np.where(data.codes == MISSING, MISSING, last - data.codes).astype(np.int8)
    backwards = Ratings(codes, data.categories, data.topics, data.n_topics)
    one, other = (coefficient_value(each, name, weights=weights).value for each in (data, backwards))
    assert close(one, other)


@ALL
@given(data=ratings())
def test_full_agreement_is_one_or_undefined(name: str, data: Ratings) -> None:
    same = Ratings(np.repeat(data.codes[:1], 3, axis=0), data.categories, data.topics, data.n_topics)
    value = coefficient_value(same, name).value
    assert value is None or value == pytest.approx(1.0, abs=1e-12)


@ALL
@given(data=ratings())
def test_a_value_is_missing_exactly_where_a_reason_is_given(name: str, data: Ratings) -> None:
    said = coefficient_value(data, name)
    assert (said.value is None) == bool(said.undefined)
    assert said.n == ((data.codes != MISSING).sum(axis=0) >= 2).sum()


@ALL
@given(data=ratings(), weights=WEIGHTINGS)
def test_the_sums_by_topic_add_up_to_the_whole(name: str, weights: str, data: Ratings) -> None:
    chosen = WEIGHTS[weights](len(data.categories))
    by_topic = tally(data, chosen, by_topic=True)
    once = by_topic.total().grouped()
    found = values(COEFFICIENTS[name], once, chosen)[0]
    whole = coefficient_value(data, name, weights=weights).value
    assert np.isnan(found) if whole is None else found == pytest.approx(whole, abs=1e-9)


@given(data=ratings(complete=True, assessors=2))
def test_for_two_assessors_of_the_same_pairs_the_forms_are_the_exact_ones(data: Ratings) -> None:
    table = contingency(data.codes[0], data.codes[1], categories=range(len(data.categories)))
    assert close(coefficient_value(data, "pooled").value, pooled_kappa(table).value)
    assert close(coefficient_value(data, "unpooled").value, TABLE_FORMS["unpooled"](table).value)
    assert close(coefficient_value(data, "unpooled").expected, TABLE_FORMS["unpooled"](table).expected)


@given(data=ratings(complete=True))
def test_alpha_is_pooled_kappa_with_a_smaller_chance_and_the_same_in_the_limit(data: Ratings) -> None:
    # With N r grades: 1 - alpha = (1 - kappa)(N r - 1) / (N r) where all judged all; FORMULAS 2.1.
    pooled, found = coefficient_value(data, "pooled"), coefficient_value(data, "alpha")
    assert (pooled.value is None) == (found.value is None)
    if pooled.value is not None and found.value is not None:
        n = data.codes.size
        assert 1 - found.value == pytest.approx((1 - pooled.value) * (n - 1) / n, abs=1e-9)


@given(data=ratings(complete=True))
def test_pooled_kappa_is_never_above_the_unpooled(data: Ratings) -> None:
    pooled, unpooled = coefficient_value(data, "pooled").value, coefficient_value(data, "unpooled").value
    assume(pooled is not None and unpooled is not None)
    assert (pooled or 0) <= (unpooled or 0) + 1e-9


@given(data=ratings(complete=True, assessors=2), weights=st.sampled_from(["linear", "quadratic"]))
def test_weighted_kappa_is_scikit_learns(data: Ratings, weights: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = metrics.cohen_kappa_score(*data.codes, labels=range(len(data.categories)), weights=weights)
    found = coefficient_value(data, "unpooled", weights=weights).value
    assert np.isnan(oracle) if found is None else found == pytest.approx(oracle, abs=1e-9)


Level = Literal["nominal", "ordinal", "interval", "ratio"]


@given(data=ratings(), level=st.sampled_from(get_args(Level)))
def test_alpha_is_that_of_the_library_called_krippendorff(data: Ratings, level: Level) -> None:
    found = alpha(data, level).value
    table = np.where(data.codes == MISSING, np.nan, data.codes)
    pairable = (data.codes != MISSING).sum(axis=0) >= 2
    seen = np.unique(data.codes[:, pairable][data.codes[:, pairable] != MISSING])
    if len(seen) < 2:
        assert found is None  # the library refuses these
        return
    domain = list(range(len(data.categories)))
    oracle = krippendorff.alpha(
        reliability_data=table,
        level_of_measurement=level,
        value_domain=domain,
    )
    assert found == pytest.approx(oracle, abs=1e-9)


@pytest.mark.parametrize(("assessors", "grades"), [(40, 12), (60, 40), (300, 5)])
def test_many_assessors_and_grades_are_counted_like_few(assessors: int, grades: int) -> None:
    # 60 assessors on 40 grades have more kinds than fit into 63 bits; more than 255 fit into no byte.
    # Oracle: the library.
    generator = np.random.default_rng(5)
    given = generator.integers(0, grades, (assessors, 60))
    given[:, :grades] = np.arange(grades)[:60]
    data = ratings_of(given, categories=range(grades))
    oracle = krippendorff.alpha(reliability_data=given, level_of_measurement="nominal")
    assert coefficient_value(data, "alpha").value == pytest.approx(oracle, abs=1e-12)


@pytest.mark.parametrize("grades", [3, 10, 14])
def test_topics_together_are_told_as_each_alone(grades: int) -> None:
    # 30 assessors of one mind on every grade: 31^10 kinds of 64 topics are more than floats tell apart, 31^14
    # are more than fit into 63 bits.
    generator = np.random.default_rng(6)
    given = generator.integers(0, grades, (30, 64 * grades))
    given[:, ::2] = np.tile(np.arange(grades), 64)[::2]
    topics = np.repeat(np.arange(64), grades)
    weights = WEIGHTS["nominal"](grades)
    together = tally(ratings_of(given, categories=range(grades), topics=topics), weights, by_topic=True)
    for topic in (0, 31, 63):
        alone = tally(ratings_of(given[:, topics == topic], categories=range(grades)), weights).total()
        assert np.allclose(together.coincidences[topic], alone.coincidences)
        assert np.allclose(together.shares[topic], alone.shares)


def test_every_coefficient_of_the_room_is_in_the_catalogue() -> None:
    room = workbench.agreement
    modules = [
        importlib.import_module(f"{room.__name__}.{name}")
        for _, name, _ in pkgutil.iter_modules(room.__path__)
    ]
    found = {
        one
        for module in modules
        for _, one in inspect.getmembers(module, inspect.isclass)
        if issubclass(one, Coefficient) and one is not Coefficient
    }
    assert found == {type(coefficient) for coefficient in COEFFICIENTS.values()}


def test_nobody_in_common_is_undefined_and_not_zero() -> None:
    apart = from_rows([[1, None], [None, 0]])
    for name in COEFFICIENTS:
        said = coefficient_value(apart, name)
        assert said.value is None
        assert "no pair" in said.undefined
