"""Gwet's AC1 and AC2: chance only where a grade is given at random."""

from __future__ import annotations

import numpy as np

from workbench.agreement.several.observed import observed_disagreement
from workbench.agreement.several.pooled import shares
from workbench.agreement.several.tally import Floats, Tally
from workbench.agreement.several.weights import Weights


def gwet_parts(tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
    """Observed disagreement, and 1 - T sum of p_k (1 - p_k) / (q (q - 1)), T the sum of agreement weights.

    AC1 where every two grades disagree wholly, else AC2. A scale of one grade leaves nothing to chance: the
    expected disagreement is 0 then. Source: Gwet 2008, 2014.
    """
    p, q = shares(tally), len(weights)
    observed = observed_disagreement(tally)
    if q < 2:
        return observed, np.zeros_like(observed)
    agreeing = q * q - weights.sum()
    return observed, 1.0 - agreeing * (p * (1.0 - p)).sum(axis=-1) / (q * (q - 1))
