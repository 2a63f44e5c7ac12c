"""alpha_DCG and alpha_nDCG: cumulated gain that discounts what was seen of a subtopic before."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels import novelty
from workbench.scoring.relevance import Floats, Positions


def alpha_dcg(run: JudgedRun, measure: Measure) -> Floats:
    """Alpha_DCG of each topic, divided by that of documents that all cover all subtopics, as in ndeval.

    ndeval divides so from the cutoff 2 on only; here alpha_DCG@1 is divided as well.
    """
    best = novelty.of_one_subtopic(measure["alpha"], measure["cutoff"], _discount)
    gained = novelty.gained(run, measure, measure["alpha"], _discount)
    return share(gained / best, novelty.subtopics_of(run, measure))


def alpha_ndcg(run: JudgedRun, measure: Measure) -> Floats:
    """Alpha_nDCG of each topic: alpha_DCG divided by that of the ideal ranking (Clarke et al. 2008)."""
    gained = novelty.gained(run, measure, measure["alpha"], _discount)
    return share(gained, novelty.ideal(run, measure, measure["alpha"], _discount))


def _discount(ranks: Positions) -> Floats:
    return np.asarray(1.0 / np.log2(ranks + 1.0))
