"""NRBP and nNRBP: rank-biased precision that discounts what was seen of a subtopic before."""

from __future__ import annotations

import math

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels import novelty
from workbench.scoring.relevance import Floats, Positions

_NEGLIGIBLE = 1e-20


def nrbp(run: JudgedRun, measure: Measure) -> Floats:
    """NRBP of each topic (Clarke, Kolla and Vechtomova 2009): `beta` is the patience of the user.

    Divided by what endless documents would gain that all cover all subtopics.
    """
    alpha, beta = measure["alpha"], measure["beta"]
    gained = novelty.gained(run, measure, alpha, _discount(beta))
    return share(gained * (1.0 - (1.0 - alpha) * beta), novelty.subtopics_of(run, measure))


def nnrbp(run: JudgedRun, measure: Measure) -> Floats:
    """nNRBP of each topic: NRBP divided by that of the ranking that is ideal for alpha_nDCG."""
    alpha, beta = measure["alpha"], measure["beta"]
    # The ideal ranking takes the square of its depth: what counts nothing in double precision is left out.
    depth = 1 + math.ceil(math.log(_NEGLIGIBLE) / math.log(beta)) if 0 < beta < 1 else None
    gained = novelty.gained(run, measure, alpha, _discount(beta))
    return share(gained, novelty.ideal(run, measure, alpha, _discount(beta), depth=depth))


def _discount(beta: float) -> novelty.Discount:
    def discount(ranks: Positions) -> Floats:
        return np.asarray(beta ** (ranks - 1.0))

    return discount
