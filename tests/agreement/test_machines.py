"""A machine against people, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.agreement.made import interval_of_all_but_each
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import ratings_of
from workbench.agreement.two_series import compare_machine, majority

# The textbook's table 8.2 with the machine as the second judge: 300 20 / 10 70.
PERSON = [1] * 320 + [0] * 80
MACHINE = [1] * 300 + [0] * 20 + [1] * 10 + [0] * 70


def test_the_textbooks_table_gives_its_kappas_precision_and_recall() -> None:
    found = compare_machine(
        PERSON,
        MACHINE,
        options=AgreementOptions(),
        categories=(1, 0),
        relevant_from=1,
        topics=np.arange(400) % 2,
    )
    assert found.table == ((300, 20), (10, 70))
    values = {one.name: one.value for one in found.estimates}
    assert values["observed"] == pytest.approx(0.925)
    assert values["pooled"] == pytest.approx(0.775910, abs=5e-7)
    assert values["unpooled"] == pytest.approx(0.776119, abs=5e-7)
    # AC1: 2 x 0.7875 x 0.2125 = 0.3347 expected, (0.925 - 0.3347) / 0.6653 = 0.8873.
    assert values["gwet"] == pytest.approx((0.925 - 0.3346875) / (1 - 0.3346875))
    assert found.precision.value == pytest.approx(300 / 310)
    assert found.recall.value == pytest.approx(300 / 320)
    assert (found.precision.of, found.recall.of) == (310, 320)
    assert found.weighted == ()
    # Two topics are too few for an interval over topics, and documents of a topic are no units.
    assert found.topics == 2
    for one in found.estimates:
        assert one.interval is not None
        assert one.interval.low is None
        assert one.interval.undefined == "an interval needs 5 topics or more; there are 2"


def test_six_topics_have_an_interval_and_several_grades_are_weighted() -> None:
    rng = np.random.default_rng(4)
    person, machine = rng.integers(0, 3, (2, 60))
    topics = np.arange(60) % 6
    found = compare_machine(
        person,
        machine,
        options=AgreementOptions(confidence=0.9),
        categories=(2, 1, 0),
        relevant_from=2,
        topics=topics,
    )
    ratings = ratings_of([person, machine], categories=(2, 1, 0), topics=topics)
    assert [one.name for one in found.weighted] == ["pooled", "unpooled", "gwet"]
    for some, weights in ((found.estimates, "nominal"), (found.weighted, "quadratic")):
        for one in some:
            assert one.interval is not None
            expected = interval_of_all_but_each(ratings, one.name, weights=weights, level=0.9)
            assert (one.interval.low, one.interval.high) == pytest.approx(expected, abs=1e-9)
            assert (one.interval.units, one.interval.level) == (6, 0.9)


def test_nothing_in_common_is_undefined_with_its_reason() -> None:
    found = compare_machine([], [], options=AgreementOptions(), categories=(1, 0), relevant_from=1, topics=[])
    assert (found.n, found.pooled.value, found.precision.value) == (0, None, None)
    assert found.pooled.found.undefined == "no pair was judged by both"


def test_a_majority_is_what_most_say_and_a_tie_is_none() -> None:
    codes = np.array([[0, 0, 1, -1, -1], [0, 1, 1, 1, -1], [1, -1, 1, -1, -1]], dtype=np.int8)
    found, tied = majority(codes, 2)
    assert found.tolist() == [0, -1, 1, 1, -1]
    assert tied.tolist() == [False, True, False, False, False]
