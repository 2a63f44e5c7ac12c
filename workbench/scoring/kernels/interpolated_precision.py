"""IPrec@r and AP11pt: precision interpolated at levels of recall, as in the 11-point tables of TREC."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.relevance import Floats

_HUNDRED = 100  # levels of recall have two decimals
_TEN = 10
LEVELS = tuple(level / _TEN for level in range(_TEN + 1))
"""The eleven standard levels of recall."""


def interpolated_precision(run: JudgedRun, measure: Measure) -> Floats:
    """IPrec of each topic: the maximum of P(r') over all r' >= r; 0 where that recall is never reached.

    Recall r is reached by the ceil(r R)-th relevant document, in whole numbers. trec_eval 9 rounds r R + 0.9
    in floating point and so takes a document too few at some levels (of 33 relevant ones the 23rd for .7);
    the published tables of TREC-8 have the whole numbers. With the interpolation `bucket`: see `by_bucket`.
    """
    rel = measure.params.get("rel", 1)
    level = round(float(measure["recall"]) * _HUNDRED)
    if measure.params.get("interpolation") == "bucket":
        return np.asarray(by_bucket(run, rel)[:, level // _TEN])
    return _by_maximum(run, rel, level)


def eleven_point_average(run: JudgedRun, measure: Measure) -> Floats:
    """AP11pt of each topic: the mean of IPrec at recall 0, .1, ... 1 (trec_eval's 11pt_avg)."""
    return np.asarray(eleven_points(run, measure["rel"], measure["interpolation"]).mean(axis=1))


def eleven_points(run: JudgedRun, rel: int, interpolation: str) -> Floats:
    """Interpolated precision at the eleven levels of recall; shape (topics, 11)."""
    if interpolation == "bucket":
        return by_bucket(run, rel)
    return np.stack([_by_maximum(run, rel, level * _TEN) for level in range(_TEN + 1)], axis=1)


def by_bucket(run: JudgedRun, rel: int) -> Floats:
    """Precision at the eleven levels by the older rule: the maximum from one level to below the next.

    A level at which no relevant document is found has the value of the next higher one. The two rules differ
    where precision rises again later. Source: Baeza-Yates and Ribeiro-Neto 1999, equation 3.4, completed for
    levels that are skipped as in Teufel 2007. Shape (topics, 11).
    """
    hits, relevant = run.hits(rel), run.relevant(rel)
    values = np.full((len(run), _TEN + 1), -1.0)
    np.maximum.at(values, (hits.rows, _TEN * hits.nth // relevant[hits.rows]), hits.nth / hits.ranks)
    for level in range(_TEN - 1, -1, -1):
        empty = values[:, level] < 0
        values[empty, level] = values[empty, level + 1]
    return np.asarray(np.maximum(values, 0.0))


def _by_maximum(run: JudgedRun, rel: int, hundredths: int) -> Floats:
    hits, relevant = run.hits(rel), run.relevant(rel)
    needed = np.maximum(1, -(-hundredths * relevant // _HUNDRED))
    reached = hits.nth >= needed[hits.rows]
    values = np.zeros(len(run))
    np.maximum.at(values, hits.rows[reached], (hits.nth / hits.ranks)[reached])
    return values
