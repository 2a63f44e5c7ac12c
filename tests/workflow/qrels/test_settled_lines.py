"""Runs score on the lines of settled topics what they score on the same qrels as records."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from workbench.consensus.settle import TableConsensus, consensus, consensus_of_table, summary
from workbench.consensus.votes import vote_table
from workbench.errors import WorkbenchError
from workbench.records import FOUR_GRADES, Answer, Judgment, Ranking, Run, Scale
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import Scorer
from workbench.workflow.qrels.qrels import scorer_of, settled_lines

# In topic 9 nobody gives a grade; the ids of topic e9 and of one of its documents are no UTF-8.
JUDGMENTS = (
    *(Judgment("ann", topic, f"d{number}", number % 3) for topic in ("10", "2") for number in range(9)),
    Judgment("ann", "9", "d1", None, Answer.UNSURE),
    Judgment("ann", "\udce9", "\udcff", 2),
    Judgment("ann", "\udce9", "d10", 0),
)
RUN = Run(
    "A",
    {
        "10": Ranking(("d8", "other", "d1", "d0", "d2"), (5.0, 4.0, 3.0, 2.0, 1.0)),
        "9": Ranking(("d1",), (1.0,)),
        "\udce9": Ranking(("d10", "\udcff"), (2.0, 2.0)),
    },
)


def settled(judgments: Iterable[Judgment], rule: str, scale: Scale | None = None) -> TableConsensus:
    line = 1 if scale is None else scale.relevant_from
    return consensus_of_table(vote_table(judgments, scale=scale, relevant_from=line), rule=rule)


LINES = settled_lines(settled(JUDGMENTS, "majority"))


@pytest.mark.parametrize("measures", ["AP nDCG@3 P@2 RR NumRel", "ERR@5 Judged@3", "infAP bpref"])
def test_settled_lines_are_scored_as_records_are(measures: str) -> None:
    expected = Scorer(LINES.qrels, measures)
    found = scorer_of(LINES, parse_measures(measures))
    assert found.score(RUN) == expected.score(RUN)
    assert found.relevance.grades == expected.relevance.grades
    assert (found.relevance.pairs, expected.relevance.pairs) == (20, 20)


def test_lines_that_cannot_be_scored_are_refused_as_records_are() -> None:
    empty = LINES.without(LINES.topics)
    assert [one.topic for one in empty.unsettled] == ["9"]
    with pytest.raises(WorkbenchError, match="the qrels are empty"):
        scorer_of(empty, parse_measures("AP"))
    high = settled_lines(settled([Judgment("ann", "1", "d", 100_001)], "any"))
    with pytest.raises(WorkbenchError, match="the grade 100001 of document d cannot be scored"):
        scorer_of(high, parse_measures("AP"))


def test_a_measure_of_subtopics_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="the qrels have no subtopics"):
        scorer_of(LINES, parse_measures("alpha_nDCG@5"))


@pytest.mark.parametrize("rule", ["majority", "any", "dawid-skene"])
def test_lines_have_all_that_the_rule_gave(rule: str) -> None:
    others = [
        Judgment(name, topic, f"d{number}", number * step % 4)
        for name, step in (("bea", 2), ("cyd", 3))
        for topic in ("10", "2", "\udce9")
        for number in range(7)
    ]
    whole = consensus([*JUDGMENTS, *others], rule=rule, scale=FOUR_GRADES)
    lines = settled_lines(settled([*JUDGMENTS, *others], rule, FOUR_GRADES))
    assert lines.consensus == whole
    # To the last bit: confidences are added up without rounding.
    assert lines.summary == summary(whole)


def test_topics_without_a_relevant_document_are_named_in_the_order_of_bytes() -> None:
    # In topic 9 nothing has a grade, in topic 95 only one that is not relevant.
    given = [*JUDGMENTS, Judgment("ann", "95", "d1", 0)]
    whole = consensus(given, rule="majority")
    assert (
        settled_lines(settled(given, "majority")).summary.without_relevant
        == ("9", "95")
        == summary(whole).without_relevant
    )


def test_lines_without_a_topic_are_those_of_the_other_judgments() -> None:
    others = [one for one in JUDGMENTS if one.topic != "10"]
    assert LINES.without(["10"]).consensus == consensus(others, rule="majority")
