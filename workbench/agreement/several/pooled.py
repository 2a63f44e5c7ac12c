"""Pooled kappa of any number of assessors: chance from the grades of all together."""

from __future__ import annotations

import numpy as np

from workbench.agreement.several.observed import observed_disagreement
from workbench.agreement.several.tally import Floats, Tally
from workbench.agreement.several.weights import Weights


def shares(tally: Tally) -> Floats:
    """The share of every grade: the mean, over the pairs that anybody judged, of its share there."""
    mean: Floats = tally.shares / tally.rated[..., np.newaxis]
    return mean


def pooled_parts(tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
    """Observed disagreement, and sum over k, l of v_kl p_k p_l.

    Pairs with one grade enter the shares, not what was observed. For two assessors on the same pairs this is
    Scott's pi. Source: Fleiss 1971; with missing grades and weights Gwet 2014.
    """
    p = shares(tally)
    return observed_disagreement(tally), ((p @ weights) * p).sum(axis=-1)
