"""Intervals without drawing: Gwet's linearised variance, for any number of assessors and missing grades."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from workbench.agreement.closed_form import kappa_bounds
from workbench.agreement.several.bootstrap import LEVEL, Interval
from workbench.agreement.several.cells import Cells, cells_of
from workbench.agreement.several.methods import METHODS, weights_of
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.tally import Floats
from workbench.errors import WorkbenchError

NAME = "linearised variance over pairs, Gwet 2014"


def linearised(
    ratings: Ratings, method: str, *, weights: str | ArrayLike = "nominal", level: float = LEVEL
) -> Interval:
    """The interval of pooled kappa, S or Gwet's AC over the pairs as if these were independent.

    The bounds are no further than the coefficient can be: 1, and below -1, or what S has where nobody agrees.
    Raises WorkbenchError for a coefficient that has no such variance here.
    """
    if method not in ("pooled", "uniform", "gwet"):
        raise WorkbenchError(
            f"{METHODS[method].label} has no linearised variance here", remedy="draw a bootstrap"
        )
    chosen = weights_of(weights, ratings)
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
    p = (counts / raters[:, np.newaxis] * times[:, np.newaxis]).sum(axis=0) / n
    chance, chance_of_pair = _chance(method, cells, p, 1.0 - chosen)
    if chance >= 1:
        return Interval(None, None, level, NAME, n, undefined="the coefficient is undefined")
    observed = float(times @ agreed) / both
    value = (observed - chance) / (1 - chance)
    own = n / both * (agreed - chance * doubly) / (1 - chance)
    own -= 2 * (1 - value) * (chance_of_pair - chance) / (1 - chance)
    error = float(np.sqrt(times @ (own - value) ** 2 / (n * (n - 1.0))))
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * error
    # S has the same chance in every sample, so that its least value is known; of two grades it is -1 too.
    least = -chance / (1 - chance) if method == "uniform" else -1.0
    return Interval(*kappa_bounds(value, reach, least=least), level, NAME, n)


def _agreed(counts: Floats, raters: Floats, agreeing: Floats) -> Floats:
    """The share of ordered assessors of a pair that agree, by weight; 0 where fewer than two judged it."""
    among = (counts * (counts @ agreeing - 1.0)).sum(axis=1)
    share: Floats = np.divide(among, raters * (raters - 1), out=np.zeros_like(raters), where=raters >= 2)
    return share


def _chance(method: str, cells: Cells, p: Floats, agreeing: Floats) -> tuple[float, Floats]:
    """Chance agreement, and what every pair contributes to it."""
    counts = cells.counts.T.astype(np.float64)
    own = counts / counts.sum(axis=1, keepdims=True)
    q = len(p)
    if method == "uniform":
        chance = float(agreeing.mean())
        return chance, np.full(len(own), chance)
    if method == "pooled":
        return float(p @ agreeing @ p), own @ (agreeing @ p)
    factor = float(agreeing.sum()) / max(q * (q - 1), 1)
    return factor * float((p * (1 - p)).sum()), factor * (own @ (1 - p))
