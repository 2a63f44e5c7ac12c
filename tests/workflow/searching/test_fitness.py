"""When a topic is fit, by what its author judged first."""

from __future__ import annotations

import pytest

from workbench.errors import InvalidInput
from workbench.workflow.searching.fitness import (
    DevelopmentRules,
    TopicFitness,
    checked_rules,
    draft_progress_of,
    rules_from_json,
)

# Of the first 5 documents 2 to 3 are to be relevant.
RULES = DevelopmentRules(first=5, least=2, most=3)


@pytest.mark.parametrize(
    ("judged", "fitness"),
    [
        # Five to go: 0 to 5 may be relevant.
        ("", TopicFitness.UNDECIDED),
        # Two are there already, but three to go can make five.
        ("++", TopicFitness.UNDECIDED),
        # Two, and one to go: two or three.
        ("++--", TopicFitness.FIT),
        ("++-", TopicFitness.UNDECIDED),  # two to go: two to four
        # One to go cannot make two of none.
        ("----", TopicFitness.FEW),
        ("---", TopicFitness.UNDECIDED),  # two to go: none to two
        ("++++", TopicFitness.MANY),
        ("--+-+", TopicFitness.FIT),
        ("-----", TopicFitness.FEW),
    ],
)
def test_a_verdict_is_given_as_soon_as_the_rest_cannot_change_it(judged: str, fitness: TopicFitness) -> None:
    progress = draft_progress_of([one == "+" for one in judged], RULES, documents=100)
    assert progress.fitness is fitness


def test_only_the_first_documents_decide() -> None:
    progress = draft_progress_of([True, True, False, False, False, True, True, True], RULES, documents=100)
    assert (progress.counted, progress.counted_relevant, progress.fitness) == (5, 2, TopicFitness.FIT)
    assert (progress.judged, progress.relevant) == (8, 5)


def test_the_bounds_of_the_collection_hold_whatever_the_rest_is() -> None:
    # 1 of 3 judged is relevant; of 10 documents two are known not to be.
    progress = draft_progress_of([True, False, False], RULES, documents=10)
    assert (progress.low, progress.high) == (1, 8)
    # All is judged: the number is exact. Documents that were removed since cannot make it less.
    assert draft_progress_of([True, False], RULES, documents=2).high == 1
    assert draft_progress_of([True, True], RULES, documents=1).high == 2


def test_rules_that_cannot_be_are_refused_field_by_field() -> None:
    def refused(*numbers: int | None) -> set[str]:
        with pytest.raises(InvalidInput) as caught:
            checked_rules(*numbers, assessors=False)
        return {one.code for one in caught.value.findings}

    assert refused(None, None, None) == {"first", "least", "most"}
    assert refused(0, 1, 1) == {"first", "most"}
    assert refused(201, 0, 20) == {"first", "least"}
    assert refused(25, 5, 4) == {"most"}
    assert refused(25, 5, 26) == {"most"}
    rules = checked_rules(25, 25, 25, assessors=True)
    assert rules_from_json(rules.to_json()) == rules
    assert rules_from_json(None) == DevelopmentRules()
