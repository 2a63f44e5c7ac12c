"""Measures of relevant or not: precision, recall, AP, RR, Bpref, the area below ROC, sets, counts, IPrec."""

from __future__ import annotations

import sys

import numpy as np
from ir_measures import Measure
from numpy.typing import ArrayLike

from workbench.errors import WorkbenchError
from workbench.scoring.judged_run import Hits, JudgedRun, share
from workbench.scoring.relevance import ABSENT, Floats, Positions


def f_measure(
    precision: ArrayLike, recall: ArrayLike, *, beta: float = 1.0, alpha: float | None = None
) -> Floats:
    """The weighted harmonic mean of precision and recall, 1 / (a / P + (1 - a) / R); 0 where both are 0.

    The weight is `alpha` or, unless that is given, beta with beta**2 = (1 - a) / a: recall counts beta times
    as much as precision. E is 1 - F (van Rijsbergen 1979, equation 7.4).
    """
    p, r = np.asarray(precision, dtype=np.float64), np.asarray(recall, dtype=np.float64)
    if alpha is None:
        square = beta**2
        return share((1 + square) * p * r, square * p + r)
    return share(p * r, alpha * r + (1 - alpha) * p)


def cutoff_of(measure: Measure) -> int | None:
    """The cutoff of a measure, None where it reads a whole ranking."""
    cutoff = measure.params.get("cutoff")
    return None if cutoff is None else int(cutoff)


def last_rank(measure: Measure) -> int:
    """The cutoff of a measure; a rank that no document has where it reads a whole ranking."""
    return cutoff_of(measure) or sys.maxsize


def hits_of(run: JudgedRun, measure: Measure) -> Hits:
    """The relevant documents, from its `rel` on, that a measure finds down to its cutoff."""
    hits = run.hits(int(measure.params.get("rel", 1)))
    cutoff = cutoff_of(measure)
    if cutoff is None:
        return hits
    kept = hits.ranks <= cutoff
    return Hits(hits.rows[kept], hits.ranks[kept], hits.nth[kept])


def found_by(run: JudgedRun, measure: Measure) -> Positions:
    """How many of them there are; shape (topics,)."""
    return run.counted(hits_of(run, measure).rows)


def outside(run: JudgedRun, measure: Measure) -> Positions:
    """How many documents that are not relevant each topic leaves out: of the collection, or of the judged.

    The collection has `docs` documents, of which those without a judgment are not relevant; without `docs`
    only judged documents count. Raises WorkbenchError for a collection smaller than what is known of it.
    """
    rel = measure["rel"]
    docs = measure.params.get("docs")
    if docs is None:
        judged = (run.grades >= 0) & (run.grades < rel)
        return run.not_relevant(rel) - run.counted(run.rows[judged])
    relevant_left = run.relevant(rel) - found_by(run, measure)
    check_collection(measure, run.retrieved + relevant_left)
    return int(docs) - run.retrieved - relevant_left


def check_collection(measure: Measure, known: Positions) -> None:
    """Raise WorkbenchError where more documents of a topic are known than the collection of a measure has."""
    most = int(known.max(initial=0))
    if most > int(measure["docs"]):
        raise WorkbenchError(
            f"{measure} cannot be computed: {most:,} documents of one topic are retrieved or relevant",
            remedy="set docs to the number of documents in the whole collection",
        )


def precision(run: JudgedRun, measure: Measure) -> Floats:
    """P@k of each topic: relevant documents among the first k, divided by k also where there are fewer."""
    return found_by(run, measure) / int(measure["cutoff"])


def recall(run: JudgedRun, measure: Measure) -> Floats:
    """R@k of each topic: the share of all relevant documents that are among the first k; SetR: of all."""
    return share(found_by(run, measure), run.relevant(measure["rel"]))


def success(run: JudgedRun, measure: Measure) -> Floats:
    """Success@k of each topic: 1 where a relevant document is among the first k, else 0."""
    return (found_by(run, measure) > 0).astype(np.float64)


def r_precision(run: JudgedRun, measure: Measure) -> Floats:
    """Rprec of each topic: precision at rank R, the number of relevant documents."""
    hits, relevant = run.hits(measure["rel"]), run.relevant(measure["rel"])
    return share(run.counted(hits.rows[hits.ranks <= relevant[hits.rows]]), relevant)


def average_precision(run: JudgedRun, measure: Measure) -> Floats:
    """AP of each topic; what is not retrieved, or below the cutoff, counts as precision 0."""
    hits = hits_of(run, measure)
    return share(run.summed(hits.rows, hits.nth / hits.ranks), run.relevant(measure["rel"]))


