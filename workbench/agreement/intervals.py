"""Confidence intervals of shares, which have a closed form, and quantiles; those over topics: `jackknife`.

The quantiles are those of scipy to twelve digits; importing scipy takes longer than to compare two assessors.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, gamma, log1p, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.ratings import checked
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass

# Beyond so many degrees four terms of the expansion for large ones are exact in double precision.
_NEARLY_NORMAL = 100_000
_LARGEST_OF_GAMMA = 170
_PRECISION = 1e-15
_MOST_TERMS = 10_000
_MOST_STEPS = 100


# Every interval asks for it, and most for the same few degrees.
@lru_cache(maxsize=256)
def student_t(share: float, degrees: float) -> float:
    """The quantile of Student's t: below it lies a share, from 0 to 1, with 1 degree of freedom or more.

    >>> round(student_t(0.975, 9), 6)
    2.262157
    """
    if share < 0.5:
        return -student_t(1.0 - share, degrees)
    z = NormalDist().inv_cdf(share)
    if degrees > _NEARLY_NORMAL:
        return _of_many_degrees(z, degrees)
    # The upper tail is convex and t is no less than z, so Newton's method climbs to it from there.
    t = z
    for _ in range(_MOST_STEPS):
        step = (_tail(t, degrees) - (1.0 - share)) / _density(t, degrees)
        t += step
        if abs(step) <= _PRECISION * t:
            break
    return t


def _of_many_degrees(z: float, n: float) -> float:
    """The quantile from the normal one (Abramowitz and Stegun 1964, 26.7.5)."""
    square = z * z
    terms = (
        (square + 1) / 4,
        ((5 * square + 16) * square + 3) / 96,
        (((3 * square + 19) * square + 17) * square - 15) / 384,
        ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160,
    )
    return z + sum(z * term / n**power for power, term in enumerate(terms, 1))


def _density(t: float, n: float) -> float:
    return _gammas(n / 2) / sqrt(n * pi) * exp(-(n + 1) / 2 * log1p(t * t / n))


def _tail(t: float, n: float) -> float:
    """The share above t, from 0: half the regularised incomplete beta function of n / (n + t ** 2)."""
    half, rest = n / 2, t * t / (n + t * t)
    front = exp(-half * log1p(t * t / n)) * sqrt(rest / pi) * _gammas(half)
    if 1.0 - rest < (half + 1) / (half + 2.5):
        return front * _fraction(half, 0.5, 1.0 - rest) / (2 * half)
    return 0.5 - front * _fraction(0.5, half, rest)


def _gammas(half: float) -> float:
    """Gamma(half + 1/2) / Gamma(half); its asymptotic series where these are too large for a double."""
    if half <= _LARGEST_OF_GAMMA:
        return gamma(half + 0.5) / gamma(half)
    i = 1 / half
    series = i * (-1 / 8 + i * (1 / 128 + i * (5 / 1024 + i * (-21 / 32768 - i * 399 / 262144))))
    return sqrt(half) * (1 + series)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (Abramowitz and Stegun 1964, 26.5.8), by Lentz.

    It converges fast where x is less than (a + 1) / (a + b + 2).
    """
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST_TERMS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c, d = 1.0 + numerator / c, 1.0 / (1.0 + numerator * d)
            value *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return value


LEVEL = 0.95


@frozen_dataclass
class Interval:
    """Bounds of a figure at a confidence `level`, how they were found, and why there are none.

    It is over `units` (topics, or pairs); of topics `effective` is how many as rich ones they are worth.
    `low` and `high` are None exactly where `undefined` says why.
    """

    low: float | None
    high: float | None
    level: float
    method: str
    units: int = 0
    effective: float | None = None
    undefined: str = ""


CONSTANT = "leaving out any one of them does not change it, so its error cannot be estimated"


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
        raise WorkbenchError(f"{count} of {n} is not a share", remedy="count 0 to n of n, which is 1 or more")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = count / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)
