"""RBP with its residual, and ERR: what a user gains who may stop after every document."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels.cutoff import cutoff_of, within
from workbench.scoring.relevance import Floats

_GDEVALS_HIGHEST = 4


def rank_biased_precision(run: JudgedRun, measure: Measure) -> Floats:
    """RBP of each topic: (1 - p) times the sum of p ** (rank - 1) over relevant documents.

    Moffat and Zobel 2008; relevant are documents from the grade `rel` on, 1 unless given.
    """
    p = float(measure["p"])
    hits = within(run.hits(int(measure.params.get("rel", 1))), measure)
    return run.summed(hits.rows, np.asarray((1 - p) * p ** (hits.ranks - 1.0), dtype=np.float64))


def rank_biased_residual(run: JudgedRun, measure: Measure) -> Floats:
    """RBPResidual of each topic: RBP of the unjudged documents, and of all ranks behind the last one.

    RBP itself is a lower bound of what a complete judging would give, and RBP plus this the upper one (Moffat
    and Zobel 2008, section 4.3). Documents with a negative grade are not judged.
    """
    p, cutoff = float(measure["p"]), cutoff_of(measure)
    read = run.retrieved if cutoff is None else np.minimum(run.retrieved, cutoff)
    at = np.flatnonzero((run.grades < 0) & (run.ranks <= read[run.rows]))
    unjudged = np.asarray((1 - p) * p ** (run.ranks[at] - 1.0), dtype=np.float64)
    return run.summed(run.rows[at], unjudged) + p**read


def expected_reciprocal_rank(run: JudgedRun, measure: Measure) -> Floats:
    """ERR of each topic (Chapelle et al. 2009): a document of grade g satisfies with (2**g - 1) / 2**h.

    h is the highest grade of the qrels, but at least 4, as in TREC's gdeval.
    """
    cutoff = cutoff_of(measure)
    highest = max(_GDEVALS_HIGHEST, run.relevance.highest)
    kept = run.grades > 0 if cutoff is None else (run.grades > 0) & (run.ranks <= cutoff)
    at = np.flatnonzero(kept)
    satisfied = (np.exp2(run.grades[at]) - 1) / 2.0**highest
    # The chance that nothing above satisfied; no document satisfies for certain, so the logarithm is finite.
    log_unsatisfied = np.append(0.0, np.cumsum(np.log1p(-satisfied)))
    first = np.searchsorted(at, run.starts[run.rows[at]])
    unsatisfied = np.exp(log_unsatisfied[:-1] - log_unsatisfied[first])
    return run.summed(run.rows[at], satisfied * unsatisfied / run.ranks[at])
