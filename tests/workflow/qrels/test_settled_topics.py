"""What a rule makes topic by topic is what it makes of all at once, in numbers and in lines."""

from __future__ import annotations

import random

import pytest

from workbench.consensus.settle import consensus
from workbench.consensus.summary import summary, summed
from workbench.formats.qrels import write_qrels
from workbench.records import FOUR_GRADES, Answer, Judgment
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
