"""IPrec@r: the highest precision at recall r or more, as in the 11-point tables of TREC."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.relevance import Floats

_HUNDRED = 100  # levels of recall have two decimals


def interpolated_precision(run: JudgedRun, measure: Measure) -> Floats:
    """IPrec of each topic: the maximum of P(r') over all r' >= r; 0 where that recall is never reached.

    Recall r is reached by the ceil(r R)-th relevant document, in whole numbers. trec_eval 9 rounds r R + 0.9
    in floating point and so takes a document too few at some levels (of 33 relevant ones the 23rd for .7);
    the published tables of TREC-8 have the whole numbers.
    """
    rel = measure.params.get("rel", 1)
    hits, relevant = run.hits(rel), run.relevant(rel)
    level = round(float(measure["recall"]) * _HUNDRED)
    needed = np.maximum(1, -(-level * relevant // _HUNDRED))
    reached = hits.nth >= needed[hits.rows]
    values = np.zeros(len(run))
    np.maximum.at(values, hits.rows[reached], (hits.nth / hits.ranks)[reached])
    return values
