"""The gain of documents of which each repeats subtopics: what alpha-nDCG, ERR-IA and NRBP have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels.cutoff import cutoff_of
from workbench.scoring.relevance import Floats, Positions
from workbench.scoring.subtopics import SubtopicRelevance

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


def gained(run: JudgedRun, measure: Measure, alpha: float, discount: Discount) -> Floats:
    """The gain of each topic: of the n-th document relevant to a subtopic (1 - alpha) ** (n - 1).

    Clarke et al. 2008. What a document gains is multiplied by the discount of its rank.
    """
    hits = qrels_of(run).hits(run, measure["rel"]).within(cutoff_of(measure))
    return run.summed(hits.rows, np.asarray((1.0 - alpha) ** (hits.nth - 1) * discount(hits.ranks)))


def ideal(
    run: JudgedRun, measure: Measure, alpha: float, discount: Discount, *, depth: int | None = None
) -> Floats:
    """The gain of the ideal ranking of each topic of the run, down to the cutoff or the depth."""
    gains = qrels_of(run).ideal_gains(measure["rel"], alpha, cutoff_of(measure) or depth)
    return np.array(
        [gains[topic] @ discount(np.arange(1, len(gains[topic]) + 1)) for topic in run.topics.tolist()],
        dtype=np.float64,
    )


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
