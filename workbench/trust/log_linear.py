"""Counts whose expected value rises or falls by a constant factor a step: the most likely factor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 60
_STEEPEST = 30.0  # beyond, what is one step further on has nothing left


def most_likely(counts: Floats, at: Floats, exposure: Floats | None = None) -> tuple[Floats, Floats]:
    """The levels and slopes of counts that vary as Poisson's: exposure * exp(level + slope * at).

    `counts` and `exposure` (1 unless given) have the shape (laws, places), `at` has (places,); both results
    have (laws,), NaN where fewer than two places have a count. The most likely slope gives the mean place
    that the counts have, and the level their sum; it is found by Newton's method.
    """
    weights_of = np.ones_like(counts) if exposure is None else exposure
    exponents = np.zeros(len(counts))
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = counts.sum(axis=1)
        target = (counts @ at) / totals
        for _ in range(_STEPS):
            weights = weights_of * np.exp(exponents[:, np.newaxis] * (at - at[0]))
            weights /= weights.sum(axis=1, keepdims=True)
            mean = weights @ at
            steps = np.clip((target - mean) / (weights @ at**2 - mean**2), -1.0, 1.0)
            exponents = np.clip(exponents + steps, -_STEEPEST, _STEEPEST)
            if (np.abs(steps[np.isfinite(steps)]) < 1e-12).all():
                break
        levels = np.log(totals / (weights_of * np.exp(exponents[:, np.newaxis] * at)).sum(axis=1))
    undefined = (counts > 0).sum(axis=1) < 2
    levels[undefined] = exponents[undefined] = np.nan
    return levels, exponents
