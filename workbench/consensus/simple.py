"""Simple rules: each makes one grade of the grades of one pair, at least one, or None."""

from __future__ import annotations

from collections import Counter

from workbench.consensus.rule import Grades, Rule, RuleParameter


def majority(grades: Grades, *, ties: str = "none") -> int | None:
    """The most frequent grade; among equally frequent ones the lower, the higher or none of them.

    A plurality is enough: of 0, 0, 1, 2 the grade is 0, although only half of the assessors gave it.

    >>> majority({"ann": 1, "bea": 0}, ties="higher")
    1
    """
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
        "equally many assessors gave different grades",
        (TIES,),
    ),
    Rule(
        "one",
        "One assessor",
        "the grade of one named assessor",
        "TREC's primary assessor (Voorhees 2000)",
        one,
        "the named assessor gave no grade",
        (ASSESSOR,),
    ),
    Rule(
        "any",
        "Any",
        "the highest grade: relevant if anybody says so",
        "the union of Voorhees 2000",
        any_relevant,
    ),
    Rule(
        "all",
        "All",
        "the lowest grade: relevant only if all say so",
        "the intersection of Voorhees 2000",
        all_relevant,
    ),
    Rule(
        "lower-median",
        "Lower median",
        "the middle grade, the lower of two",
        "order statistics",
        lower_median,
    ),
    Rule(
        "upper-median",
        "Upper median",
        "the middle grade, the upper of two",
        "order statistics",
        upper_median,
    ),
)
"""The simple rules; a further one is a function above and an entry here."""
