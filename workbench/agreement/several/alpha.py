"""Krippendorff's alpha: disagreement within pairs against disagreement between all grades given."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.agreement.several.tally import Floats, Tally
from workbench.agreement.several.weights import Weights

Differences = Callable[[Floats], Floats]
"""Squared differences of every two grades (..., q, q) from how often each was given (..., q)."""


def alpha_parts(tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
    """D_o = sum of o_kl v_kl / n and D_e = sum of n_k n_l v_kl / (n (n - 1)), v the weights.

    Only pairs with two grades or more enter. Nominal weights give alpha for nominal, quadratic for interval
    data. Source: Krippendorff 2011.
    """
    return parts_by_difference(tally, lambda _: weights)


def parts_by_difference(tally: Tally, differences: Differences) -> tuple[Floats, Floats]:
    """The two disagreements under differences that may depend on how often every grade was given."""
    given = tally.coincidences.sum(axis=-1)
    n = given.sum(axis=-1)
    delta = differences(given)
    observed = (tally.coincidences * delta).sum(axis=(-1, -2)) / n
    products = given[..., :, np.newaxis] * given[..., np.newaxis, :]
    return observed, (products * delta).sum(axis=(-1, -2)) / (n * (n - 1))
