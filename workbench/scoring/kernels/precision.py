"""P@k, R@k, Success@k and R-precision: relevant documents counted above a cutoff."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.cutoff import within
from workbench.scoring.relevance import Floats


def precision(run: JudgedRun, measure: Measure) -> Floats:
    """P@k of each topic: relevant documents among the first k, divided by k also where there are fewer."""
    return _found(run, measure) / int(measure["cutoff"])


def recall(run: JudgedRun, measure: Measure) -> Floats:
    """R@k of each topic: the share of all relevant documents that are among the first k."""
    return share(_found(run, measure), run.relevant(measure["rel"]))


def success(run: JudgedRun, measure: Measure) -> Floats:
    """Success@k of each topic: 1 where a relevant document is among the first k, else 0."""
    return (_found(run, measure) > 0).astype(np.float64)


def r_precision(run: JudgedRun, measure: Measure) -> Floats:
    """Rprec of each topic: precision at rank R, the number of relevant documents."""
    hits, relevant = run.hits(measure["rel"]), run.relevant(measure["rel"])
    return share(run.counted(hits.rows[hits.ranks <= relevant[hits.rows]]), relevant)


def _found(run: JudgedRun, measure: Measure) -> Floats:
    return run.counted(within(run.hits(measure["rel"]), measure).rows).astype(np.float64)
