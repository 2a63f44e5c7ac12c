"""The rules that make one grade of several: one table feeds the form, the help and the error texts.

A rule takes the grades of one pair by assessor, at least one, and gives a grade or None, not settled; or it
is a model, which takes the grades of all pairs at once, since it learns from them whom to rely on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.consensus.models.settling import (
    Graded,
    Pair,
    Settled,
    by_dawid_skene,
    by_glad,
    by_mace,
)

Grades = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a rule has to be told: its choices where they are few, its default where it has one."""

    name: str
    help: str
    choices: tuple[str, ...] = ()
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: `settle` takes the grades and the parameters by keyword; `unsettled` says what None means.

    A model has `settle_all` in its place.
    """

    name: str
    label: str
    help: str
    settle: Callable[..., int | None] | None = None
    unsettled: str = ""
    parameters: tuple[Parameter, ...] = ()
    settle_all: Callable[[Graded], Mapping[Pair, Settled]] | None = None

    def settled(self, graded: Graded, **parameters: str) -> dict[Pair, Settled]:
        """The grade of every pair that the rule settles, with its confidence."""
        if self.settle_all is not None:
            return dict(self.settle_all(graded))
        if self.settle is None:
            raise TypeError(f"the rule {self.name} settles nothing")
        found: dict[Pair, Settled] = {}
        for pair, grades in graded.items():
            grade = self.settle(grades, **parameters)
            if grade is not None:
                votes = list(grades.values())
                found[pair] = Settled(grade, votes.count(grade) / len(votes))
        return found


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


_TIES = Parameter(
    "ties",
    "what becomes of equally frequent grades: the lower, the higher, or none (left to an adjudicator)",
    choices=("lower", "higher", "none"),
    default="none",
)
_ASSESSOR = Parameter("assessor", "whose grades are taken")

RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule(
            "majority",
            "Majority",
            "the most frequent grade, even if fewer than half gave it",
            majority,
            "equally many assessors gave different grades",
            (_TIES,),
        ),
        Rule(
            "one",
            "One assessor",
            "the grade of one named assessor",
            one,
            "the named assessor gave no grade",
            (_ASSESSOR,),
        ),
        Rule("any", "Any", "the highest grade: relevant if anybody says so", any_relevant),
        Rule("all", "All", "the lowest grade: relevant only if all say so", all_relevant),
        Rule("lower-median", "Lower median", "the middle grade, the lower of two", lower_median),
        Rule("upper-median", "Upper median", "the middle grade, the upper of two", upper_median),
        Rule(
            "dawid-skene",
            "Dawid and Skene",
            "the most likely grade, each assessor with errors of his or her own (1979); needs many pairs",
            settle_all=by_dawid_skene,
        ),
        Rule(
            "mace",
            "MACE",
            "the most likely grade, where an assessor knows or guesses (Hovy et al. 2013); needs many pairs",
            settle_all=by_mace,
        ),
        Rule(
            "glad",
            "GLAD",
            "the most likely grade, by ability and difficulty (Whitehill et al. 2009); needs many pairs",
            settle_all=by_glad,
        ),
    )
}
