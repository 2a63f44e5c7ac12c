"""AUC: the area under the curve of the receiver operating characteristic."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.collection import outside
from workbench.scoring.relevance import Floats


def roc_area(run: JudgedRun, measure: Measure) -> Floats:
    """AUC of each topic: the chance that a relevant document is ranked above one that is not.

    Of all documents if `docs` says how many the collection has, else of judged ones. What is not retrieved
    is tied below everything, and a tie counts one half. 0 where either kind has no document.
    Source: Hanley and McNeil 1982; Manning, Raghavan and Schuetze 2008, section 8.4.
    """
    rel = measure["rel"]
    hits, relevant, left = run.hits(rel), run.relevant(rel), outside(run, measure)
    others = run.grades < rel
    if "docs" not in measure.params:
        others &= run.grades >= 0
    all_others = run.counted(run.rows[others]) + left
    up_to = np.append(0, np.cumsum(others))
    starts = run.starts[hits.rows]
    above = up_to[starts + hits.ranks - 1] - up_to[starts]
    beaten = run.summed(hits.rows, (all_others[hits.rows] - above).astype(np.float64))
    missed = relevant - run.counted(hits.rows)
    return share(beaten + missed * left / 2.0, relevant * all_others)
