"""A power law of counts by rank, with its bend: log-linear laws fitted by maximum likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.scoring.relevance import Floats
from workbench.scoring.significance import two_sided_t

BENT = 0.05
"""A law is bent where chance alone would bend it as much in less than this share of collections."""


@frozen_dataclass
class PowerLaw:
    """At rank d a pool finds `scale` * d ** (`exponent` + `bend` * log d) new relevant documents in all.

    `bend` is 0 unless the power law of Zobel 1998 does not follow the ranks: `p` is that of a bend as large
    by chance, None of fewer than two topics or three ranks with a relevant document. `ranks` were fitted,
    `empty` of them without a relevant document.
    """

    scale: float
    exponent: float
    bend: float
    p: float | None
    ranks: int
    empty: int

    def at(self, ranks: Floats) -> Floats:
        """The new relevant documents at each rank, from 1."""
        found: Floats = rates(np.array([[np.log(self.scale), self.exponent, self.bend]]), ranks)[0]
        return found

    def between(self, first: int, last: int) -> float:
        """The new relevant documents from the first rank to the last, both included."""
        return float(self.at(np.arange(first, last + 1, dtype=np.float64)).sum())


def rates(laws: Floats, ranks: Floats) -> Floats:
    """What each of several laws (laws, terms) finds at each rank; shape (laws, ranks)."""
    return np.exp(laws @ np.log(ranks) ** np.arange(laws.shape[1])[:, np.newaxis])


def fitted_laws(counts: Floats, *, first: int, terms: int = 2) -> Floats:
    """The most likely laws of counts (laws, ranks) from the rank `first`; (laws, terms), NaN for none.

    Counts vary as Poisson's, zeros included; with three terms a law may bend.
    """
    ranks = np.arange(first, first + counts.shape[1], dtype=np.float64)
    return most_likely(counts, np.log(ranks), terms=terms)


def fitted_law(counts: NDArray[Any], *, first: int = 1) -> PowerLaw:
    """The law of new relevant documents by rank, shape (topics, ranks), the first of which is rank `first`.

    Zobel 1998 extrapolates TREC's pools by a power law. Whether it bends is tested without each topic in turn
    (Tukey 1958). Raises WorkbenchError where fewer than two ranks have a relevant document.

    >>> law = fitted_law(np.array([[40, 20, 40 / 3, 10]]))
    >>> round(law.scale, 6), round(law.exponent, 6), round(law.between(5, 6), 6)
    (40.0, -1.0, 14.666667)
    """
    totals = counts.sum(axis=0, dtype=np.float64)
    (straight,) = fitted_laws(totals[np.newaxis], first=first)
    if np.isnan(straight[0]):
        raise WorkbenchError(
            "the decline of new relevant documents cannot be fitted: fewer than two ranks have one",
            remedy="fit from a smaller rank, or pool and judge deeper",
        )
    ranks, empty = counts.shape[1], int((totals == 0).sum())
    (bent,) = fitted_laws(totals[np.newaxis], first=first, terms=3)
    p = _p_of_bend(counts, float(bent[2]), first)
    level, exponent, bend = (*straight, 0.0) if p is None or p >= BENT else bent
    return PowerLaw(float(np.exp(level)), float(exponent), float(bend), p, ranks, empty)


def _p_of_bend(counts: NDArray[Any], bend: float, first: int) -> float | None:
    topics = len(counts)
    if topics < 2 or np.isnan(bend):
        return None
    without = fitted_laws(counts.sum(axis=0) - counts.astype(np.float64), first=first, terms=3)[:, 2]
    if np.isnan(without).any():
        return None
    error = float(np.sqrt((topics - 1) / topics * ((without - without.mean()) ** 2).sum()))
    return float(two_sided_t(np.array(bend / error), topics)) if error > 0 else None


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
