"""What a random sample says of a whole: tails of the hypergeometric and the binomial, and exact bounds.

Written out, since importing scipy's distributions takes longer than everything that is asked of them here.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, betaincinv, gammaln

from workbench.errors import WorkbenchError


def at_most(count: int, *, population: int, marked: int, drawn: int) -> float:
    """P(X <= count), X the marked ones among `drawn` of a population without replacement.

    >>> round(at_most(0, population=900, marked=2, drawn=60), 6)
    0.871042
    """
    low, high = max(0, drawn - (population - marked)), min(marked, drawn)
    if count >= high:
        return 1.0
    if count < low:
        return 0.0
    hits = np.arange(low, count + 1)
    logs = (
        _log_choose(marked, hits)
        + _log_choose(population - marked, drawn - hits)
        - _log_choose(population, np.array(drawn))
    )
    return float(min(np.exp(logs).sum(), 1.0))


def share_bounds(seen: int, drawn: int, *, confidence: float) -> tuple[float, float]:
    """Clopper and Pearson's two-sided interval of a share; raises WorkbenchError for impossible counts.

    >>> [round(bound, 6) for bound in share_bounds(2, 300, confidence=0.95)]
    [0.000808, 0.023873]
    """
    if not 0 <= seen <= drawn or not drawn:
        raise WorkbenchError(f"{seen} of {drawn} is no share", remedy="draw at least one document")
    tail = (1 - confidence) / 2
    low = 0.0 if not seen else float(betaincinv(seen, drawn - seen + 1, tail))
    high = 1.0 if seen == drawn else float(betaincinv(seen + 1, drawn - seen, 1 - tail))
    return low, high


def binomial_at_most(count: int, trials: int, share: float) -> float:
    """P(X <= count) of so many trials with this probability.

    >>> round(binomial_at_most(13, 14, 0.8), 6)  # 1 - 0.8 ** 14
    0.95602
    """
    return 1.0 if count >= trials else float(betainc(trials - count, count + 1, 1 - share))


def _log_choose(
    total: int, chosen: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.asarray(gammaln(total + 1) - gammaln(chosen + 1) - gammaln(total - chosen + 1))
