"""The coefficient of all pairs, estimated from an overlap: a sample that two assessors or more judged.

A sample at random stands for the whole as it is; one by the first label is reweighted to all pairs (Cochran
1977, section 5A); the interval of one of whole topics comes from resampling these topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.coefficients.coefficient import NO_VARIATION, NOBODY
from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.intervals import CONSTANT, Interval, kappa_bounds
from workbench.agreement.resampling import Resamples, over_topics
from workbench.agreement.sample_influence import PairSums, influence_values, weighted_deviations
from workbench.agreement.sample_request import LEVEL, Target
from workbench.agreement.sample_size import normal_point

NO_SPREAD = "all pairs judged so far agree, so that the error cannot be estimated yet"
# Rounding leaves less than this.
_NO_REACH = 1e-6
AT_RANDOM = "linearised variance over pairs"
BY_LABEL = "linearised variance of a sample stratified by the first label"


def estimate_from_pairs(
    codes: Codes,
    labels: ArrayLike,
    *,
    grades: int,
    target: Target | None = None,
    sizes: Sequence[int] | None = None,
    level: float = LEVEL,
) -> SampleEstimate:
    """The coefficient of all pairs of which some were drawn one by one.

    `codes` (assessors, pairs) are the grades of every drawn pair, `labels` (pairs,) those of its first
    assessor. Where each label was a stratum, `sizes` are the pairs of each from which they were drawn.
    """
    there = np.count_nonzero(codes != MISSING, axis=0) > 1
    n, method = int(there.sum()), AT_RANDOM if sizes is None else BY_LABEL
    none = Interval(None, None, level, method, n, undefined="the coefficient is undefined")
    if not n:
        return SampleEstimate(None, 0, none, NOBODY)
    whole = np.ones(1) if sizes is None else np.asarray(sizes, dtype=np.float64)
    strata = np.zeros(n, dtype=np.int64) if sizes is None else np.asarray(labels, dtype=np.int64)[there]
    drawn = np.bincount(strata, minlength=len(whole))
    if ((drawn == 0) & (whole > 0)).any():
        return SampleEstimate(None, n, none, "of some first label no pair is judged twice yet")
    shares = (whole / whole.sum() / np.maximum(drawn, 1))[strata]
    sums = PairSums(target or Target(), grades, len(codes))
    found, influence = influence_values(shares, sums.of_pairs(codes[:, there]), sums, float(n))
    value = float(found)
    if not np.isfinite(value):
        return SampleEstimate(None, n, none, NO_VARIATION)
    # One pair of a label shows no deviation.
    squares = weighted_deviations(shares, influence, strata, len(whole)) ** 2
    reach = normal_point(level) * float(np.sqrt((squares / np.maximum(drawn - 1, 1)).sum()))
    return SampleEstimate(value, n, _interval(value, reach, level, method, n))


def estimate_from_topics(
    codes: Codes, topics: ArrayLike, resamples: Resamples, *, grades: int, target: Target | None = None
) -> SampleEstimate:
    """The coefficient on topics that were drawn whole, with an interval by resampling them.

    `topics` (pairs,) numbers the topic of each pair.
    """
    there = np.count_nonzero(codes != MISSING, axis=0) > 1
    n = int(there.sum())
    none = Interval(None, None, resamples.level, resamples.method, undefined="the coefficient is undefined")
    if not n:
        return SampleEstimate(None, 0, none, NOBODY)
    sums = PairSums(target or Target(), grades, len(codes))
    rows = sums.of_pairs(codes[:, there])
    places, at = np.unique(np.asarray(topics)[there], return_inverse=True)
    by_topic = np.zeros((len(places), rows.shape[1]))
    np.add.at(by_topic, at, rows)
    value = float(sums.value(by_topic.sum(axis=0)))
    if not np.isfinite(value):
        return SampleEstimate(None, n, none, NO_VARIATION)
    interval = over_topics(sums.value, by_topic, resamples)
    if interval.undefined == CONSTANT:
        interval = replace(interval, undefined=NO_SPREAD)
    return SampleEstimate(value, n, interval)


def _interval(value: float, reach: float, level: float, method: str, n: int) -> Interval:
    """The interval of an estimate from its reach, or why there is none.

    One pair, or any number on which all agree, shows no deviation, and would have an interval of no width.
    """
    if reach < _NO_REACH:
        return Interval(None, None, level, method, n, undefined=NO_SPREAD)
    return Interval(*kappa_bounds(value, reach), level, method, n)


@dataclass(frozen=True, slots=True)
class SampleEstimate:
    """A coefficient of all pairs, estimated from a sample of `n`; None where `undefined` gives the reason."""

    value: float | None
    n: int
    interval: Interval
    undefined: str = ""
