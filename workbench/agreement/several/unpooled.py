"""Unpooled kappa of any number of assessors: chance from each assessor's own grades."""

from __future__ import annotations

import numpy as np

from workbench.agreement.several.observed import observed_disagreement
from workbench.agreement.several.tally import Floats, Tally
from workbench.agreement.several.weights import Weights


def unpooled_parts(tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
    """Observed disagreement, and the mean, over every two assessors, of sum over k, l of v_kl p_gk p_hl.

    An assessor's shares are of all grades that he or she gave; one who gave none is left out. For two
    assessors on the same pairs this is Cohen's kappa, weighted or not. Conger writes the same sum with the
    mean and the variance of the shares. Source: Cohen 1960, 1968; Conger 1980; with missing grades Gwet 2014.
    """
    total = tally.given.sum(axis=-1, keepdims=True)
    took_part = total[..., 0] > 0
    p = np.divide(tally.given, total, out=np.zeros_like(tally.given), where=total > 0)
    r = took_part.sum(axis=-1)
    sums = p.sum(axis=-2)
    everyone = ((sums @ weights) * sums).sum(axis=-1)
    oneself = ((p @ weights) * p).sum(axis=(-1, -2))
    # Of the r squared products the r with oneself are no two assessors.
    two = np.maximum(r * (r - 1), 1)
    return observed_disagreement(tally), np.maximum(everyone - oneself, 0.0) / two
