"""S: chance from the number of grades alone, each as likely as any other."""

from __future__ import annotations

import numpy as np

from workbench.agreement.several.observed import observed_disagreement
from workbench.agreement.several.tally import Floats, Tally
from workbench.agreement.several.weights import Weights


def uniform_parts(tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
    """Observed disagreement, and the mean weight of two grades drawn from the q of the declared scale.

    With two grades 2 P(A) - 1, known as PABAK. Source: Bennett, Alpert and Goldstein 1954; Brennan and
    Prediger 1981; Randolph 2005 for several assessors; Byrt, Bishop and Carlin 1993 for PABAK.
    """
    observed = observed_disagreement(tally)
    return observed, np.full_like(observed, weights.mean())
