"""Simple rules: each makes one grade of the grades of one pair, at least one, or None."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.rule import Grades, Rule, RuleParameter
from workbench.consensus.votes import LEFT, Numbers, TableOutcome, VoteTable


def majority(grades: Grades, *, ties: str = "none") -> int | None:
    """The most frequent grade; among equally frequent ones the lower, the higher or none of them.

    A plurality is enough: of 0, 0, 1, 2 the grade is 0, although only half of the assessors gave it.

    >>> majority({"ann": 1, "bea": 0}, ties="higher")
    1
    """
    if len(grades) == 1:
        return next(iter(grades.values()))
    counts = Counter(grades.values())
    most = max(counts.values())
    frequent = [grade for grade, count in counts.items() if count == most]
    if len(frequent) > 1 and ties == "none":
        return None
    return max(frequent) if ties == "higher" else min(frequent)


def one(grades: Grades, *, assessor: str) -> int | None:
    """The grade of the named assessor, None without one (TREC's primary assessor)."""
    return grades.get(assessor)


def any_relevant(grades: Grades) -> int:
    """The highest grade that anybody gave: relevant if one says so (the union of Voorhees 2000)."""
    return max(grades.values())


def all_relevant(grades: Grades) -> int:
    """The lowest grade that anybody gave: relevant only if all say so (the intersection of Voorhees 2000)."""
    return min(grades.values())


def lower_median(grades: Grades) -> int:
    """The grade in the middle; of an even number of grades the lower of the two in the middle."""
    return sorted(grades.values())[(len(grades) - 1) // 2]


def upper_median(grades: Grades) -> int:
    """The grade in the middle; of an even number of grades the upper of the two in the middle."""
    return sorted(grades.values())[len(grades) // 2]


def majority_of_table(table: VoteTable, *, ties: str = "none") -> TableOutcome:
    """`majority` of each pair."""
    frequent = table.counts == table.counts.max(axis=1, initial=0, keepdims=True)
    places = _highest(frequent) if ties == "higher" else _lowest(frequent)
    if ties == "none":
        places = np.where(frequent.sum(axis=1) > 1, LEFT, places)
    return table.outcome(places, EQUALLY_MANY)


def one_of_table(table: VoteTable, *, assessor: str) -> TableOutcome:
    """`one` of each pair."""
    return table.outcome(table.given_by(assessor), NOT_GRADED)


def any_of_table(table: VoteTable) -> TableOutcome:
    """`any_relevant` of each pair."""
    return table.outcome(_highest(table.counts > 0))


def all_of_table(table: VoteTable) -> TableOutcome:
    """`all_relevant` of each pair."""
    return table.outcome(_lowest(table.counts > 0))


def lower_median_of_table(table: VoteTable) -> TableOutcome:
    """`lower_median` of each pair."""
    return _in_the_middle(table, (table.n - 1) // 2)


def upper_median_of_table(table: VoteTable) -> TableOutcome:
    """`upper_median` of each pair."""
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
    "what becomes of equally frequent grades",
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
        majority,
        EQUALLY_MANY,
        (TIES,),
        settle_table=majority_of_table,
    ),
    Rule(
        "one",
        "One assessor",
        "the grade of one named assessor",
        "TREC's primary assessor (Voorhees 2000)",
        one,
        NOT_GRADED,
        (ASSESSOR,),
        settle_table=one_of_table,
    ),
    Rule(
        "any",
        "Any",
        "the highest grade: relevant if anybody says so",
        "the union of Voorhees 2000",
        any_relevant,
        settle_table=any_of_table,
    ),
    Rule(
        "all",
        "All",
        "the lowest grade: relevant only if all say so",
        "the intersection of Voorhees 2000",
        all_relevant,
        settle_table=all_of_table,
    ),
    Rule(
        "lower-median",
        "Lower median",
        "the middle grade, the lower of two",
        "order statistics",
        lower_median,
        settle_table=lower_median_of_table,
    ),
    Rule(
        "upper-median",
        "Upper median",
        "the middle grade, the upper of two",
        "order statistics",
        upper_median,
        settle_table=upper_median_of_table,
    ),
)
"""The simple rules; a further one is a function above and an entry here."""
