"""Agreement by topic, on tables small enough to work by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.agreement.made import columns
from workbench.agreement.estimates import (
    FEWEST,
    Band,
    TopicAgreement,
    by_topic,
    differing,
    lowest_first,
    means,
    topic_coefficients,
    what_would_define,
)
from workbench.agreement.intervals import share_interval
from workbench.agreement.jackknife import linearised
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings, ratings_of

NAMES = [one.name for one in topic_coefficients()]
# Topic 0: 2 both relevant, 2 both not, 1 and 1 apart. Topic 1: all not relevant. Topic 2: one judged by one.
FIRST = [1, 1, 0, 0, 1, 0, 0, 0, 0, 1]
SECOND = [1, 1, 0, 0, 0, 1, 0, 0, 0, -1]
TOPICS = [0] * 6 + [1] * 3 + [2]


@pytest.fixture
def found() -> tuple[TopicAgreement, ...]:
    return by_topic(
        ratings_of([FIRST, SECOND], categories=(1, 0), missing=-1, topics=TOPICS), AgreementOptions()
    )


def test_every_topic_has_its_own_values(found: tuple[TopicAgreement, ...]) -> None:
    # 4 of 6 agree; half of all grades are relevant, so that chance is 1/2 for all: (2/3 - 1/2) / (1/2) = 1/3.
    # Alpha: D_o = 4/12, D_e = 2 x 6 x 6 / (12 x 11) = 6/11, 1 - 11/18 = 7/18.
    values = [found[0].estimate(name).value for name in NAMES]
    assert values == pytest.approx([2 / 3, 1 / 3, 1 / 3, 7 / 18, 1 / 3])
    assert (found[0].n, found[0].disputed) == (6, 2)


def test_a_topic_without_a_value_says_why_and_what_would_define_it(
    found: tuple[TopicAgreement, ...],
) -> None:
    pooled = found[1].estimate("pooled").found
    assert (found[1].estimate("observed").value, pooled.value) == (1.0, None)
    assert pooled.undefined == "everyone gave the same grade, so agreement by chance is already 1"
    assert what_would_define(pooled) == "it is defined once somebody gives another grade in the topic"
    nobody = found[2].estimate("pooled").found
    assert (found[2].n, nobody.value) == (0, None)
    assert "two assessors have graded a document" in what_would_define(nobody)
    assert what_would_define(found[0].estimate("pooled").found) == ""


def test_few_documents_of_a_rarer_grade_have_no_interval_and_it_is_said_how_many_are_needed(
    found: tuple[TopicAgreement, ...],
) -> None:
    # Relevant are 3 of either's 6: half, so that 3 have a rarer grade.
    assert (found[0].rich, found[0].few) == (3.0, True)
    interval = found[0].estimate("pooled").interval
    assert interval is not None
    assert interval.undefined == (
        f"an interval for one topic needs {FEWEST} documents of a rarer grade; this topic has 3"
    )
    assert found[0].estimate("pooled").band is Band.UNCERTAIN
    # The observed agreement has Wilson's interval of whatever there is.
    observed = found[0].estimate("observed").interval
    assert observed is not None
    assert (observed.low, observed.high) == pytest.approx(share_interval(4, 6))
    assert (observed.method, observed.units) == ("Wilson", 6)


def test_a_topic_is_rich_by_its_rarer_grade_whatever_that_is() -> None:
    # Of two assessors one calls one more document not relevant: a half below what is needed, and just enough.
    def topic(rare: int) -> TopicAgreement:
        first = [0] * rare + [1] * 80
        second = [0] * (rare - 1) + [1] * 81
        (one,) = by_topic(ratings_of([first, second], categories=(1, 0)), AgreementOptions())
        return one

    assert (topic(FEWEST).rich, topic(FEWEST).few) == (FEWEST - 0.5, True)
    enough = topic(FEWEST + 1)
    assert (enough.rich, enough.few) == (FEWEST + 0.5, False)
    pooled = enough.estimate("pooled")
    assert pooled.interval is not None
    assert pooled.interval.low is not None
    assert pooled.band is Band.ALMOST_PERFECT


def test_the_lowest_comes_first_and_what_is_undefined_last() -> None:
    def topic(place: int, first: list[int], second: list[int]) -> Ratings:
        return ratings_of([first, second], categories=(1, 0), topics=[place] * len(first))

    parts = [topic(0, [1, 0], [1, 0]), topic(1, [0, 0], [0, 0]), topic(2, [1, 0], [0, 1])]
    codes = np.concatenate([part.codes for part in parts], axis=1)
    all_topics = by_topic(Ratings(codes, (1, 0), np.repeat([0, 1, 2], 2), 3), AgreementOptions())
    assert [one.place for one in lowest_first(all_topics, "pooled")] == [2, 0, 1]
    # Kappas of 1 and -1, and one undefined: the mean over the defined ones is 0.
    pooled = means(all_topics)[NAMES.index("pooled")]
    assert (pooled.value, pooled.topics, pooled.left_out) == (0.0, 2, 1)


def test_intervals_are_those_of_the_documents_of_the_topic_alone() -> None:
    rng = np.random.default_rng(3)
    grades = rng.integers(0, 2, (2, 90))
    both = ratings_of(list(grades), categories=(1, 0), topics=[0] * 40 + [1] * 50)
    alone = ratings_of([row[40:] for row in grades], categories=(1, 0))
    found = by_topic(both, AgreementOptions(confidence=0.9))[1]
    agreed = int((grades[0, 40:] == grades[1, 40:]).sum())
    wilson = share_interval(agreed, 50, level=0.9)
    # Alpha has no formula.
    assert found.estimate("alpha").interval is None
    for name in set(NAMES) - {"alpha"}:
        one = found.estimate(name)
        assert one.interval is not None
        assert one.interval.level == 0.9
        bounds = one.interval.low, one.interval.high
        if name == "observed":
            assert bounds == pytest.approx(wilson)
        elif one.coefficient.linearised:
            assert one.interval == linearised(alone, name, level=0.9)


def test_the_intervals_of_a_topic_are_those_of_the_textbooks_table() -> None:
    # Table 8.2 of Manning et al.: FORMULAS 2.4 has the unpooled kappa's by Fleiss, Cohen and Everitt 1969.
    data = ratings_of(list(columns([[300, 20], [10, 70]]).values()), categories=(1, 0))
    (found,) = by_topic(data, AgreementOptions())
    assert found.rich == (80 + 90) / 2
    unpooled = found.estimate("unpooled").interval
    assert unpooled is not None
    assert (unpooled.low, unpooled.high) == pytest.approx((0.69990, 0.85234), abs=5e-6)
    for name in ("pooled", "gwet"):
        one = found.estimate(name)
        assert one.interval == linearised(data, name)
        assert one.band is (Band.SUBSTANTIAL if name == "pooled" else Band.ALMOST_PERFECT)


def test_what_differs_differs_among_those_who_judged() -> None:
    three = ratings_of([[1, 1, -1, 0], [1, 0, 1, -1], [-1, 1, 1, -1]], categories=(1, 0), missing=-1)
    assert differing(three).tolist() == [False, True, False, False]


def test_where_no_pair_enters_there_are_no_topics() -> None:
    assert (
        by_topic(
            ratings_of([[], []], categories=(1, 0), topics=np.zeros(0, dtype=np.int64)), AgreementOptions()
        )
        == ()
    )
