"""Measures of diversity, from qrels with subtopics: alpha_nDCG, ERR_IA, NRBP, StRecall, P_IA and AP_IA.

What alpha_nDCG, ERR_IA and NRBP have in common is the gain of documents of which each repeats subtopics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.binary import cutoff_of
from workbench.scoring.relevance import Floats, Positions
from workbench.scoring.subtopics import SubtopicHits, SubtopicRelevance

Discount = Callable[[Positions], Floats]
"""What a gain counts at each rank, from 1."""

_BLOCK = 1 << 20
_NEGLIGIBLE = 1e-18  # beside 1, which the first rank adds


def qrels_of(run: JudgedRun) -> SubtopicRelevance:
    """The qrels with subtopics against which a run is judged; raises WorkbenchError for others."""
    if not isinstance(run.relevance, SubtopicRelevance):
        raise WorkbenchError(
            "diversity measures are not computed here, since these qrels have no subtopics",
            remedy="workbench score reads qrels with subtopics",
        )
    return run.relevance


def subtopics_of(run: JudgedRun, measure: Measure) -> Positions:
    """How many subtopics each topic of the run has, those without a relevant document not counted."""
    return qrels_of(run).subtopics(measure["rel"])[run.topics]


def hits_of(run: JudgedRun, measure: Measure) -> SubtopicHits:
    """The subtopics of the documents that a measure reads."""
    return qrels_of(run).hits(run, measure["rel"]).within(cutoff_of(measure))


def gained(run: JudgedRun, measure: Measure, alpha: float, discount: Discount) -> Floats:
    """The gain of each topic: of the n-th document relevant to a subtopic (1 - alpha) ** (n - 1).

    Clarke et al. 2008. What a document gains is multiplied by the discount of its rank.
    """
    hits = hits_of(run, measure)
    return run.summed(hits.rows, (1.0 - alpha) ** (hits.nth - 1) * discount(hits.ranks))


def _of_ideal(
    run: JudgedRun, measure: Measure, alpha: float, discount: Discount, *, depth: int | None = None
) -> Floats:
    """The gain of each topic, divided by that of its ideal ranking, down to the cutoff or the depth."""
    gains = qrels_of(run).ideal_gains(measure["rel"], alpha, cutoff_of(measure) or depth)
    ideal = [gains[topic] @ discount(np.arange(1, len(gains[topic]) + 1)) for topic in run.topics.tolist()]
    return share(gained(run, measure, alpha, discount), np.array(ideal, dtype=np.float64))


def _of_best(run: JudgedRun, measure: Measure, alpha: float, discount: Discount) -> Floats:
    """The gain of each topic, divided by that of documents that all cover all of its subtopics."""
    found = gained(run, measure, alpha, discount) / of_one_subtopic(alpha, measure["cutoff"], discount)
    return share(found, subtopics_of(run, measure))


@cache
def of_one_subtopic(alpha: float, cutoff: int, discount: Discount) -> float:
    """The gain of one subtopic to which every document down to the cutoff is relevant."""
    total = 0.0
    for first in range(1, cutoff + 1, _BLOCK):
        ranks = np.arange(first, min(first + _BLOCK, cutoff + 1))
        weights = (1.0 - alpha) ** (ranks - 1.0)
        total += float(weights @ discount(ranks))
        if weights[-1] < _NEGLIGIBLE:
            break
    return total


def alpha_dcg(run: JudgedRun, measure: Measure) -> Floats:
    """Alpha_DCG of each topic, divided by that of documents that all cover all subtopics, as in ndeval.

    ndeval divides so from the cutoff 2 on only; here alpha_DCG@1 is divided as well.
    """
    return _of_best(run, measure, measure["alpha"], _by_logarithm)


def alpha_ndcg(run: JudgedRun, measure: Measure) -> Floats:
    """Alpha_nDCG of each topic: alpha_DCG divided by that of the ideal ranking (Clarke et al. 2008)."""
    return _of_ideal(run, measure, measure["alpha"], _by_logarithm)


def _by_logarithm(ranks: Positions) -> Floats:
    return np.asarray(1.0 / np.log2(ranks + 1.0))


# A relevant document satisfies the user with probability one half, as a grade of 1 on a scale to 1 does.
_ALPHA = 0.5


def err_ia(run: JudgedRun, measure: Measure) -> Floats:
    """ERR_IA of each topic, divided by that of documents that all cover all subtopics, as in ndeval.

    Chapelle et al. 2009, with relevance of two grades. ndeval divides so from the cutoff 2 on
    only; here ERR_IA@1 is divided as well.
    """
    return _of_best(run, measure, _ALPHA, _by_rank)


def nerr_ia(run: JudgedRun, measure: Measure) -> Floats:
    """nERR_IA of each topic: ERR_IA divided by that of the ranking that is ideal for alpha_nDCG."""
    return _of_ideal(run, measure, _ALPHA, _by_rank)


def _by_rank(ranks: Positions) -> Floats:
    return 1.0 / ranks


def subtopic_recall(run: JudgedRun, measure: Measure) -> Floats:
    """StRecall@k of each topic: the share of its subtopics that the first k documents cover.

    Zhai, Cohen and Lafferty 2003.
    """
    hits = hits_of(run, measure)
    return share(run.counted(hits.rows[hits.nth == 1]), subtopics_of(run, measure))


def intent_aware_precision(run: JudgedRun, measure: Measure) -> Floats:
    """P_IA@k of each topic: precision of the first k documents, the mean over its subtopics.

    Agrawal et al. 2009.
    """
    hits = hits_of(run, measure)
    return share(run.counted(hits.rows) / int(measure["cutoff"]), subtopics_of(run, measure))


def intent_aware_ap(run: JudgedRun, measure: Measure) -> Floats:
    """AP_IA of each topic: average precision, the mean over its subtopics (Agrawal et al. 2009)."""
    hits = hits_of(run, measure)
    relevant = qrels_of(run).documents(measure["rel"])[hits.subtopics]
    return share(run.summed(hits.rows, hits.nth / hits.ranks / relevant), subtopics_of(run, measure))


_NEGLIGIBLE_GAIN = 1e-20


def nrbp(run: JudgedRun, measure: Measure) -> Floats:
    """NRBP of each topic (Clarke, Kolla and Vechtomova 2009): `beta` is the patience of the user.

    Divided by what endless documents would gain that all cover all subtopics.
    """
    alpha, beta = measure["alpha"], measure["beta"]
    found = gained(run, measure, alpha, _by_patience(beta))
    return share(found * (1.0 - (1.0 - alpha) * beta), subtopics_of(run, measure))


def nnrbp(run: JudgedRun, measure: Measure) -> Floats:
    """nNRBP of each topic: NRBP divided by that of the ranking that is ideal for alpha_nDCG."""
    alpha, beta = measure["alpha"], measure["beta"]
    # The ideal ranking takes the square of its depth: what counts nothing in double precision is left out.
    depth = 1 + math.ceil(math.log(_NEGLIGIBLE_GAIN) / math.log(beta)) if 0 < beta < 1 else None
    return _of_ideal(run, measure, alpha, _by_patience(beta), depth=depth)


def _by_patience(beta: float) -> Discount:
    def discount(ranks: Positions) -> Floats:
        return np.asarray(beta ** (ranks - 1.0))

    return discount
