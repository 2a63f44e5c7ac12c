"""What a rule makes topic by topic is what it makes of all at once, in numbers and in lines."""

from __future__ import annotations

import random

import pytest

from workbench.consensus.rules import rule_choice
from workbench.consensus.settle import consensus
from workbench.consensus.summary import summary, summed
from workbench.formats.qrels import write_qrels
from workbench.records import FOUR_GRADES, Answer, Judgment
from workbench.workflow.pools.pooled_topics import TopicDocnos
from workbench.workflow.qrels.qrels import Material, qrels_of
from workbench.workflow.qrels.settled_topic import by_topic, together


def some_judgments() -> tuple[Judgment, ...]:
    """Of three topics, of which one is a byte beyond UTF-8; in topic 9 nobody gives a grade."""
    chance = random.Random(16)
    found = []
    for topic in ("10", "2", "\udce9"):
        for number in range(7):
            for assessor in ("ann", "bea", "cyd")[: chance.randint(1, 3)]:
                found.append(Judgment(assessor, topic, f"d{number}", chance.randint(0, 3)))
    found.append(Judgment("ann", "9", "d1", None, Answer.UNSURE))
    return tuple(found)


@pytest.mark.parametrize("rule", ["majority", "any", "dawid-skene"])
def test_topics_are_together_what_the_rule_gave_of_all(rule: str) -> None:
    judgments = some_judgments()
    whole = consensus(judgments, rule=rule, scale=FOUR_GRADES)
    parts = by_topic(whole)
    assert [one.topic for one in parts] == ["10", "2", "9", "\udce9"]
    assert together(parts) == whole
    assert b"".join(one.lines for one in parts) == b"".join(write_qrels(whole.qrels))
    # To the last bit: confidences are added up in one order, whichever way.
    assert summed([one.summary for one in parts], relevant_from=whole.relevant_from) == summary(whole)


def test_a_report_counts_relevant_lines_and_pairs_without_a_grade() -> None:
    judgments = (
        Judgment("ann", "1", "a", 2), Judgment("ann", "1", "b", 1), Judgment("ann", "2", "a", 0),
        Judgment("ann", "3", "a", None, Answer.CANNOT_JUDGE),
    )  # fmt: skip
    report = qrels_of(Material(FOUR_GRADES, judgments, {}, {"ann": False}), rule_choice("majority"))
    assert report.relevant_by_topic(1) == {"1": 2}
    assert report.relevant_by_topic(2) == {"1": 1}
    assert (report.summary.settled, report.without_grade) == (3, 1)
    assert [one.topic for one in report.first_unsettled(5)] == ["3"]
    assert report.first_unsettled(0) == ()


def test_the_graded_documents_of_a_pool_are_counted_anew_when_the_pool_grows() -> None:
    (topic,) = by_topic(consensus([Judgment("ann", "1", "a", 2), Judgment("ann", "1", "b", 1)], rule="any"))
    assert topic.graded_of(TopicDocnos.of([b"a", b"c"])) == 1
    assert topic.graded_of(TopicDocnos.of([b"a", b"b", b"c"])) == 2
    assert topic.graded_of(TopicDocnos.of([])) == 0


def test_nothing_judged_is_no_topic() -> None:
    report = qrels_of(Material(FOUR_GRADES, (), {}, {}), rule_choice("majority"))
    assert (report.topics, report.summary.settled, report.summary.confidence) == ((), 0, None)
    assert report.relevant_from == FOUR_GRADES.relevant_from
    assert b"".join(report.lines()) == b""
    assert report.consensus.labels == ()
