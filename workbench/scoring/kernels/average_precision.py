"""AP: the mean of the precision at every relevant document, retrieved or not (trec_eval's map)."""

from __future__ import annotations

from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.cutoff import within
from workbench.scoring.relevance import Floats


def average_precision(run: JudgedRun, measure: Measure) -> Floats:
    """AP of each topic; what is not retrieved, or below the cutoff, counts as precision 0."""
    hits = within(run.hits(measure["rel"]), measure)
    return share(run.summed(hits.rows, hits.nth / hits.ranks), run.relevant(measure["rel"]))
