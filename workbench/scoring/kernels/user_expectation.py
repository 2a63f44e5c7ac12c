"""RelativeRecall and RecallEffort: what a user gets who expects so many relevant documents."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.cutoff import within
from workbench.scoring.relevance import Floats


def relative_recall(run: JudgedRun, measure: Measure) -> Floats:
    """RelativeRecall of each topic: relevant documents found, divided by `expected`; at most 1.

    Source: Baeza-Yates and Ribeiro-Neto 1999, section 3.2.2.
    """
    found = run.counted(within(run.hits(measure["rel"]), measure).rows)
    return np.minimum(found, int(measure["expected"])) / float(measure["expected"])


def recall_effort(run: JudgedRun, measure: Measure) -> Floats:
    """RecallEffort of each topic: `expected`, divided by the documents read to find so many relevant ones.

    A user who does not find them has read all that is retrieved; 0 where nothing is.
    Source: Baeza-Yates and Ribeiro-Neto 1999, section 3.2.2.
    """
    expected = int(measure["expected"])
    read = run.retrieved.copy()
    hits = run.hits(measure["rel"])
    reached = hits.nth == expected
    read[hits.rows[reached]] = hits.ranks[reached]
    return share(np.full(len(run), expected), read)
