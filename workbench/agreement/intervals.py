"""Confidence intervals: percentiles of resamples, expanded where units are few, and closed forms."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.contingency import checked
from workbench.agreement.quantiles import normal_share, student_t
from workbench.agreement.tally import Floats
from workbench.errors import WorkbenchError

LEVEL = 0.95
FEWEST_UNITS = 2


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of a coefficient at a confidence `level`, how they were found, and why there are none.

    Of a bootstrap `rounds` were drawn of `units` from `seed`, and `undefined_rounds` of them, on which the
    coefficient is undefined, were left out. `low` and `high` are None exactly where `undefined` says why.
    """

    low: float | None
    high: float | None
    level: float
    method: str
    units: int = 0
    rounds: int = 0
    seed: int | None = None
    undefined_rounds: int = 0
    undefined: str = ""


CONSTANT = "every resample has the same value, so that they show no error"
_EQUAL = 1e-12  # values of resamples that are no further apart are equal but for rounding


def all_equal(values: Floats) -> bool:
    """Whether the values of several resamples are one."""
    return len(values) > 1 and bool(values.max() - values.min() <= _EQUAL)


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
    reach = student_t((1 + level) / 2, units - 1) * sqrt(units / (units - 1))
    return normal_share(-reach), normal_share(reach)


def bounds_among(found: Floats, level: float, units: int, bounds: Bounds) -> tuple[float, float]:
    """The bounds among values of resamples (rounds,), all of them finite."""
    low, high = bounds_of_each(found[np.newaxis], level, units, bounds)[0].tolist()
    return low, high


def bounds_of_each(found: Floats, level: float, units: int, bounds: Bounds) -> Floats:
    """The same of several figures (figures, rounds); shape (figures, 2).

    To the last bit what `np.quantile` has by its default, in a fifth of the time for a thousand rounds.
    """
    places = [(found.shape[-1] - 1) * share for share in shares_below(level, units, bounds)]
    below = [int(place) for place in places]
    above = [min(place + 1, found.shape[-1] - 1) for place in below]
    ranked = np.partition(found, sorted({*below, *above}), axis=-1)
    ends = [
        _between(ranked[..., low], ranked[..., high], place - low)
        for low, high, place in zip(below, above, places, strict=True)
    ]
    return np.stack(ends, axis=-1)


def _between(low: Floats, high: Floats, part: float) -> Floats:
    # From the nearer of the two, as numpy does.
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def kappa_error(table: ArrayLike, disagreements: ArrayLike | None = None) -> float | None:
    """The standard error of Cohen's kappa of a table, None where the kappa is undefined.

    `disagreements` are weights from 0 to 1, 0 on the diagonal; every two grades disagree wholly unless given.
    Source: Fleiss, Cohen and Everitt 1969; checked against SAS' worked example (.1457) and R's Delta.

    >>> round(kappa_error([[300, 20], [10, 70]]), 6)
    0.038888
    """
    counts = checked(table).astype(np.float64)
    size = len(counts)
    if disagreements is None:
        agreeing = np.eye(size)
    else:
        agreeing = 1.0 - np.asarray(disagreements, dtype=np.float64)
        if agreeing.shape != counts.shape:
            raise WorkbenchError("weights and table differ in size", remedy="one row for every grade")
    n = counts.sum()
    if not n:
        return None
    p = counts / n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    expected = float(rows @ agreeing @ columns)
    if expected >= 1:
        return None
    kappa = (float((agreeing * p).sum()) - expected) / (1 - expected)
    means = np.add.outer(agreeing @ columns, rows @ agreeing)
    square = float((p * (agreeing - means * (1 - kappa)) ** 2).sum())
    return sqrt(max(square - (kappa - expected * (1 - kappa)) ** 2, 0.0) / n) / (1 - expected)


def kappa_bounds(value: float, reach: float, *, least: float = -1.0) -> tuple[float, float]:
    """The bounds of a kappa's interval, which a large reach must not push to where no kappa can be.

    Above is 1, below -1 unless `least` is another; a value that is less itself is its own lower bound.

    >>> kappa_bounds(-0.25, 1.5)
    (-1.0, 1.0)
    """
    return max(value - reach, min(least, value)), min(value + reach, 1.0)


def all_or_none_interval(share: float, n: int, *, level: float = LEVEL) -> Interval:
    """The exact interval where all or none of n pairs agree; the share is 1 or 0.

    Source: Clopper and Pearson 1934.

    >>> round(all_or_none_interval(1, 8).low, 4)
    0.6306
    """
    reach = ((1 - level) / 2) ** (1 / n)
    low, high = (reach, 1.0) if share == 1 else (0.0, 1 - reach)
    return Interval(low, high, level, "exact (Clopper and Pearson)", n)


def share_interval(count: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a share, as of observed agreement; raises WorkbenchError for no observation.

    Source: Wilson 1927.

    >>> [round(bound, 6) for bound in share_interval(370, 400)]
    [0.894952, 0.946962]
    """
    if not 0 <= count <= n or n < 1:
        raise WorkbenchError(f"{count} of {n} is no share", remedy="count 0 to n of n, which is 1 or more")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = count / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)
