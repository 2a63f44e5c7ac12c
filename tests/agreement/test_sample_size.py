"""How many documents must be judged twice: by the published variance, by hand, and at the edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support import Oracle
from workbench.agreement.ratings import ratings_of
from workbench.agreement.sample_size import (
    SizeRequest,
    intraclass_correlation,
    sample_size,
)
from workbench.errors import InvalidInput

stats = Oracle("scipy.stats")
ALONE = SizeRequest(kappa=0.6, relevant=0.2, topics=1000, icc=0.0, half_width=0.05)


def test_the_variance_of_pooled_kappa_is_that_of_bloch_and_kraemer() -> None:
    # 1989, equation (9): (1 - k)((1 - k)(1 - 2 k) + k (2 - k) / (2 p (1 - p))), here k = .6, p = .2.
    wanted = 0.4 * (0.4 * (1 - 1.2) + 0.6 * 1.4 / (2 * 0.2 * 0.8))
    assert ALONE.variance == pytest.approx(wanted)
    assert ALONE.value == pytest.approx(0.6)


def test_gwets_coefficient_follows_from_the_expected_kappa() -> None:
    # Cells .136 + .128 + .736 of kappa .6 at .2: agreement .872, chance 2 p (1 - p) = .32, AC1 = .552 / .68.
    assert replace(ALONE, coefficient="gwet").value == pytest.approx(0.552 / 0.68)


def test_documents_that_are_alike_need_more_of_them_and_more_topics() -> None:
    # Without correlation: (t / .05)^2 V documents, one more in each of 1,000 topics where it is no whole one.
    point = stats.t.ppf(0.975, 1000 / 2 - 1)
    exact = (point / 0.05) ** 2 * ALONE.variance
    found = sample_size(ALONE)
    assert found.documents == 1000 * -(-exact // 1000)
    # 100 topics, icc .1: with m of each the variance is V (1 + (m - 1) .1) / (100 m).
    alike = sample_size(replace(ALONE, topics=100, icc=0.1, half_width=0.1))
    point = stats.t.ppf(0.975, 49)
    assert alike.per_topic is not None

    def half_width(m: int) -> float:
        return float(point * np.sqrt(ALONE.variance * (1 + (m - 1) * 0.1) / (100 * m)))

    assert alike.half_width == pytest.approx(half_width(alike.per_topic))
    assert half_width(alike.per_topic) <= 0.1 < half_width(alike.per_topic - 1)
    assert alike.of_these is not None
    assert alike.of_these < alike.half_width


def test_few_topics_cannot_give_a_narrow_interval_and_it_says_how_many_would() -> None:
    asked = SizeRequest(topics=25, half_width=0.05, icc=0.05)
    found = sample_size(asked)
    assert (found.documents, found.of_these) == (None, None)
    # With documents without end the variance is V icc / T.
    assert found.half_width == pytest.approx(
        stats.t.ppf(0.975, 11.5) * np.sqrt(asked.variance * 0.05 / 25), rel=1e-3
    )
    assert found.topics_needed is not None
    assert sample_size(replace(asked, topics=found.topics_needed)).documents is not None
    assert "25 topics cannot give ± 0.05" in found.in_words


def test_rare_documents_raise_the_number_until_ten_of_each_kind_are_expected() -> None:
    # kappa .6 at 5 %: both relevant .031, apart .038, so that 10 of the former take 323 documents.
    asked = SizeRequest(coefficient="gwet", kappa=0.6, relevant=0.05, topics=50, icc=0.0, half_width=0.1)
    found = sample_size(asked)
    assert asked.fewest == 323
    assert (found.documents, found.raised) == (350, True)


def test_what_cannot_be_is_named_all_at_once() -> None:
    with pytest.raises(InvalidInput) as refused:
        SizeRequest("alpha", 0.001, 1.0, 0.0, 3)
    assert [one.code for one in refused.value.findings] == [
        "half_width", "kappa", "relevant", "topics", "coefficient",
    ]  # fmt: skip


def test_topics_that_are_judged_alike_throughout_have_a_correlation_of_one() -> None:
    # Each topic agrees wholly, or not at all: what a pair does to kappa is the same within its topic.
    first = [1] * 10 + [0] * 10 + [1] * 10 + [0] * 10
    second = [1] * 10 + [0] * 10 + [0] * 10 + [1] * 10
    topics = np.repeat(np.arange(4), 10)
    assert intraclass_correlation(
        ratings_of([first, second], categories=(1, 0), topics=topics)
    ) == pytest.approx(1)
    same = ratings_of([[1, 1], [1, 1]], categories=(1, 0), topics=[0, 1])
    assert intraclass_correlation(same) is None
