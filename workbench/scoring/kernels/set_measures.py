"""SetP, SetR and SetF: a ranking read as a set."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
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
    """SetF of each topic: (1 + b**2) P R / (b**2 P + R) with b as `beta` (van Rijsbergen 1979).

    trec_eval takes its parameter for b squared, so what it prints for 2 is this measure's for the root of 2.
    """
    found = run.counted(run.hits(measure["rel"]).rows)
    p, r = share(found, run.retrieved), share(found, run.relevant(measure["rel"]))
    square = float(measure["beta"]) ** 2
    return share((1 + square) * p * r, square * p + r)
