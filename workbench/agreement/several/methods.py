"""The coefficients for any number of assessors, by name: one table feeds reports, intervals and laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.result import NO_VARIATION, NOBODY, Coefficient
from workbench.agreement.several.alpha import alpha_parts
from workbench.agreement.several.gwet import gwet_parts
from workbench.agreement.several.observed import observed_parts
from workbench.agreement.several.pooled import pooled_parts
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.tally import Floats, Tally, tally
from workbench.agreement.several.uniform import uniform_parts
from workbench.agreement.several.unpooled import unpooled_parts
from workbench.agreement.several.weights import WEIGHTS, Weights
from workbench.errors import WorkbenchError

Parts = tuple[Floats, Floats | None]
"""Observed disagreement and that by chance (None where chance is not taken off), by group or resample."""


@dataclass(frozen=True, slots=True)
class Method:
    """A coefficient: what it is called, where it comes from, and its two disagreements from a tally."""

    name: str
    label: str
    source: str
    parts: Callable[[Tally, Weights], Parts]


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method("observed", "Observed agreement", "mean over doubly judged pairs", observed_parts),
        Method(
            "pooled",
            "Pooled kappa",
            "Scott 1955; Fleiss 1971; Siegel and Castellan 1988; with missing grades Gwet 2014",
            pooled_parts,
        ),
        Method("unpooled", "Unpooled kappa", "Cohen 1960, 1968; Conger 1980", unpooled_parts),
        Method(
            "uniform",
            "S (PABAK where binary)",
            "Bennett, Alpert and Goldstein 1954; Brennan and Prediger 1981; Randolph 2005",
            uniform_parts,
        ),
        Method("alpha", "Krippendorff's alpha", "Krippendorff 2011", alpha_parts),
        Method("gwet", "Gwet's AC", "Gwet 2008 (AC1), 2014 (AC2, where grades are weighted)", gwet_parts),
    )
}


def weights_of(weights: str | ArrayLike, ratings: Ratings) -> Weights:
    """The weights of this name for the ratings' scale, or one's own; raises WorkbenchError."""
    size = len(ratings.categories)
    if isinstance(weights, str):
        if weights not in WEIGHTS:
            raise WorkbenchError(f"there are no weights {weights!r}", remedy=f"one of {', '.join(WEIGHTS)}")
        return WEIGHTS[weights](size)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (size, size):
        raise WorkbenchError(
            f"weights of shape {given.shape} do not fit {size} grades", remedy="one row for every grade"
        )
    return given


def agreement(ratings: Ratings, method: str, *, weights: str | ArrayLike = "nominal") -> Coefficient:
    """One coefficient of some ratings; `n` counts the pairs that two assessors or more judged.

    Raises WorkbenchError for a method or weights that there are not.
    """
    if method not in METHODS:
        raise WorkbenchError(f"there is no coefficient {method!r}", remedy=f"one of {', '.join(METHODS)}")
    chosen = weights_of(weights, ratings)
    return coefficient(METHODS[method], tally(ratings, chosen).total(), chosen)


def coefficient(method: Method, total: Tally, weights: Weights) -> Coefficient:
    """One coefficient from the sums over all groups."""
    n = int(total.doubly)
    if n == 0:
        return Coefficient(method.name, None, None, None, 0, (), NOBODY)
    observed, expected = method.parts(total, weights)
    shown = 1.0 - float(observed)
    if expected is None:
        return Coefficient(method.name, shown, None, shown, n)
    if expected == 0:
        return Coefficient(method.name, shown, 1.0, None, n, (), NO_VARIATION)
    return Coefficient(method.name, shown, 1.0 - float(expected), 1.0 - float(observed / expected), n)


def values(method: Method, tallies: Tally, weights: Weights) -> Floats:
    """The values of many tallies at once, NaN where one is undefined; shape (resamples,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        observed, expected = method.parts(tallies, weights)
        if expected is None:
            return 1.0 - observed
        ratio = observed / expected
    return np.where(expected > 0, 1.0 - ratio, np.nan)
