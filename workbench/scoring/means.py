"""The mean of a measure over topics, with the interval that so few topics allow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.scoring.relevance import Floats
from workbench.scoring.significance import FEWEST_TOPICS, LEVEL, t_reach


@dataclass(frozen=True, slots=True)
class MeanScore:
    """The mean of the scores of `topics` topics; `low` and `high` bound it at a confidence `level`.

    They are None of fewer than FEWEST_TOPICS topics, which say too little about others.
    """

    mean: float
    low: float | None
    high: float | None
    topics: int
    level: float = LEVEL


def mean_scores(scores: Floats, *, level: float = LEVEL) -> list[MeanScore]:
    """As `mean_score` of each of several runs, to the last bit; `scores` have the shape (runs, topics)."""
    n = scores.shape[1]
    # Rows must lie together in memory, or numpy adds them up in another order.
    rows = np.ascontiguousarray(scores)
    means = rows.mean(axis=1).tolist()
    if n < FEWEST_TOPICS:
        return [MeanScore(mean, None, None, n, level) for mean in means]
    t = t_reach(n, level)
    reaches = [t * deviation / sqrt(n) for deviation in rows.std(axis=1, ddof=1).tolist()]
    found = zip(means, reaches, strict=True)
    return [MeanScore(mean, mean - reach, mean + reach, n, level) for mean, reach in found]


def mean_score(scores: Iterable[float], *, level: float = LEVEL) -> MeanScore:
    """The mean of the scores of topics, and its t interval: topics are taken for a sample of many.

    Of few topics it may reach beyond what the measure can be. Source: Student 1908; Sakai 2018.

    >>> found = mean_score([0.1, 0.2, 0.3, 0.4, 0.5])
    >>> [round(value, 3) for value in (found.mean, found.low, found.high)]
    [0.3, 0.104, 0.496]
    """
    values = np.fromiter(scores, dtype=np.float64)
    n, mean = len(values), float(values.mean())
    if n < FEWEST_TOPICS:
        return MeanScore(mean, None, None, n, level)
    reach = t_reach(n, level) * float(values.std(ddof=1)) / sqrt(n)
    return MeanScore(mean, mean - reach, mean + reach, n, level)
