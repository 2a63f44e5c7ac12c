"""From judgments to qrels: what never counts, what stays unsettled, what is refused."""

from __future__ import annotations

import pytest

from workbench.consensus.settle import Unsettled, consensus
from workbench.errors import Conflict, WorkbenchError
from workbench.records import BINARY, FOUR_GRADES, Answer, Judgment, Qrel


def unsure(assessor: str, topic: str, docno: str) -> Judgment:
    return Judgment(assessor, topic, docno, None, Answer.UNSURE)


def cannot(assessor: str, topic: str, docno: str) -> Judgment:
    return Judgment(assessor, topic, docno, None, Answer.CANNOT_JUDGE)


def test_answers_that_are_no_grade_never_give_a_line() -> None:
    given = [
        unsure("ann", "1", "d1"),
        cannot("bea", "1", "d1"),
        unsure("ann", "1", "d2"),
        Judgment("bea", "1", "d2", 1),
    ]
    result = consensus(given, rule="all", scale=BINARY)
    # For d2 bea's grade stands alone: an unsure answer is not a 0 that would break the unanimity.
    assert result.qrels == (Qrel("1", "d2", 1),)
    assert result.unsettled == (Unsettled("1", "d1", "nobody gave a grade"),)


def test_a_number_beside_an_unsure_answer_is_not_taken_for_a_grade() -> None:
    odd = Judgment("ann", "1", "d1", 0, Answer.UNSURE)
    assert consensus([odd], rule="any", scale=BINARY).qrels == ()


def test_lines_are_sorted_by_the_bytes_of_topic_and_docno() -> None:
    pairs = [("9", "b"), ("10", "é"), ("10", "\udcff"), ("10", "a"), ("10", "B")]
    result = consensus([Judgment("ann", *pair, 1) for pair in pairs], rule="any", scale=BINARY)
    assert [(qrel.topic, qrel.docno) for qrel in result.qrels] == [
        ("10", "B"),
        ("10", "a"),
        ("10", "é"),
        ("10", "\udcff"),
        ("9", "b"),
    ]


def test_ties_are_left_to_an_adjudicator_unless_something_else_is_said() -> None:
    given = [Judgment("ann", "1", "d1", 3), Judgment("bea", "1", "d1", 0)]
    result = consensus(given, rule="majority", scale=FOUR_GRADES)
    assert result.qrels == ()
    assert result.unsettled == (Unsettled("1", "d1", "equally many assessors gave different grades"),)


def test_what_the_named_assessor_did_not_grade_is_not_settled() -> None:
    given = [Judgment("ann", "1", "d1", 1), unsure("bea", "1", "d1")]
    result = consensus(given, rule="one", scale=BINARY, assessor="bea")
    assert result.unsettled == (Unsettled("1", "d1", "the named assessor gave no grade"),)


def test_one_assessor_judges_the_same_document_for_two_topics() -> None:
    given = [Judgment("ann", "1", "d1", 1), Judgment("ann", "2", "d1", 0)]
    assert consensus(given, rule="any", scale=BINARY).qrels == (Qrel("1", "d1", 1), Qrel("2", "d1", 0))


def test_no_judgments_give_no_qrels() -> None:
    result = consensus([], rule="majority", scale=BINARY)
    assert (result.qrels, result.unsettled) == ((), ())


def test_two_judgments_of_one_assessor_on_one_pair_are_refused() -> None:
    given = [Judgment("ann", "1", "d1", 1), unsure("ann", "1", "d1")]
    with pytest.raises(Conflict, match="ann judged document d1 of topic 1 twice"):
        consensus(given, rule="any", scale=BINARY)


def test_a_grade_outside_the_scale_is_refused() -> None:
    with pytest.raises(WorkbenchError, match=r"2 is not a grade of this scale \(use one of 0, 1\)"):
        consensus([Judgment("ann", "1", "d1", 2)], rule="any", scale=BINARY)


@pytest.mark.parametrize(
    ("rule", "parameters", "message"),
    [
        ("best", {}, r'no consensus rule "best" \(choose one of majority, one, any, all'),
        ("one", {}, r'"one" needs assessor'),
        ("mean", {}, r'"mean" gives fractions'),
        ("adjudicated", {"then": "sum"}, r'then cannot be "sum" \(choose one of majority, one,'),
        ("adjudicated", {"then": "one"}, r'the rule "adjudicated" needs assessor'),
        ("adjudicated", {"then": "any", "ties": "lower"}, r"has no ties \(parameters: then\)"),
        ("sum", {"line": "0"}, r'line cannot be "0" \(use a whole number of 1 or more\)'),
        ("sum", {"line": "²"}, r'line cannot be "²"'),
        ("any", {"ties": "lower"}, r'the rule "any" has no ties \(parameters: none\)'),
        ("majority", {"ties": "random"}, r'ties cannot be "random" \(choose one of none, lower, higher\)'),
    ],
)
def test_a_wrong_rule_or_parameter_is_refused(rule: str, parameters: dict[str, str], message: str) -> None:
    with pytest.raises(WorkbenchError, match=message):
        consensus([], rule=rule, scale=BINARY, relevant_from=None, decided=None, **parameters)
