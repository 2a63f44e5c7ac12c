"""What the scorers themselves would get wrong or not survive: order, ids, negative grades, odd measures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.strategies import IDS
from tests.scoring.some_qrels import qrels, ranked, run
from workbench.errors import WorkbenchError
from workbench.records import Qrel, Ranking, Run
from workbench.scoring.scorer import Scorer, score_run


def test_scores_that_single_precision_cannot_tell_apart_are_ties_unless_told_otherwise() -> None:
    # 1.00000001 is 1.0 as a 32-bit float; as a tie "z" would come first (docno descending).
    near = run({"1": {"z": 1.0, "a": 1.00000001}})
    relevant = [Qrel("1", "a", 1)]
    scorer = Scorer(relevant, "RR")
    assert scorer.score(near).values["RR"] == 0.5
    assert scorer.score(near, double_precision=True).values["RR"] == 1.0
    assert scorer.score(near).topics_near_tied == 1
    assert scorer.score(run({"1": {"z": 1.0, "a": 1.5}})).topics_near_tied == 0


def test_scores_beyond_single_precision_are_no_error() -> None:
    huge = run({"1": {"b": 1e300, "a": 1e301, "c": -1e300}})
    relevant = [Qrel("1", "a", 1)]
    assert Scorer(relevant, "RR").score(huge, double_precision=True).values["RR"] == 1.0
    assert Scorer(relevant, "RR").score(huge).values["RR"] == 0.5


@pytest.mark.parametrize("measures", ["AP nDCG@10 P@5 Bpref infAP Judged@5 RR@10 Compat NumRel"])
def test_a_topic_that_nobody_judged_counts_as_zero(measures: str) -> None:
    # Alone, such a topic ends trec_eval with exit code 4 and pytrec_eval with a segmentation fault.
    given_qrels = qrels({"1": {"a": -1, "b": -2}, "2": {"a": 1}})
    scores = score_run(given_qrels, run({"1": {"a": 2.0, "c": 1.0}, "2": {"a": 1.0}}), measures)
    assert scores.per_topic["AP"] == {"1": 0.0, "2": 1.0}
    assert scores.values["AP"] == 0.5
    assert (scores.topics_scored, scores.topics_in_qrels) == (2, 2)


@pytest.mark.parametrize("measures", ["AP P@5 Judged@10 RR@10 Compat Accuracy NumRet"])
def test_a_run_without_documents_is_worth_nothing(measures: str) -> None:
    for empty in (Run("A", {}), Run("A", {"1": Ranking((), ())}), ranked(["a"], topic="unknown")):
        scores = score_run([Qrel("1", "a", 1)], empty, measures)
        assert set(scores.values.values()) == {0.0}
        assert (scores.topics_scored, scores.topics_in_qrels) == (0, 1)


@given(st.lists(IDS, unique=True, min_size=2, max_size=6))
def test_ids_are_told_apart_to_the_byte(docnos: list[str]) -> None:
    # Only the last document is relevant, so the reciprocal rank shows that no other was taken for it.
    scores = score_run([Qrel(docnos[0], docnos[-1], 1)], ranked(docnos, topic=docnos[0]), "RR")
    assert scores.values["RR"] == 1 / len(docnos)


@pytest.mark.parametrize("others", ["P(judged_only=True)@5", "AP nDCG(judged_only=True) P(rel=2)@5"])
def test_the_number_of_documents_does_not_depend_on_the_other_measures(others: str) -> None:
    # ir_measures 0.4.3 counts judged documents only, if such a measure happens to come first in a set.
    scores = score_run([Qrel("1", "a", 1)], ranked(["a", "b", "c"]), f"NumRet {others} NumQ")
    assert (scores.values["NumRet"], scores.values["NumQ"]) == (3.0, 1.0)


def test_counts_are_added_up_and_not_averaged() -> None:
    scores = score_run(
        qrels({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}),
        run({"1": {"a": 1.0, "x": 0.0}, "2": {"b": 1.0}}),
        "NumRet NumQ NumRel AP",
    )
    assert scores.values["NumRet"] == 3.0
    # Facts of the qrels do not depend on the run, which lacks a topic.
    assert (scores.values["NumQ"], scores.values["NumRel"]) == (3.0, 3.0)
    assert scores.values["AP"] == pytest.approx(2 / 3)


def test_topics_come_in_the_order_of_their_bytes() -> None:
    given_qrels = qrels({"9": {"a": 1}, "10": {"a": 1}, "MB1": {"a": 1}})
    assert list(score_run(given_qrels, ranked(["a"], topic="9"), "AP").per_topic["AP"]) == ["10", "9", "MB1"]


def test_a_scorer_that_gives_up_is_an_error_that_says_so() -> None:
    # ir_measures divides by the number of documents that are not relevant, which is zero here.
    with pytest.raises(WorkbenchError, match="a scorer gave up: ZeroDivisionError"):
        score_run([Qrel("1", "a", 1)], ranked(["a"]), "Accuracy")


def test_empty_qrels_are_refused() -> None:
    with pytest.raises(WorkbenchError, match="the qrels are empty"):
        Scorer([], "AP")


def test_two_grades_for_one_pair_are_refused() -> None:
    with pytest.raises(WorkbenchError, match="document a has two grades for topic 1"):
        Scorer([Qrel("1", "a", 1), Qrel("1", "a", 0)], "AP")


@pytest.mark.parametrize("grade", [100_001, 2_000_000_000, -(10**10)])
def test_grades_for_which_trec_eval_has_no_memory_are_refused(grade: int) -> None:
    with pytest.raises(WorkbenchError, match="cannot be scored"):
        Scorer([Qrel("1", "a", grade)], "AP")
