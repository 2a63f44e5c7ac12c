"""A machine against people, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.agreement.machines import compare_machine, majority
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import ratings_of
from workbench.agreement.resampling import Resamples, Unit, bootstrap

# The textbook's table 8.2 with the machine as the second judge: 300 20 / 10 70.
PERSON = [1] * 320 + [0] * 80
MACHINE = [1] * 300 + [0] * 20 + [1] * 10 + [0] * 70


def test_the_textbooks_table_gives_its_kappas_precision_and_recall() -> None:
    found = compare_machine(
        PERSON,
        MACHINE,
        options=AgreementOptions(rounds=50),
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
    # Two topics are too few to draw from: pairs are drawn.
    interval = found.estimates[0].interval
    assert interval is not None
    assert "over pairs" in interval.method


def test_five_topics_are_drawn_and_several_grades_weighted() -> None:
    rng = np.random.default_rng(4)
    person, machine = rng.integers(0, 3, (2, 60))
    topics = np.arange(60) % 6
    found = compare_machine(
        person,
        machine,
        options=AgreementOptions(rounds=80, seed=2),
        categories=(2, 1, 0),
        relevant_from=2,
        topics=topics,
    )
    ratings = ratings_of([person, machine], categories=(2, 1, 0), topics=topics)
    assert [one.name for one in found.weighted] == ["pooled", "unpooled", "gwet"]
    for one in found.weighted:
        assert one.interval == bootstrap(
            ratings, one.name, Resamples(unit=Unit.TOPIC, rounds=80, seed=2), weights="quadratic"
        )


def test_nothing_in_common_is_undefined_with_its_reason() -> None:
    found = compare_machine([], [], options=AgreementOptions(), categories=(1, 0), relevant_from=1, topics=[])
    assert (found.n, found.pooled.value, found.precision.value) == (0, None, None)
    assert found.pooled.found.undefined == "no pair was judged by both"


def test_a_majority_is_what_most_say_and_a_tie_is_none() -> None:
    codes = np.array([[0, 0, 1, -1, -1], [0, 1, 1, 1, -1], [1, -1, 1, -1, -1]], dtype=np.int8)
    found, tied = majority(codes, 2)
    assert found.tolist() == [0, -1, 1, 1, -1]
    assert tied.tolist() == [False, True, False, False, False]
