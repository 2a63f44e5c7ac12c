"""Weights are compared after rounding to 12 digits, so that equal sums are equal in whatever order added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Wider than rounding to 12 digits moves anything, so that nothing that could be chosen is left out.
_MARGIN = 1e-9


def to_twelve_digits(weight: float) -> float:
    """The weight rounded to 12 significant digits."""
    return float(f"{weight:.11e}")


def heaviest(weights: NDArray[np.float64], count: int) -> list[tuple[int, float]]:
    """The places and rounded weights of the `count` largest, largest first; of equal ones the later place.

    Weights are 0 or more. Where places are documents in the order of their docnos, the later place is the
    larger docno: the same rule as trec_eval's for equal scores.
    """
    at = np.arange(len(weights))
    if count < len(weights):
        smallest = np.partition(weights, len(weights) - count)[len(weights) - count]
        at = np.flatnonzero(weights >= smallest * (1 - _MARGIN))
    rounded = [
        (to_twelve_digits(weight), place)
        for weight, place in zip(weights[at].tolist(), at.tolist(), strict=True)
    ]
    rounded.sort(reverse=True)
    return [(place, weight) for weight, place in rounded[:count]]
