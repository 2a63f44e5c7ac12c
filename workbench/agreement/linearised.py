"""Analytic intervals: Gwet's linearised variance, for any number of assessors and missing grades."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.coefficients import coefficient_named
from workbench.agreement.intervals import CONSTANT, LEVEL, Interval, kappa_bounds
from workbench.agreement.quantiles import student_t
from workbench.agreement.ratings import Ratings
from workbench.agreement.tally import Floats, cells_of
from workbench.agreement.weights import weights_of
from workbench.errors import WorkbenchError

NAME = "linearised variance over pairs, Gwet 2014"


def linearised(
    ratings: Ratings, name: str, *, weights: str | ArrayLike = "nominal", level: float = LEVEL
) -> Interval:
    """The interval of a coefficient over the pairs as if these were independent.

    The bounds are no further than the coefficient can be: 1, and its lowest value. Raises WorkbenchError for
    a coefficient that has no such variance here.
    """
    coefficient = coefficient_named(name)
    if not coefficient.linearised:
        message = f"{coefficient.label} has no linearised variance here"
        raise WorkbenchError(message, remedy="take the interval over topics")
    chosen = weights_of(weights, ratings.categories)
    cells = cells_of(ratings)
    times = cells.times.astype(np.float64)
    n = int(times.sum())
    counts = cells.counts.T.astype(np.float64)
    raters = counts.sum(axis=1)
    doubly = raters >= 2
    both = float(times @ doubly)
    if n < 2 or not both:
        return Interval(None, None, level, NAME, n, undefined="an interval needs two pairs or more")
    agreed = _agreed(counts, raters, 1.0 - chosen)
    shares = counts / raters[:, np.newaxis]
    p = (shares * times[:, np.newaxis]).sum(axis=0) / n
    chance, chance_of_pair = coefficient.chance_by_pair(shares, p, 1.0 - chosen)
    if chance >= 1:
        return Interval(None, None, level, NAME, n, undefined="the coefficient is undefined")
    observed = float(times @ agreed) / both
    value = (observed - chance) / (1 - chance)
    own = n / both * (agreed - chance * doubly) / (1 - chance)
    own -= 2 * (1 - value) * (chance_of_pair - chance) / (1 - chance)
    error = float(np.sqrt(times @ (own - value) ** 2 / (n * (n - 1.0))))
    if error <= 1e-12:
        return Interval(None, None, level, NAME, n, undefined=CONSTANT)
    reach = student_t((1 + level) / 2, n - 1) * error
    return Interval(*kappa_bounds(value, reach, least=coefficient.least(chance)), level, NAME, n)


def _agreed(counts: Floats, raters: Floats, agreeing: Floats) -> Floats:
    """The share of ordered assessors of a pair that agree, by weight; 0 where fewer than two judged it."""
    among = (counts * (counts @ agreeing - 1.0)).sum(axis=1)
    share: Floats = np.divide(among, raters * (raters - 1), out=np.zeros_like(raters), where=raters >= 2)
    return share
