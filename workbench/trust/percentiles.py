"""The mean of a figure that was drawn many times, and within which bounds 95 of 100 of its draws lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.scoring.relevance import Floats

_BOUNDS = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Percentiles:
    """The mean of a figure over `n` draws in which it is defined, and its 2.5th and 97.5th percentile.

    All three are None where it is defined in no draw. Draws are mixtures of assessors, or splits of topics.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int


def percentiles_of(values: Floats) -> Percentiles:
    """The mean and the percentiles of a figure, shape (draws,); NaN stands for undefined."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Percentiles(None, None, None, 0)
    low, high = np.quantile(known, _BOUNDS).tolist()
    return Percentiles(float(known.mean()), low, high, len(known))
