"""What a sample without replacement says of a whole: tails of the hypergeometric, and exact bounds from them.

Written out, since importing scipy's distributions takes longer than everything that is asked of them here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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


def at_least(count: int, *, population: int, marked: int, drawn: int) -> float:
    """P(X >= count), as `at_most`: of the unmarked at most drawn - count are drawn."""
    return at_most(drawn - count, population=population, marked=population - marked, drawn=drawn)


def marked_bounds(seen: int, *, population: int, drawn: int, confidence: float) -> tuple[int, int]:
    """The least and the most marked ones that a population can have, given those seen among the drawn.

    Two-sided and exact: each bound is missed with at most (1 - confidence) / 2, whatever the truth. With
    nothing drawn, 0 and everything. Raises WorkbenchError for impossible counts.
    Source: Clopper and Pearson's argument for a finite population; Buonaccorsi 1987.
    """
    if not 0 <= seen <= drawn <= population:
        message = f"{seen} of {drawn} drawn of {population} is impossible"
        raise WorkbenchError(
            message, remedy="no more can be relevant than were drawn, nor drawn than there are"
        )
    tail = (1 - confidence) / 2
    least, most = seen, population - (drawn - seen)
    above = partial(at_least, seen, population=population, drawn=drawn)
    below = partial(at_most, seen, population=population, drawn=drawn)
    low = _first(least, most, lambda marked: above(marked=marked) > tail)
    high = _first(least, most + 1, lambda marked: below(marked=marked) <= tail or marked > most) - 1
    return low, max(low, high)


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


def _first(low: int, high: int, is_true: Callable[[int], bool]) -> int:
    """The first number from low to high of which it is true, high if of none; true then stays true."""
    while low < high:
        middle = (low + high) // 2
        if is_true(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _log_choose(
    total: int, chosen: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.asarray(gammaln(total + 1) - gammaln(chosen + 1) - gammaln(total - chosen + 1))
