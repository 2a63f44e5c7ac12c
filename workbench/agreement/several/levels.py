"""Krippendorff's alpha by level of measurement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from workbench.agreement.result import Coefficient
from workbench.agreement.several.alpha import Differences, parts_by_difference
from workbench.agreement.several.methods import Method, coefficient
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.tally import Floats, Tally, tally
from workbench.agreement.several.weights import Weights, nominal
from workbench.errors import WorkbenchError

LEVELS: Mapping[str, str] = {
    "nominal": "grades are equal or not",
    "ordinal": "grades have an order",
    "interval": "grades are equally far apart",
    "ratio": "grades are counted from a true zero",
}


def alpha(ratings: Ratings, level: str = "ordinal") -> Coefficient:
    """Krippendorff's alpha over the pairs that two assessors or more judged, for a level of measurement.

    Raises WorkbenchError for another level, and for `ratio` where a grade is negative.
    Source: Krippendorff 2011.
    """
    method = alpha_method(level, ratings.categories)
    weights = nominal(len(ratings.categories))
    return coefficient(method, tally(ratings, weights, by_assessor=False).total(), weights)


def alpha_method(level: str, categories: Sequence[int]) -> Method:
    """Alpha of a level as a method, for intervals of it; raises WorkbenchError as `alpha` does."""
    differences = level_of(level, categories)

    def parts(tally: Tally, _weights: Weights) -> tuple[Floats, Floats]:
        return parts_by_difference(tally, differences)

    return Method("alpha", f"Krippendorff's alpha, {level}", "Krippendorff 2011", parts)


def level_of(level: str, categories: Sequence[int]) -> Differences:
    """The squared differences of a level of measurement, over the grades of the declared scale in order.

    nominal: 1; ordinal: how many grades given lie between, the ends half; interval: (k - l)^2; ratio:
    ((k - l) / (k + l))^2. Raises WorkbenchError for another level, and for ratio with negative grades.
    Source: Krippendorff 2011.
    """
    if level == "nominal":
        return lambda _: nominal(len(categories))
    if level == "ordinal":
        return _ordinal_of(categories)
    values = np.asarray(categories, dtype=np.float64)
    apart = np.subtract.outer(values, values)
    if level == "interval":
        return lambda _: apart**2
    if level == "ratio":
        if (values < 0).any():
            raise WorkbenchError("a ratio scale has no negative grades", remedy="choose interval")
        sums = np.add.outer(values, values)
        ratio = np.divide(apart, sums, out=np.zeros_like(apart), where=sums > 0)
        return lambda _: ratio**2
    raise WorkbenchError(f"there is no level {level!r}", remedy=f"one of {', '.join(LEVELS)}")


def _ordinal_of(categories: Sequence[int]) -> Differences:
    """The squared differences of ordinal grades, which are the same read from either end of the scale."""
    ascending = sorted(categories)
    if list(categories) in (ascending, ascending[::-1]):
        return _ordinal
    order = np.argsort(categories)
    back = np.argsort(order)
    return lambda given: _ordinal(given[..., order])[..., back, :][..., back]


def _ordinal(given: Floats) -> Floats:
    """(n_k / 2 + all between + n_l / 2) squared, for grades in the order of their scale."""
    up_to = np.cumsum(given, axis=-1)
    middle = up_to - given / 2
    apart = middle[..., :, np.newaxis] - middle[..., np.newaxis, :]
    squared: Floats = apart**2
    return squared
