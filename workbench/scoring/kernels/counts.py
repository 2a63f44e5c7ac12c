"""NumQ, NumRet, NumRel and Judged@k: how much there is, and how much of it is judged."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.cutoff import cutoff_of
from workbench.scoring.relevance import Floats


def queries(run: JudgedRun, _measure: Measure) -> Floats:
    """NumQ of each topic: 1."""
    return np.ones(len(run))


def retrieved(run: JudgedRun, measure: Measure) -> Floats:
    """NumRet of each topic: documents retrieved; with `rel`, those that have at least this grade."""
    rel = measure.params.get("rel")
    return (run.retrieved if rel is None else run.counted(run.hits(rel).rows)).astype(np.float64)


def relevant(run: JudgedRun, measure: Measure) -> Floats:
    """NumRel of each topic: documents of the qrels that have at least the grade `rel`."""
    return run.relevant(measure["rel"]).astype(np.float64)


def judged(run: JudgedRun, measure: Measure) -> Floats:
    """Judged@k of each topic: the share of the first k documents retrieved that the qrels have."""
    cutoff = cutoff_of(measure)
    at = run.in_qrels()
    if cutoff is None:
        return share(run.counted(run.rows[at]), run.retrieved)
    at = at[run.ranks[at] <= cutoff]
    return share(run.counted(run.rows[at]), np.minimum(run.retrieved, cutoff))
