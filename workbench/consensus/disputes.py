"""Which pairs are disputed: the judgments of each, and how far apart they are."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
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


@frozen_dataclass
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


@frozen_dataclass
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


Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
_BEYOND = 2**31
_Kind = TypeVar("_Kind", bound=np.generic)


class Spreads(NamedTuple):
    """The `Spread` of each of many pairs; all of shape (pairs,)."""

    distance: Numbers
    mean: NDArray[np.float64]
    crosses: Flags
    graded: Numbers
    answers: Numbers

    def at(self, places: Numbers) -> Spreads:
        """Those at some places; at the place -1 that of a pair without an answer."""
        return Spreads(
            _at(self.distance, places),
            _at(self.mean, places),
            _at(self.crosses, places),
            _at(self.graded, places),
            _at(self.answers, places),
        )

    def one(self, place: int) -> Spread:
        """That of the pair at a place."""
        return Spread(*(column[place].item() for column in self))

    def disputed(self, rule: DisputeRule) -> Flags:
        """Which pairs are disputed: as `DisputeRule.disputes`, of those with two answers or more."""
        if rule.difference is Difference.LINE:
            found = self.crosses.copy()
        else:
            found = self.distance >= (rule.steps if rule.difference is Difference.DISTANCE else 1)
        if rule.beside_grades:
            found |= (self.graded > 0) & (self.answers > self.graded)
        return found & (self.answers > 1)


def spreads_of(pairs: Numbers, codes: Numbers, number: int, scale: Scale) -> Spreads:
    """The spreads of so many pairs, of answers to the pairs with these numbers (from 0, ascending).

    A code below 0 is an answer without a grade. Raises WorkbenchError for a grade outside the scale where a
    pair has two answers.
    """
    answered = np.bincount(pairs, minlength=number)
    steps = _steps(codes, answered[pairs] > 1, scale)
    # What is no grade stands behind the grades of its pair.
    order = np.lexsort((steps, pairs))
    pairs, steps = pairs[order], steps[order]
    grades = steps < _BEYOND
    graded = np.bincount(pairs[grades], minlength=number)
    starts = np.cumsum(answered) - answered
    # Of n steps ascending, the k-th (from 0) is 2 k - n + 1 times in the sum of all differences of two.
    weights = 2 * (np.arange(len(pairs)) - starts[pairs]) - graded[pairs] + 1
    apart = np.bincount(pairs, np.where(grades, weights * steps, 0), number)
    threshold = next(place for place, one in enumerate(scale.grades) if one.value == scale.relevant_from)
    relevant = np.bincount(pairs[grades & (steps >= threshold)], minlength=number)
    distance = np.zeros(number, dtype=np.int64)
    some = graded > 0
    last = starts[some] + graded[some] - 1
    distance[some] = steps[last] - steps[starts[some]]
    mean = apart / np.maximum(graded * (graded - 1) // 2, 1)
    return Spreads(distance, mean, (relevant > 0) & (relevant < graded), graded, answered)


def _at(column: NDArray[_Kind], places: Numbers) -> NDArray[_Kind]:
    return np.append(column, np.zeros(1, column.dtype))[places]


def _steps(codes: Numbers, several: Flags, scale: Scale) -> Numbers:
    """The step on the scale of every answer, _BEYOND where it is no grade."""
    values = np.array([grade.value for grade in scale.grades])
    order = np.argsort(values)
    at = np.minimum(np.searchsorted(values, codes, sorter=order), len(values) - 1)
    known = values[order[at]] == codes
    grades = codes >= 0
    for code in codes[grades & ~known & several][:1].tolist():
        scale.grade(code)
    return np.where(grades & known, order[at], _BEYOND)
