"""The matrix of assessors: every two, in an order in which those who judge alike stand together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from workbench.agreement.report.how import How
from workbench.agreement.report.two import Two, busiest, every_two
from workbench.agreement.several.entering import Entering


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every two assessors by their numbers, and the `order` in which they stand: people, then machines.

    `left_out` counts assessors who do not stand in it since there are too many: those with the fewest grades.
    """

    order: tuple[int, ...]
    machines: int
    pairs: dict[tuple[int, int], Two]
    left_out: int

    def at(self, row: int, column: int) -> Two | None:
        """The two assessors of a cell, None on the diagonal."""
        return self.pairs.get((min(row, column), max(row, column)))


def matrix(entering: Entering, how: How, *, by: str) -> Matrix:
    """The matrix of what enters, ordered by the coefficient `by`; machines stand apart, after the people."""
    chosen = busiest(entering.ratings)
    pairs = {(two.first, two.second): two for two in every_two(entering.ratings, how, among=chosen)}
    people = [number for number in chosen if not entering.assessors[number].machine]
    machines = [number for number in chosen if entering.assessors[number].machine]
    order = (*_alike_together(people, pairs, by), *_alike_together(machines, pairs, by))
    return Matrix(order, len(machines), pairs, len(entering.assessors) - len(chosen))


def _alike_together(numbers: Sequence[int], pairs: dict[tuple[int, int], Two], by: str) -> tuple[int, ...]:
    """The leaves of a tree by average distance, each branch turned so that neighbours are near.

    What is undefined is as far apart as the mean of the others.
    """
    if len(numbers) < 3:
        return tuple(numbers)
    n = len(numbers)
    far = np.full((n, n), np.nan)
    for row, first in enumerate(numbers):
        for column, second in enumerate(numbers[row + 1 :], start=row + 1):
            value = pairs[first, second].figure(by).value
            far[row, column] = far[column, row] = np.nan if value is None else 1.0 - value
    known = far[np.isfinite(far)]
    far[~np.isfinite(far)] = known.mean() if known.size else 1.0
    np.fill_diagonal(far, 0.0)
    condensed = squareform(far, checks=False)
    tree = linkage(condensed, "average", optimal_ordering=True)
    return tuple(numbers[place] for place in leaves_list(tree).tolist())
