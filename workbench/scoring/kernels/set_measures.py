"""A ranking, or its first k documents, read as a set: SetP, SetR, SetF, F, E, Fallout and SetAccuracy."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.contingency import Contingency, f_measure
from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.collection import check_collection
from workbench.scoring.kernels.cutoff import cutoff_of, within
from workbench.scoring.relevance import Floats


def set_precision(run: JudgedRun, measure: Measure) -> Floats:
    """SetP of each topic: the share of retrieved documents that are relevant.

    With `relative` the best possible share is 1: divided by R where fewer are relevant than retrieved.
    """
    whole = run.retrieved
    if measure.params.get("relative"):
        whole = np.minimum(whole, run.relevant(measure["rel"]))
    return share(run.counted(run.hits(measure["rel"]).rows), whole)


def set_recall(run: JudgedRun, measure: Measure) -> Floats:
    """SetR of each topic: the share of relevant documents that are retrieved."""
    return share(run.counted(run.hits(measure["rel"]).rows), run.relevant(measure["rel"]))


def set_f(run: JudgedRun, measure: Measure) -> Floats:
    """SetF and F of each topic, weighted by `beta` or, for F, `alpha` (see `contingency.f_measure`).

    F@k takes precision as P@k does, of k documents also where fewer are retrieved. trec_eval takes the
    parameter of SetF for beta squared, so what it prints for 2 is this measure's for the root of 2.
    """
    found = run.counted(within(run.hits(measure["rel"]), measure).rows)
    cutoff = cutoff_of(measure)
    precision = share(found, run.retrieved if cutoff is None else np.full(len(run), cutoff))
    alpha = measure.params.get("alpha")
    return f_measure(
        precision,
        share(found, run.relevant(measure["rel"])),
        beta=float(measure["beta"]),
        alpha=None if alpha is None else float(alpha),
    )


def set_e(run: JudgedRun, measure: Measure) -> Floats:
    """E of each topic: 1 - F (van Rijsbergen 1979)."""
    return 1.0 - set_f(run, measure)


def fallout(run: JudgedRun, measure: Measure) -> Floats:
    """Fallout of each topic; raises WorkbenchError for a collection too small for what is retrieved."""
    return contingency(run, measure).fallout


def set_accuracy(run: JudgedRun, measure: Measure) -> Floats:
    """SetAccuracy of each topic; raises WorkbenchError for a collection too small for what is retrieved."""
    return contingency(run, measure).accuracy


def contingency(run: JudgedRun, measure: Measure) -> Contingency:
    """The table of each topic in a collection of `docs` documents; what is not judged is not relevant."""
    cutoff = cutoff_of(measure)
    retrieved = run.retrieved if cutoff is None else np.minimum(run.retrieved, cutoff)
    tp = run.counted(within(run.hits(measure["rel"]), measure).rows)
    fp, fn = retrieved - tp, run.relevant(measure["rel"]) - tp
    check_collection(measure, tp + fp + fn)
    tn = int(measure["docs"]) - tp - fp - fn
    return Contingency(*(counts.astype(np.float64) for counts in (tp, fp, fn, tn)))