def reciprocal_rank(run: JudgedRun, measure: Measure) -> Floats:
    """RR of each topic; 0 where no relevant document is retrieved above the cutoff."""
    hits = hits_of(run, measure)
    values = np.zeros(len(run))
    first = hits.nth == 1
    values[hits.rows[first]] = 1.0 / hits.ranks[first]
    return values


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
    # By places, not by running sums: few documents are judged, and those of all take much memory.
    at, hits = np.flatnonzero(counted), run.hits(rel)
    firsts = run.starts[hits.rows]
    return np.searchsorted(at, firsts + hits.ranks - 1) - np.searchsorted(at, firsts)


def roc_area(run: JudgedRun, measure: Measure) -> Floats:
    """AUC of each topic: the chance that a relevant document is ranked above one that is not.

    Of all documents if `docs` says how many the collection has, else of judged ones. What is not retrieved
    is tied below everything, and a tie counts one half. 0 where either kind has no document.
    Source: Hanley and McNeil 1982; Manning, Raghavan and Schuetze 2008, section 8.4.
    """
    rel = measure["rel"]
    hits, relevant, left = run.hits(rel), run.relevant(rel), outside(run, measure)
    others = run.grades < rel
    if "docs" not in measure.params:
        others &= run.grades >= 0
    all_others = run.counted(run.rows[others]) + left
    above = _above(run, others, rel)
    beaten = run.summed(hits.rows, (all_others[hits.rows] - above).astype(np.float64))
    missed = relevant - run.counted(hits.rows)
    return share(beaten + missed * left / 2.0, relevant * all_others)


def set_precision(run: JudgedRun, measure: Measure) -> Floats:
    """SetP of each topic: the share of retrieved documents that are relevant.

    With `relative` the best possible share is 1: divided by R where fewer are relevant than retrieved.
    """
    whole = run.retrieved
    if measure.params.get("relative"):
        whole = np.minimum(whole, run.relevant(measure["rel"]))
    return share(found_by(run, measure), whole)


def set_f(run: JudgedRun, measure: Measure) -> Floats:
    """SetF and F of each topic, weighted by `beta` or, for F, `alpha` (see `f_measure`).

    F@k takes precision as P@k does, of k documents also where fewer are retrieved. trec_eval takes the
    parameter of SetF for beta squared, so what it prints for 2 is this measure's for the root of 2.
    """
    found = found_by(run, measure)
    precision = share(found, cutoff_of(measure) or run.retrieved)
    recall = share(found, run.relevant(measure["rel"]))
    return f_measure(precision, recall, beta=measure["beta"], alpha=measure.params.get("alpha"))


def set_e(run: JudgedRun, measure: Measure) -> Floats:
    """E of each topic: 1 - F (van Rijsbergen 1979)."""
    return 1.0 - set_f(run, measure)


def fallout(run: JudgedRun, measure: Measure) -> Floats:
    """Fallout of each topic: the share of documents that are not relevant that are retrieved.

    Raises WorkbenchError for a collection too small for what is retrieved. Source: van Rijsbergen 1979,
    chapter 7; Manning, Raghavan and Schuetze 2008, section 8.3.
    """
    wrong, _ = _errors(run, measure)
    return share(wrong, int(measure["docs"]) - run.relevant(measure["rel"]))


def set_accuracy(run: JudgedRun, measure: Measure) -> Floats:
    """SetAccuracy of each topic: the share of all documents that are retrieved if relevant, and not if not.

    Sources, and what it raises, as for `fallout`.
    """
    wrong, missed = _errors(run, measure)
    docs = int(measure["docs"])
    return share(docs - wrong - missed, docs)


def _errors(run: JudgedRun, measure: Measure) -> tuple[Positions, Positions]:
    """Documents wrongly retrieved, and wrongly left out, by topic; what is not judged is not relevant."""
    found = found_by(run, measure)
    wrong = np.minimum(run.retrieved, last_rank(measure)) - found
    missed = run.relevant(measure["rel"]) - found
    check_collection(measure, found + wrong + missed)
    return wrong, missed


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
    last, at = last_rank(measure), run.in_qrels()
    at = at[run.ranks[at] <= last]
    return share(run.counted(run.rows[at]), np.minimum(run.retrieved, last))


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
        return by_bucket(run, rel)[:, level // _TEN]
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
