"""Every two assessors: the same figures as for these two alone, their means, and real assessors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from tests.agreement.made import (
    entered,
    from_rows,
    jackknifed,
    ratings,
)
from tests.support import cases, examples, shared
from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.estimates import estimates, topics_left_out
from workbench.agreement.options import AgreementOptions, Basis
from workbench.agreement.pairwise import assessor_pairs, pairwise_means
from workbench.agreement.ratings import Assessor, Ratings, answers_of, ratings_of
from workbench.agreement.report import matrix
from workbench.agreement.selection import select_ratings
from workbench.formats.qrels import read_qrels


@settings(max_examples=examples(10))
@given(data=ratings(topics=8))
def test_two_among_many_have_the_figures_and_intervals_of_these_two_alone(data: Ratings) -> None:
    options = AgreementOptions(weights="linear", level="interval")
    for two in assessor_pairs(data, options):
        alone = data.only([two.first, two.second]).with_all()
        for ours, theirs in zip(
            two.estimates, estimates(alone, options, topics_left_out(alone, options)), strict=True
        ):
            assert ours.value == pytest.approx(theirs.value, abs=1e-9)
            assert ours.interval is not None
            assert theirs.interval is not None
            assert ours.interval.low == pytest.approx(theirs.interval.low, abs=1e-9)
            assert ours.interval.high == pytest.approx(theirs.interval.high, abs=1e-9)
            assert ours.interval.units == theirs.interval.units
            assert ours.interval.effective == pytest.approx(theirs.interval.effective)
            assert ours.interval.undefined == theirs.interval.undefined


@pytest.mark.parametrize(
    ("name", "rows", "light"),
    [
        ("three_judges_average_pairwise", "ratings_item_by_judge", "average_pairwise_cohen_light"),
        ("fleiss_1971_with_rater_columns", "ratings_subject_by_rater", "light_average_pairwise_cohen"),
    ],
)
def test_lights_kappa_is_the_mean_of_every_twos(name: str, rows: str, light: str) -> None:
    case = cases("11_agreement_multi_raters.json")[name]
    data = from_rows(list(zip(*case["input"][rows], strict=True)))
    pairs = assessor_pairs(data, AgreementOptions())
    expected = case["expected"]
    found = [two.estimate("unpooled").value for two in pairs]
    assert found == pytest.approx(expected["pairwise_cohen"], abs=1e-6)
    by_name = {mean.name: mean for mean in pairwise_means(data, pairs, AgreementOptions())}
    assert by_name["unpooled"].value == pytest.approx(expected[light], abs=1e-6)
    if "average_pairwise_scott" in expected:
        assert by_name["pooled"].value == pytest.approx(expected["average_pairwise_scott"], abs=1e-9)


def test_a_mean_leaves_out_what_is_undefined() -> None:
    # ann and bea share all pairs, cyd only ones on which everybody says 1.
    found = entered(
        {"ann": [1, 0, 1, 0, 1, 1], "bea": [1, 0, 0, 0, 1, 1], "cyd": [1, None, None, None, 1, 1]}, topics=3
    )
    options = AgreementOptions()
    mean = {
        one.name: one
        for one in pairwise_means(found.ratings, assessor_pairs(found.ratings, options), options)
    }["pooled"]
    assert (mean.pairs, mean.left_out) == (1, 2)
    assert mean.interval is not None
    assert (mean.interval.units, mean.interval.low) == (3, None)
    assert mean.interval.undefined == "an interval needs 5 topics or more; there are 3"


def test_a_mean_of_every_two_has_an_interval_over_the_topics_of_all() -> None:
    generator = np.random.default_rng(2)
    truth = generator.random(60) < 0.5
    said = np.where(generator.random((3, 60)) < 0.8, truth, ~truth).astype(int)
    # Of the first topic cyd judged nothing, so that without it the kappas with cyd stay as they are.
    said[2, :10] = -1
    topics = np.repeat(np.arange(6), 10)
    data = ratings_of(said, categories=(1, 0), missing=-1, topics=topics)
    options = AgreementOptions()
    means = {one.name: one for one in pairwise_means(data, assessor_pairs(data, options), options)}
    several = [data.only(two).with_all() for two in ((0, 1), (0, 2), (1, 2))]

    def mean(name: str, left: int | None) -> float:
        found = 0.0
        for both in several:
            there = both.topics != left
            some = ratings_of(both.codes[:, there], categories=(0, 1))
            found += coefficient_value(some, name).value or 0
        return found / 3

    # The less frequent grade of each two, counted by topic as a mean over the two, and added up.
    rich = np.zeros(6)
    for both in several:
        rare = int((both.codes == 0).sum() > (both.codes == 1).sum())
        rich += [(both.codes[:, both.topics == one] == rare).mean(axis=0).sum() for one in range(6)]
    for name in ("observed", "pooled", "unpooled"):
        interval = means[name].interval
        assert interval is not None
        expected = jackknifed(
            mean(name, None), [mean(name, one) for one in range(6)], rich.tolist(), share=name == "observed"
        )
        assert (interval.low, interval.high) == pytest.approx(expected, abs=1e-9)
        assert interval.units == 6


def test_who_judges_alike_stands_together_and_machines_stand_last() -> None:
    one, other = [1, 1, 0, 0, 1, 0], [0, 1, 1, 0, 0, 1]
    found = entered(
        {"a": one, "robot": one, "b": other, "c": one, "d": other},
        machines=("robot",),
        assessors=frozenset("abcd") | {"robot"},
    )
    names = [found.assessors[number].name for number in matrix(found, AgreementOptions()).order]
    assert names[-1] == "robot"
    assert {frozenset(names[:2]), frozenset(names[2:4])} == {frozenset("ac"), frozenset("bd")}


def test_of_very_many_assessors_those_with_the_most_grades_are_paired() -> None:
    rows = {f"w{number:02}": [1, 0] * (2 + number // 16) + [None] * 8 for number in range(32)}
    short = {name: (row + [None] * 20)[:12] for name, row in rows.items()}
    found = matrix(entered(short), AgreementOptions())
    assert (len(found.order), found.left_out) == (30, 2)


def test_a_document_that_one_judge_has_not_judged_halves_the_overlap_if_it_counts() -> None:
    case = cases("13_assessor_overlap.json")["isj_vs_pt6"]
    given_, expected = case["input"], case["expected"]
    both, isj, pt6 = given_["both_relevant"], given_["ISJ_rel_PT6_nonrel"], given_["PT6_rel_ISJ_nonrel"]
    isj_alone = given_["ISJ_relevant"] - both - isj
    pt6_alone = given_["PT6_relevant"] - both - pt6
    said = {
        "ISJ": [1] * both + [1] * isj + [0] * pt6 + [1] * isj_alone + [None] * pt6_alone,
        "PT6": [1] * both + [0] * isj + [1] * pt6 + [None] * isj_alone + [1] * pt6_alone,
    }
    for basis, estimate in (
        (Basis.BOTH, "overlap_on_jointly_judged"),
        (Basis.LISTED, "overlap_of_full_relevant_sets"),
    ):
        found = entered(said, basis=basis)
        (two,) = assessor_pairs(found.ratings, AgreementOptions())
        assert two.view is not None
        assert two.view.overlap == pytest.approx(expected[estimate], abs=1e-9)


@pytest.mark.slow
def test_qrels_of_robust03_against_their_modified_copy() -> None:
    folder = shared("data", "robust03")
    said, voices = [], []
    for number, name in enumerate(("qrels.txt", "qrels.trectools_modified.txt")):
        voices.append(Assessor(name))
        with (folder / name).open("rb") as stream:
            said += [(number, q.topic, q.docno, q.grade) for q in read_qrels(stream, source=name)]
    answers = answers_of(voices, said)
    graded = select_ratings(answers, (0, 1, 2), AgreementOptions(relevant_from=1, graded=True))
    (two,) = assessor_pairs(graded.ratings, AgreementOptions())
    assert two.n == 128_796
    assert two.estimate("observed").value == pytest.approx(0.9999223578372, abs=5e-14)
    (binary,) = assessor_pairs(graded.by_grade.from_grade(1), AgreementOptions())
    assert binary.table == ((6074, 0), (10, 122_712))
    assert binary.estimate("unpooled").value == pytest.approx(chance_taken_off(6074, 6084, two.n), abs=1e-12)
    # trectools' tests assert .999188229143584. That takes the sum of the grades for the number of relevant
    # documents, so that the 407 of grade 2 count twice; with their number it is .999136752176486, as here.
    sums = [int((2 - row.astype(int)).sum()) for row in graded.by_grade.codes]
    assert chance_taken_off(sums[0], sums[1], two.n) == pytest.approx(0.999188229143584, abs=1e-12)


def chance_taken_off(first: int, second: int, n: int) -> float:
    """Cohen's kappa of two assessors who find this many relevant of n and differ on ten."""
    observed = (n - 10) / n
    expected = (first * second + (n - first) * (n - second)) / n**2
    return (observed - expected) / (1 - expected)
