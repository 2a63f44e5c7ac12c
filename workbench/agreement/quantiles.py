"""Quantiles of Student's t and shares of a normal variable, as intervals need them one by one.

They are those of scipy to twelve digits; importing scipy takes longer than to compare two assessors.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, gamma, log1p, pi, sqrt
from statistics import NormalDist

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
