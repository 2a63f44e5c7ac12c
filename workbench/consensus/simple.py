"""Rules that look at one pair at a time: its grades by assessor, at least one, make a grade or None."""

from __future__ import annotations

from collections import Counter

from workbench.consensus.outcomes import Grades


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
    """The grade of the named assessor, None where this one gave none (TREC's primary assessor)."""
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
