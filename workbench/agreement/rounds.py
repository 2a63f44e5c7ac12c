"""Agreement before and after a discussion: the same assessors on the same pairs, twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.agreement.result import Coefficient
from workbench.agreement.several.methods import METHODS, agreement
from workbench.agreement.several.ratings import Ratings, judged_ratings

Grades = Mapping[str, Mapping[tuple[str, str], int]]
"""Grades by assessor and (topic, docno)."""

SHOWN = ("observed", "pooled", "alpha")


@dataclass(frozen=True, slots=True)
class TwoValues:
    """One coefficient before and after; `label` is what it is called."""

    name: str
    label: str
    before: Coefficient
    after: Coefficient

    @property
    def without(self) -> Coefficient | None:
        """The first of the two that has no value, which says why; None where both have one."""
        return next((one for one in (self.before, self.after) if one.value is None), None)


@dataclass(frozen=True, slots=True)
class AssessorChanges:
    """What one assessor changed: of `labels` given in both rounds, how many, and in which direction."""

    assessor: str
    labels: int
    raised: int
    lowered: int

    @property
    def changed(self) -> int:
        """How many labels are other ones."""
        return self.raised + self.lowered


@dataclass(frozen=True, slots=True)
class Rounds:
    """Two rounds of the same assessors, over the labels that were given in both.

    `graded` holds the coefficients over all grades (nominal), `binary` over relevant or not. Pooled kappa of
    three or more assessors is Fleiss' where all judged all pairs.
    """

    pairs: int
    assessors: tuple[AssessorChanges, ...]
    graded: tuple[TwoValues, ...]
    binary: tuple[TwoValues, ...]

    @property
    def labels(self) -> int:
        """How many labels were given in both rounds."""
        return sum(one.labels for one in self.assessors)

    @property
    def changed(self) -> int:
        """How many of them are other ones in the second."""
        return sum(one.changed for one in self.assessors)


def compare_rounds(before: Grades, after: Grades, *, categories: Sequence[int], relevant_from: int) -> Rounds:
    """Compare two rounds; what an assessor graded in one of them only does not enter.

    `categories` are the grades of the declared scale. Raises WorkbenchError for a grade that is not among
    them.
    """
    common = {
        name: sorted(before[name].keys() & after[name].keys())
        for name in sorted(before.keys() & after.keys())
    }
    common = {name: pairs for name, pairs in common.items() if pairs}
    first = {name: {pair: before[name][pair] for pair in pairs} for name, pairs in common.items()}
    second = {name: {pair: after[name][pair] for pair in pairs} for name, pairs in common.items()}
    changes = tuple(
        AssessorChanges(
            name,
            len(pairs),
            raised=sum(second[name][pair] > first[name][pair] for pair in pairs),
            lowered=sum(second[name][pair] < first[name][pair] for pair in pairs),
        )
        for name, pairs in common.items()
    )
    ratings = [judged_ratings(one, categories=categories)[0] for one in (first, second)]
    return Rounds(
        pairs=ratings[0].codes.shape[1],
        assessors=changes,
        graded=_both(*ratings),
        binary=_both(*(one.from_grade(relevant_from) for one in ratings)),
    )


def _both(before: Ratings, after: Ratings) -> tuple[TwoValues, ...]:
    return tuple(
        TwoValues(name, METHODS[name].label, agreement(before, name), agreement(after, name))
        for name in SHOWN
    )
