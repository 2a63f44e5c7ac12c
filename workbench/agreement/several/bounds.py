"""Where an interval ends among the values of resamples: at percentiles, expanded where units are few."""

from __future__ import annotations

from enum import StrEnum
from math import sqrt

import numpy as np
from scipy.special import ndtr, stdtrit

from workbench.agreement.several.tally import Floats

FEWEST_UNITS = 2


class Bounds(StrEnum):
    """How the bounds of an interval are taken from the values of resamples."""

    EXPANDED = "expanded"
    PERCENTILE = "percentile"


NAMES = {Bounds.EXPANDED: "expanded percentiles", Bounds.PERCENTILE: "percentiles"}


def method_of(unit: str, bounds: Bounds) -> str:
    """What an interval over resamples of a unit is called."""
    return f"bootstrap over {unit}s, {NAMES[bounds]}"


def shares_below(level: float, units: int, bounds: Bounds = Bounds.EXPANDED) -> tuple[float, float]:
    """The shares of resamples that lie below the bounds of an interval at a confidence level.

    Resamples of n units vary too little, by sqrt((n - 1) / n), and percentiles stand for a normal where a t
    distribution with n - 1 degrees is due: of five topics the interval of a mean is over a third too narrow.
    Expanded percentiles are those at which a normal variable is t sqrt(n / (n - 1)); as n grows they become
    the usual ones. Source: Hesterberg 2015.

    >>> [round(share, 4) for share in shares_below(0.95, 10)]
    [0.0086, 0.9914]
    """
    if bounds is Bounds.PERCENTILE or units < FEWEST_UNITS:
        return (1 - level) / 2, (1 + level) / 2
    reach = float(stdtrit(units - 1, (1 + level) / 2)) * sqrt(units / (units - 1))
    return float(ndtr(-reach)), float(ndtr(reach))


def bounds_among(found: Floats, level: float, units: int, bounds: Bounds) -> tuple[float, float]:
    """The bounds among values of resamples (rounds,), all of them finite."""
    low, high = np.quantile(found, shares_below(level, units, bounds))
    return float(low), float(high)
