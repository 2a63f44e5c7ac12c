"""Every two assessors compared: which pairs enter, the means, and real assessors."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from tests.support import cases, shared
from workbench.agreement.bands import Band
from workbench.agreement.pairwise import compare
from workbench.agreement.report import Basis
from workbench.agreement.table import contingency
from workbench.errors import WorkbenchError
from workbench.formats.qrels import read_qrels

Judged = dict[str, dict[tuple[str, str], int]]


def graded(**grades: list[int | None]) -> Judged:
    """Assessors' grades of documents d0, d1, ... of topic 1; None is not judged."""
    return {
        assessor: {("1", f"d{at}"): grade for at, grade in enumerate(given) if grade is not None}
        for assessor, given in grades.items()
    }


def test_three_judges_have_the_mean_of_their_pairwise_kappas() -> None:
    case = cases("11_agreement_multi_raters.json")["three_judges_average_pairwise"]
    columns = zip(*case["input"]["ratings_item_by_judge"], strict=True)
    report = compare(graded(**{f"j{at}": list(column) for at, column in enumerate(columns)}), relevant_from=1)
    expected = case["expected"]
    assert [pair.unpooled.value for pair in report.pairs] == pytest.approx(expected["pairwise_cohen"])
    assert [pair.pooled.value for pair in report.pairs] == pytest.approx(expected["pairwise_scott"])
    assert report.unpooled.value == pytest.approx(expected["average_pairwise_cohen_light"], abs=1e-9)
    assert report.pooled.value == pytest.approx(expected["average_pairwise_scott"], abs=1e-9)
    assert (report.pooled.pairs, report.pooled.left_out) == (3, 0)


def test_lights_kappa_of_six_raters_and_five_grades() -> None:
    case = cases("11_agreement_multi_raters.json")["fleiss_1971_with_rater_columns"]
    columns = zip(*case["input"]["ratings_subject_by_rater"], strict=True)
    report = compare(graded(**{f"r{at}": list(column) for at, column in enumerate(columns)}))
    expected = case["expected"]
    assert [pair.unpooled.value for pair in report.pairs] == pytest.approx(
        expected["pairwise_cohen"], abs=1e-6
    )
    assert report.unpooled.value == pytest.approx(expected["light_average_pairwise_cohen"], abs=1e-6)


def test_only_pairs_that_both_judged_enter_and_the_others_are_counted() -> None:
    report = compare(graded(ann=[1, 1, 0, None, 1], bea=[1, 0, 0, 1, None]), relevant_from=1)
    (pair,) = report.pairs
    assert (pair.first, pair.second) == ("ann", "bea")
    assert pair.table == ((1, 1), (0, 1))
    assert (pair.n, pair.n_both, pair.n_first_only, pair.n_second_only) == (3, 3, 1, 1)


def test_pairs_come_in_the_order_in_which_assessors_are_given() -> None:
    report = compare(graded(zoe=[1], ann=[0], mia=[1]))
    assert [(pair.first, pair.second) for pair in report.pairs] == [
        ("zoe", "ann"),
        ("zoe", "mia"),
        ("ann", "mia"),
    ]


def test_tables_have_the_highest_grade_first() -> None:
    report = compare(graded(ann=[3, 2, 0], bea=[3, 0, 0]), categories=(0, 1, 2, 3))
    assert report.categories == (3, 2, 1, 0)
    assert report.pairs[0].table == ((1, 0, 0, 0), (0, 0, 0, 1), (0, 0, 0, 0), (0, 0, 0, 1))


def test_relevance_may_begin_at_a_higher_grade() -> None:
    report = compare(graded(ann=[3, 2, 1], bea=[2, 1, 1]), relevant_from=2)
    assert report.categories == (1, 0)
    assert report.pairs[0].table == ((1, 1), (0, 1))


def test_the_mean_leaves_out_what_is_undefined_and_says_why() -> None:
    # ann and bea agree on everything with one grade; cyd shares no document with them.
    report = compare(graded(ann=[1, 1, None], bea=[1, 1, None], cyd=[None, None, 0]), relevant_from=1)
    assert report.pooled.value is None
    assert (report.pooled.pairs, report.pooled.left_out) == (0, 3)
    assert report.pooled.reasons == (
        ("everyone gave the same grade, so agreement by chance is already complete", 1),
        ("no pair was judged by both", 2),
    )
    assert report.pooled.undefined == "the coefficient is undefined for every two assessors"
    assert (report.observed.value, report.observed.pairs, report.observed.left_out) == (1.0, 1, 2)


def test_the_band_is_that_of_the_pooled_kappa() -> None:
    rows = [(1, 1)] * 300 + [(1, 0)] * 20 + [(0, 1)] * 10 + [(0, 0)] * 70
    first, second = zip(*rows, strict=True)
    assert compare(graded(ann=list(first), bea=list(second))).pairs[0].band is Band.FAIR
    assert compare(graded(ann=[1], bea=[1])).pairs[0].band is None


def test_unjudged_may_count_as_the_lowest_grade() -> None:
    judged = graded(ann=[2, 1, 0, None, 2, None], bea=[2, 0, 0, 1, None, 0])
    (pair,) = compare(judged, basis=Basis.LISTED_AS_NOT_RELEVANT).pairs
    # d3 is (0, 1), d4 is (2, 0), d5 is (0, 0).
    assert pair.table == ((1, 0, 1), (0, 0, 1), (0, 1, 2))
    assert (pair.n, pair.n_both, pair.n_first_only, pair.n_second_only) == (6, 3, 1, 2)


