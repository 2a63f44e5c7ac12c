"""How far apart the answers about many pairs are, and which pairs are disputed, as arrays."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.disputes import Difference, DisputeRule, Spread
from workbench.records import Scale

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
