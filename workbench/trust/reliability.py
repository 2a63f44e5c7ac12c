"""How well the means of some topics tell runs apart: the reliability of a collection by number of topics."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from workbench.scoring.pairs_of_runs import checked_scores
from workbench.trust.log_linear import Floats


@dataclass(frozen=True, slots=True)
class Reliability:
    """The correlation to expect between the runs' means over these topics and over as many others.

    Estimated from the variances of runs and of what run and topic leave unexplained (generalisability
    coefficient, also Cronbach's alpha): it is negative where runs differ less than chance gives. It has no
    interval: Feldt's (1965) is for runs that are independent of one another, and covers half of the truth
    where they come in families of a few systems, as they do.
    """

    topics: int
    runs: int
    value: float

    def at(self, topics: int) -> float:
        """The reliability of another number of topics (Spearman and Brown 1910)."""
        return _prolonged(self.value, topics / self.topics)

    def topics_for(self, reliability: float) -> int | None:
        """How many topics have at least this reliability, below 1; None where no number has it."""
        if self.value <= 0:
            return None
        needed = self.topics * reliability / (1 - reliability) * (1 - self.value) / self.value
        return max(1, ceil(needed - 1e-9))


def reliability(scores: ArrayLike) -> Reliability:
    """The reliability of scores of shape (topics, runs).

    1 - MSE / MSR, with MSR the mean square of runs and MSE that of what run and topic leave unexplained.
    Raises WorkbenchError for fewer than two topics or runs and for scores that are not finite.
    Source: Bodoff and Li 2007; Urbano, Marrero and Martin 2013.
    """
    values = checked_scores(scores)
    topics, runs = values.shape
    of_runs = topics * float(values.mean(axis=0).var(ddof=1))
    unreliable = _share(_unexplained_variance(values), of_runs)
    return Reliability(topics, runs, 1 - unreliable)


def _unexplained_variance(scores: Floats) -> float:
    """The mean square that run and topic leave unexplained: of a two-way analysis without replication."""
    residuals = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    topics, runs = scores.shape
    return float((residuals**2).sum() / ((topics - 1) * (runs - 1)))


def _share(unexplained: float, of_runs: float) -> float:
    """The unexplained share; 0 where nothing is unexplained, 1 where the means do not differ at all."""
    if not of_runs:
        return 1.0
    return unexplained / of_runs


def _prolonged(value: float, times: float) -> float:
    """The reliability of a test that is so many times as long; what is not reliable stays so."""
    return times * value / (1 + (times - 1) * value) if value > 0 else value


def halves_correlate(first: Floats, second: Floats) -> Floats:
    """Pearson's correlation of the means over two sets of topics, of shape (rounds, runs); (rounds,)."""
    one, other = (means - means.mean(axis=1, keepdims=True) for means in (first, second))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((one * other).sum(axis=1) / np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1)))