def test_what_neither_judged_may_count_as_the_lowest_grade_too() -> None:
    judged = graded(ann=[1, 0, None], bea=[1, None, 1])
    (pair,) = compare(judged, basis=Basis.LISTED_AS_NOT_RELEVANT, universe=10).pairs
    assert pair.table == ((1, 0), (1, 8))
    assert pair.n == 10


@given(
    st.lists(
        st.tuples(*[st.one_of(st.none(), st.integers(0, 2))] * 3),
        max_size=12,
    ),
    st.integers(0, 5),
)
def test_unlisted_pairs_are_counted_as_if_they_were_written_down(
    rows: list[tuple[int | None, ...]], unseen: int
) -> None:
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    report = compare(
        graded(a=list(columns[0]), b=list(columns[1]), c=list(columns[2])),
        categories=(0, 1, 2),
        basis=Basis.LISTED_AS_NOT_RELEVANT,
        universe=len(rows) + unseen,
    )
    written = [[grade or 0 for grade in column] + [0] * unseen for column in columns]
    for pair, (first, second) in zip(report.pairs, [(0, 1), (0, 2), (1, 2)], strict=True):
        expected = contingency(written[first], written[second], categories=(2, 1, 0))
        assert np.array_equal(pair.table, expected)


def test_a_universe_smaller_than_what_was_judged_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="judged 3 pairs of only 2"):
        compare(graded(ann=[1, 0, None], bea=[1, None, 1]), basis=Basis.LISTED_AS_NOT_RELEVANT, universe=2)


def test_a_universe_has_no_use_where_both_must_have_judged() -> None:
    with pytest.raises(WorkbenchError, match="choose the basis listed-as-not-relevant"):
        compare(graded(ann=[1], bea=[1]), universe=10)


def test_one_assessor_alone_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="agreement needs two assessors"):
        compare(graded(ann=[1]))


def test_a_negative_grade_is_no_judgment() -> None:
    with pytest.raises(WorkbenchError, match="-1 is no grade"):
        compare(graded(ann=[1, -1], bea=[1, 0]), relevant_from=1)


def test_a_grade_outside_the_scale_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="4 is in no category"):
        compare(graded(ann=[4], bea=[1]), categories=(0, 1))


def test_assessors_without_any_judgment_are_undefined() -> None:
    (pair,) = compare(graded(ann=[], bea=[])).pairs
    assert pair.observed.undefined == "no pair was judged by both"


# --- real assessors -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cystic_fibrosis() -> Judged:
    judged: Judged = {}
    with shared("data", "cf", "judgments.tsv").open(encoding="utf-8") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            judged.setdefault(row["assessor"], {})[row["topic"], row["doc"]] = int(row["grade"])
    return judged


def test_four_assessors_of_cystic_fibrosis_on_the_listed_pairs(cystic_fibrosis: Judged) -> None:
    # CATALOGUE: A4 and the others have -.01 to .06 on the 4,819 pairs that somebody graded above 0.
    report = compare(cystic_fibrosis)
    values = {(pair.first[:2], pair.second[:2]): pair.unpooled.value for pair in report.pairs}
    with_a4 = [round(value or 0, 2) for (_, second), value in values.items() if second == "A4"]
    assert with_a4 == [0.06, -0.01, 0.05]
    assert {pair.n for pair in report.pairs} == {4819}
    grades = [list(given.values()) for given in cystic_fibrosis.values()]
    assert values["A1", "A2"] == pytest.approx(cohen_kappa_score(grades[0], grades[1]), abs=1e-12)


def test_four_assessors_of_cystic_fibrosis_on_all_pairs(cystic_fibrosis: Judged) -> None:
    # CATALOGUE: .40 to .45 over all 100 x 1,239 pairs. The basis moves a kappa from nothing to moderate.
    report = compare(cystic_fibrosis, basis=Basis.LISTED_AS_NOT_RELEVANT, universe=123_900)
    with_a4 = [round(pair.unpooled.value or 0, 2) for pair in report.pairs if pair.second == "A4_JBW"]
    assert with_a4 == [0.45, 0.40, 0.43]
    assert {pair.n for pair in report.pairs} == {123_900}


def test_qrels_of_robust03_against_their_modified_copy() -> None:
    folder = shared("data", "robust03")
    judged: Judged = {}
    for name in ("qrels.txt", "qrels.trectools_modified.txt"):
        with (folder / name).open("rb") as stream:
            judged[name] = {(q.topic, q.docno): q.grade for q in read_qrels(stream, source=name)}
    (pair,) = compare(judged).pairs
    assert pair.n == 128_796
    assert pair.observed.value == pytest.approx(0.9999223578372, abs=5e-14)
    first, second = (list(given.values()) for given in judged.values())
    assert list(judged["qrels.txt"]) == list(judged["qrels.trectools_modified.txt"])
    assert pair.unpooled.value == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
    (binary,) = compare(judged, relevant_from=1).pairs
    assert binary.table == ((6074, 0), (10, 122_712))
    assert binary.unpooled.value == pytest.approx(chance_taken_off(6074, 6084, pair.n), abs=1e-12)
    # trectools' tests assert .999188229143584. That takes the sum of the grades for the number of relevant
    # documents, so that the 407 of grade 2 count twice; with their number it is .999136752176486, as here.
    theirs = chance_taken_off(sum(first), sum(second), pair.n)
    assert theirs == pytest.approx(0.999188229143584, abs=1e-12)


def chance_taken_off(first: int, second: int, n: int) -> float:
    """Cohen's kappa of two assessors who find this many relevant of n and differ on ten."""
    observed = (n - 10) / n
    expected = (first * second + (n - first) * (n - second)) / n**2
    return (observed - expected) / (1 - expected)
