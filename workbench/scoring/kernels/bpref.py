"""Bpref and infAP: measures that read judged documents only."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.pair_table import ABSENT
from workbench.scoring.relevance import Floats, Positions

_EPSILON = 0.00001  # trec_eval's INFAP_EPSILON


def bpref(run: JudgedRun, measure: Measure) -> Floats:
    """Bpref of each topic (Buckley and Voorhees 2004, as trec_eval since 8.0 computes it).

    Each relevant document counts 1 less the share of judged non-relevant documents above it, of the first R.
    """
    rel = measure["rel"]
    hits, relevant, others = run.hits(rel), run.relevant(rel), run.not_relevant(rel)
    above = np.minimum(_above(run, (run.grades >= 0) & (run.grades < rel), rel), relevant[hits.rows])
    lost = share(above, np.minimum(relevant, others)[hits.rows])
    return share(run.summed(hits.rows, 1.0 - lost), relevant)


def inferred_ap(run: JudgedRun, measure: Measure) -> Floats:
    """InfAP of each topic (Yilmaz and Aslam 2006): AP estimated from a sample of the pool.

    A negative grade means a document of the pool that was not sampled.
    """
    rel = measure["rel"]
    hits, relevant = run.hits(rel), run.relevant(rel)
    others = _above(run, (run.grades >= 0) & (run.grades < rel), rel)
    unsampled = _above(run, (run.grades < 0) & (run.grades != ABSENT), rel)
    before, ranks = hits.nth - 1, hits.ranks.astype(np.float64)
    pooled = share(before + others + unsampled, ranks - 1)
    precise = (before + _EPSILON) / (before + others + 2 * _EPSILON)
    expected = 1.0 / ranks + (ranks - 1) / ranks * pooled * precise
    return share(run.summed(hits.rows, expected), relevant)


def _above(run: JudgedRun, counted: np.ndarray[tuple[int], np.dtype[np.bool_]], rel: int) -> Positions:
    """How many of the counted documents stand above each hit, in its topic; shape (hits,)."""
    total = np.append(0, np.cumsum(counted))
    hits = run.hits(rel)
    starts = run.starts[hits.rows]
    return np.asarray(total[starts + hits.ranks - 1] - total[starts])
