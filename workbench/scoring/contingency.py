"""The contingency table of a retrieved set, and what is computed from it: precision, recall, F, fallout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from workbench.scoring.relevance import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Contingency:
    """Counts of documents by topic, each of shape (topics,).

    `tp` are relevant and retrieved, `fp` not relevant and retrieved, `fn` relevant and not retrieved, `tn`
    neither. Shares of nothing are 0.

    Source: van Rijsbergen 1979, chapter 7; Manning, Raghavan and Schuetze 2008, section 8.3.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    @property
    def precision(self) -> Floats:
        """The share of retrieved documents that are relevant."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Floats:
        """The share of relevant documents that are retrieved."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def fallout(self) -> Floats:
        """The share of documents that are not relevant that are retrieved."""
        return ratio(self.fp, self.fp + self.tn)

    @property
    def accuracy(self) -> Floats:
        """The share of all documents that are retrieved if relevant, and not if not."""
        return ratio(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)


def f_measure(
    precision: ArrayLike, recall: ArrayLike, *, beta: float = 1.0, alpha: float | None = None
) -> Floats:
    """The weighted harmonic mean of precision and recall, 1 / (a / P + (1 - a) / R); 0 where both are 0.

    The weight is `alpha` or, unless that is given, beta with beta**2 = (1 - a) / a: recall counts beta times
    as much as precision. E is 1 - F (van Rijsbergen 1979, equation 7.4).
    """
    p, r = np.asarray(precision, dtype=np.float64), np.asarray(recall, dtype=np.float64)
    if alpha is None:
        square = beta**2
        return ratio((1 + square) * p * r, square * p + r)
    return ratio(p * r, alpha * r + (1 - alpha) * p)


def ratio(part: ArrayLike, whole: ArrayLike) -> Floats:
    """Part divided by whole, element by element; 0 where there is nothing to divide by."""
    parts, over = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    return np.asarray(np.divide(parts, over, out=np.zeros(over.shape), where=over != 0))
