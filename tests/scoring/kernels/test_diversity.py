"""Diversity measures by hand, and what is said where qrels have no subtopics, or other measures meet them."""

from __future__ import annotations

import math

import pytest

from tests.scoring.some_qrels import ranked
from workbench.errors import WorkbenchError
from workbench.records import Qrel
from workbench.scoring.scorer import Scorer, score_run

DIVERSITY = (
    "alpha_nDCG@4 alpha_DCG@4 ERR_IA@4 nERR_IA@4 NRBP nNRBP AP_IA P_IA@2 StRecall@1 StRecall@2 "
    "StRecall(rel=2)@4"
)
# a is about both subtopics, b and c about one each, d about none; of subtopic 3 nothing is known.
JUDGED = [
    *(Qrel("1", "a", 1, "1"), Qrel("1", "a", 1, "2"), Qrel("1", "a", 0, "3")),
    *(Qrel("1", "b", 1, "1"), Qrel("1", "b", 0, "2"), Qrel("1", "b", -2, "3")),
    *(Qrel("1", "c", 0, "1"), Qrel("1", "c", 2, "2"), Qrel("1", "d", 0, "1")),
]
RANKED = ranked(["b", "a", "d", "c"])


def test_diversity_measures_by_hand() -> None:
    # With alpha 1/2 the documents b, a, d, c gain 1, 1/2 + 1, 0 and 1/2 (Clarke et al. 2008); the ideal
    # ranking a, c, b gains 2, 1/2, 1/2. There are two subtopics with a relevant document.
    third, fifth = 1 / math.log2(3), 1 / math.log2(5)
    gained, ideal = 1 + 1.5 * third + 0.5 * fifth, 2 + 0.5 * third + 0.5 / 2
    # Documents that all cover both would gain 2, 1, 1/2, 1/4.
    best = 2 + third + 0.5 / 2 + 0.25 * fifth
    err, best_err, ideal_err = 1 + 1.5 / 2 + 0.5 / 4, 2 + 1 / 2 + 0.5 / 3 + 0.25 / 4, 2 + 0.5 / 2 + 0.5 / 3
    # With patience 1/2 ranks count 1, 1/2, 1/4, 1/8, and two subtopics at most 2 / (1 - 1/4).
    rbp, ideal_rbp = 1 + 1.5 / 2 + 0.5 / 8, 2 + 0.5 / 2 + 0.5 / 4
    # AP of subtopic 1: (1/1 + 2/2) / 2, of subtopic 2: (1/2 + 2/4) / 2.
    expected = {
        "alpha_nDCG@4": gained / ideal,
        "alpha_DCG@4": gained / best,
        "ERR_IA@4": err / best_err,
        "nERR_IA@4": err / ideal_err,
        "NRBP": rbp * (1 - 1 / 4) / 2,
        "nNRBP": rbp / ideal_rbp,
        "AP_IA": (1 + 1 / 2) / 2,
        "P_IA@2": (2 / 2 + 1 / 2) / 2,
        "StRecall@1": 1 / 2,
        "StRecall@2": 1.0,
        "StRecall(rel=2)@4": 1.0,
    }
    assert dict(score_run(JUDGED, RANKED, DIVERSITY).values) == pytest.approx(expected, abs=1e-12)


def test_alpha_is_what_a_repeated_subtopic_loses() -> None:
    # b, a, d, c: without loss they gain 1, 2, 0, 1 of an ideal 2, 1, 1; with the whole 1, 1, 0, 0 of 2.
    names = "alpha_nDCG(alpha=0.0)@2 alpha_nDCG(alpha=1.0)@2"
    third = 1 / math.log2(3)
    assert list(score_run(JUDGED, RANKED, names).values.values()) == pytest.approx(
        [(1 + 2 * third) / (2 + third), (1 + third) / 2]
    )


def test_the_first_rank_is_normalised_as_all_others() -> None:
    # ndeval leaves out to divide by the two subtopics at the cutoff 1, and prints 1.
    assert score_run(JUDGED, RANKED, "ERR_IA@1").values["ERR_IA@1"] == 1 / 2
    assert score_run(JUDGED, RANKED, "alpha_DCG@1").values["alpha_DCG@1"] == 1 / 2


def test_a_cutoff_far_below_the_last_document_ends() -> None:
    deep = "ERR_IA@2147483647 alpha_nDCG@2147483647 StRecall@2147483647"
    # Endless documents that cover a subtopic gain sum of 2 ** (1 - i) / i = 2 ln 2.
    assert list(score_run(JUDGED, RANKED, deep).values.values()) == pytest.approx(
        [1.875 / 2 / (2 * math.log(2)), score_run(JUDGED, RANKED, "alpha_nDCG@4").values["alpha_nDCG@4"], 1.0]
    )


def test_qrels_without_subtopics_are_refused_by_diversity_measures() -> None:
    with pytest.raises(WorkbenchError) as refused:
        Scorer([Qrel("1", "a", 1), Qrel("1", "b", 0)], "alpha_nDCG@20")
    assert "topic subtopic docno grade" in refused.value.remedy


def test_a_document_in_one_subtopic_only_is_read_all_the_same() -> None:
    # No document is judged twice; that the second column is a subtopic the measure says.
    judged = [Qrel("1", "a", 1, "1"), Qrel("1", "b", 1, "2")]
    values = score_run(judged, ranked(["b"]), "StRecall@5 AP").values
    assert dict(values) == {"StRecall@5": 0.5, "AP": 0.5}


def test_measures_of_one_grade_a_document_are_refused_by_name() -> None:
    with pytest.raises(WorkbenchError, match="AP cannot be computed"):
        Scorer(JUDGED, "StRecall@5 AP")
    with pytest.raises(WorkbenchError) as refused:
        Scorer(JUDGED, "AP")
    assert "diversity measures" in refused.value.remedy


def test_two_grades_for_one_subtopic_are_refused() -> None:
    with pytest.raises(WorkbenchError, match="two grades for subtopic 1 of topic 1"):
        Scorer([*JUDGED, Qrel("1", "a", 0, "1")], "StRecall@5")
