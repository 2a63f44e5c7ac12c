"""RR: one divided by the rank of the first relevant document."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels.cutoff import within
from workbench.scoring.relevance import Floats


def reciprocal_rank(run: JudgedRun, measure: Measure) -> Floats:
    """RR of each topic; 0 where no relevant document is retrieved above the cutoff."""
    hits = within(run.hits(measure["rel"]), measure)
    values = np.zeros(len(run))
    first = hits.nth == 1
    values[hits.rows[first]] = 1.0 / hits.ranks[first]
    return values
