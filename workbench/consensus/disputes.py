"""Which pairs are disputed: the judgments of each, and how far apart they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from workbench.errors import WorkbenchError
from workbench.records import Judgment, Scale


class Difference(StrEnum):
    """What makes a pair disputed."""

    ANY = "any"
    LINE = "line"
    DISTANCE = "distance"

    @property
    def label(self) -> str:
        """The difference in words."""
        return _LABELS[self]


_LABELS = {
    Difference.ANY: "any two different grades",
    Difference.LINE: "relevant to one assessor, not relevant to another",
    Difference.DISTANCE: "grades a number of steps apart",
}


@dataclass(frozen=True, slots=True)
class DisputeRule:
    """What counts as disputed: which difference, and from how many steps.

    `steps` matters to `Difference.DISTANCE` only. With `beside_grades` a pair of which one assessor gave a
    grade and another was unsure or could not judge is disputed as well.
    Raises WorkbenchError for fewer steps than one.
    """

    difference: Difference = Difference.ANY
    steps: int = 2
    beside_grades: bool = False

    @property
    def label(self) -> str:
        """The difference in words, with the number of steps where it matters."""
        if self.difference is Difference.DISTANCE:
            return f"grades {self.steps} or more steps apart" if self.steps > 1 else Difference.ANY.label
        return self.difference.label

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise WorkbenchError(f"grades cannot be {self.steps} steps apart", remedy="use 1 or more")

    def disputes(self, spread: Spread) -> bool:
        """Whether judgments this far apart are a dispute."""
        if self.beside_grades and spread.graded and spread.answers > spread.graded:
            return True
        if self.difference is Difference.LINE:
            return spread.crosses
        return spread.distance >= (self.steps if self.difference is Difference.DISTANCE else 1)


@dataclass(frozen=True, slots=True)
class Spread:
    """How far apart the answers of a pair are.

    `distance` is between the lowest and highest grade given and `mean` the mean over every two grades, both
    in steps of the declared scale; `crosses` says that some of them count as relevant and some do not.
    `graded` of the `answers` are grades.
    """

    distance: int
    mean: float
    crosses: bool
    graded: int
    answers: int


def spread_of(judgments: Iterable[Judgment], scale: Scale) -> Spread:
    """How far apart the answers of one pair are; raises WorkbenchError for a grade outside the scale.

    Steps are counted on the scale, so that 0 and 10 are one step apart where there is nothing between.

    >>> from workbench.records import FOUR_GRADES
    >>> spread_of([Judgment("a", "1", "d", 0), Judgment("b", "1", "d", 3)], FOUR_GRADES).distance
    3
    """
    answers = list(judgments)
    places = {grade.value: place for place, grade in enumerate(scale.grades)}
    steps = [places[scale.grade(one.grade).value] for one in answers if one.grade is not None]
    apart = [abs(one - other) for one, other in combinations(steps, 2)]
    threshold = places[scale.relevant_from]
    relevant = sum(step >= threshold for step in steps)
    return Spread(
        distance=max(apart, default=0),
        mean=sum(apart) / len(apart) if apart else 0.0,
        crosses=0 < relevant < len(steps),
        graded=len(steps),
        answers=len(answers),
    )
