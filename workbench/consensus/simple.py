"""Simple rules: each makes one grade of the grades of each pair, or none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.rule import Rule, RuleParameter
from workbench.consensus.votes import LEFT, Numbers, TableOutcome, VoteTable


def majority(table: VoteTable, *, ties: str = "none") -> TableOutcome:
    """The most frequent grade; among equally frequent ones the lower, the higher or none of them.

    A plurality is enough: of 0, 0, 1, 2 the grade is 0, although only half of the assessors gave it.
    """
    frequent = table.counts == table.counts.max(axis=1, initial=0, keepdims=True)
    places = _highest(frequent) if ties == "higher" else _lowest(frequent)
    if ties == "none":
        places = np.where(frequent.sum(axis=1) > 1, LEFT, places)
    return table.outcome(places, EQUALLY_MANY)


def one(table: VoteTable, *, assessor: str) -> TableOutcome:
    """The grade of the named assessor, none without one (TREC's primary assessor)."""
    return table.outcome(table.given_by(assessor), NOT_GRADED)


def any_relevant(table: VoteTable) -> TableOutcome:
    """The highest grade that anybody gave: relevant if one says so (the union of Voorhees 2000)."""
    return table.outcome(_highest(table.counts > 0))


def all_relevant(table: VoteTable) -> TableOutcome:
    """The lowest grade that anybody gave: relevant only if all say so (the intersection of Voorhees 2000)."""
    return table.outcome(_lowest(table.counts > 0))


def lower_median(table: VoteTable) -> TableOutcome:
    """The grade in the middle; of an even number of grades the lower of the two in the middle."""
    return _in_the_middle(table, (table.n - 1) // 2)


def upper_median(table: VoteTable) -> TableOutcome:
    """The grade in the middle; of an even number of grades the upper of the two in the middle."""
    return _in_the_middle(table, table.n // 2)


def _in_the_middle(table: VoteTable, before: Numbers) -> TableOutcome:
    """The grade before which, ascending, there are so many of the pair."""
    return table.outcome(_lowest(table.counts.cumsum(axis=1) > before[:, np.newaxis]))


def _lowest(chosen: NDArray[np.bool_]) -> Numbers:
    """The first chosen place of each row; 0 where none is."""
    return chosen.argmax(axis=1) if chosen.shape[1] else np.full(len(chosen), LEFT)


def _highest(chosen: NDArray[np.bool_]) -> Numbers:
    """The last chosen place of each row."""
    places: Numbers = chosen.shape[1] - 1 - _lowest(chosen[:, ::-1])
    return places


EQUALLY_MANY = "equally many assessors gave different grades"
NOT_GRADED = "the named assessor gave no grade"
TIES = RuleParameter(
    "ties",
    "Ties of the majority",
    "what to do with equally frequent grades",
    choices=(
        ("none", "left to an adjudicator"),
        ("lower", "the lower grade"),
        ("higher", "the higher grade"),
    ),
    default="none",
)
ASSESSOR = RuleParameter("assessor", "Assessor", "the assessor whose grades are used")

SIMPLE = (
    Rule(
        "majority",
        "Majority",
        "the most frequent grade, even if fewer than half gave it",
        "the usual vote of crowds",
        parameters=(TIES,),
        settle_table=majority,
    ),
    Rule(
        "one",
        "One assessor",
        "the grade of one named assessor",
        "TREC's primary assessor (Voorhees 2000)",
        parameters=(ASSESSOR,),
        settle_table=one,
    ),
    Rule(
        "any",
        "Any",
        "the highest grade: relevant if anybody says so",
        "the union of Voorhees 2000",
        settle_table=any_relevant,
    ),
    Rule(
        "all",
        "All",
        "the lowest grade: relevant only if all say so",
        "the intersection of Voorhees 2000",
        settle_table=all_relevant,
    ),
    Rule(
        "lower-median",
        "Lower median",
        "the middle grade, the lower of two",
        "order statistics",
        settle_table=lower_median,
    ),
    Rule(
        "upper-median",
        "Upper median",
        "the middle grade, the upper of two",
        "order statistics",
        settle_table=upper_median,
    ),
)
"""The simple rules; a further one is a function above and an entry here."""
