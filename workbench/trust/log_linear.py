"""Counts whose logarithm follows a polynomial of a place: the most likely one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 100
_LARGEST = 30.0  # logarithms beyond have nothing, or everything, left


def most_likely(counts: Floats, at: Floats, exposure: Floats | None = None, *, terms: int = 2) -> Floats:
    """The coefficients of counts that vary as Poisson's: exposure * exp(b0 + b1 * at + b2 * at ** 2 ...).

    `counts` and `exposure` (1 unless given) have the shape (laws, places), `at` has (places,); the result has
    (laws, terms), NaN where fewer than `terms` places have a count. It is found by Newton's method.
    """
    enough = (counts > 0).sum(axis=1) >= terms
    if not enough.all():
        found = np.full((len(counts), terms), np.nan)
        if enough.any():
            some = None if exposure is None else exposure[enough]
            found[enough] = most_likely(counts[enough], at, some, terms=terms)
        return found
    middle, spread = at.mean(), float(np.ptp(at)) or 1.0
    # Powers of a place that is near 0 tell one another apart.
    powers = ((at - middle) / spread)[:, np.newaxis] ** np.arange(terms)
    offset = np.zeros_like(counts) if exposure is None else np.log(np.maximum(exposure, 1e-300))
    found = np.zeros((len(counts), terms))
    found[:, 0] = np.log(np.maximum(counts.sum(axis=1), 1e-9) / np.exp(offset).sum(axis=1))
    for _ in range(_STEPS):
        means = np.exp(np.clip(found @ powers.T + offset, -_LARGEST, _LARGEST))
        slopes = (counts - means) @ powers
        curvatures = np.einsum("lr,ri,rj->lij", means, powers, powers) + 1e-12 * np.eye(terms)
        steps = np.clip(np.linalg.solve(curvatures, slopes[..., np.newaxis])[..., 0], -1.0, 1.0)
        found += steps
        if np.abs(steps).max(initial=0.0) < 1e-12:
            break
    return found @ _uncentred(float(middle), spread, terms)


def _uncentred(middle: float, spread: float, terms: int) -> Floats:
    """What makes coefficients of ((at - middle) / spread) ** k those of at ** k."""
    made = np.zeros((terms, terms))
    for power in range(terms):
        polynomial = np.poly1d([1 / spread, -middle / spread]) ** power
        made[power, : power + 1] = polynomial.coeffs[::-1]
    return made
