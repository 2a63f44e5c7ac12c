"""ERR_IA and nERR_IA: the expected reciprocal rank, averaged over the subtopics."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels import novelty
from workbench.scoring.relevance import Floats, Positions

# A relevant document satisfies the user with probability one half, as a grade of 1 on a scale to 1 does.
_ALPHA = 0.5


def err_ia(run: JudgedRun, measure: Measure) -> Floats:
    """ERR_IA of each topic, divided by that of documents that all cover all subtopics, as in ndeval.

    Chapelle et al. 2009, with relevance of two grades. ndeval divides so from the cutoff 2 on
    only; here ERR_IA@1 is divided as well.
    """
    best = novelty.of_one_subtopic(_ALPHA, measure["cutoff"], _discount)
    gained = novelty.gained(run, measure, _ALPHA, _discount)
    return share(gained / best, novelty.subtopics_of(run, measure))


def nerr_ia(run: JudgedRun, measure: Measure) -> Floats:
    """nERR_IA of each topic: ERR_IA divided by that of the ranking that is ideal for alpha_nDCG."""
    gained = novelty.gained(run, measure, _ALPHA, _discount)
    return share(gained, novelty.ideal(run, measure, _ALPHA, _discount))


def _discount(ranks: Positions) -> Floats:
    return np.asarray(1.0 / ranks)
