"""What a sample that several assessors judged, drawn in any of the ways, says of the pooled kappa."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.result import NO_VARIATION, NOBODY
from workbench.agreement.sample_estimates import Estimate
from workbench.agreement.sample_of_several import agreeing, kappa_of_several, moves_of_several
from workbench.agreement.sample_size import LEVEL, Chance, Floats, kappa_of_shares, normal_point
from workbench.agreement.several.bootstrap import Interval
from workbench.agreement.several.over_topics import OVER_TOPICS, Resamples, over_topics

AT_RANDOM = "linearised variance over pairs"
BY_LABEL = "linearised variance of a sample stratified by the first label"


def kappa_of_sample(
    counts: ArrayLike, labels: ArrayLike, *, sizes: Sequence[int] | None = None, level: float = LEVEL
) -> Estimate:
    """The pooled kappa of all pairs of which some were drawn one by one.

    `counts` (pairs, q) say how many gave each grade to every drawn pair, always the same number of assessors;
    `labels` (pairs,) what its first one gave. Where each label was drawn by itself, `sizes` are all pairs of
    each, from which they were drawn. Source: as for two, Cochran 1977, section 5A.
    """
    found = np.asarray(counts, dtype=np.float64)
    strata = np.asarray(labels, dtype=np.int64)
    n, method = len(found), AT_RANDOM if sizes is None else BY_LABEL
    none = Interval(None, None, level, method, n, undefined="the kappa is undefined")
    if not n:
        return Estimate(None, 0, none, NOBODY)
    whole = np.ones(1) if sizes is None else np.asarray(sizes, dtype=np.float64)
    if sizes is None:
        strata = np.zeros(n, dtype=np.int64)
    drawn = np.bincount(strata, minlength=len(whole))
    if ((drawn == 0) & (whole > 0)).any():
        return Estimate(None, n, none, "of some first label no pair is judged by all of them yet")
    share = whole / whole.sum()
    weight = (share / np.maximum(drawn, 1))[strata]
    observed = weight @ agreeing(found)
    shares = weight @ (found / found.sum(axis=1, keepdims=True))
    value = float(kappa_of_several(np.asarray(observed), shares))
    if not np.isfinite(value):
        return Estimate(None, n, none, NO_VARIATION)
    moved = moves_of_several(found, np.asarray(observed), shares)
    means = np.bincount(strata, moved, minlength=len(whole)) / np.maximum(drawn, 1)
    squares = np.bincount(strata, (moved - means[strata]) ** 2, minlength=len(whole))
    # With one pair of a label its spread cannot be seen.
    variance = (share**2 * squares / np.maximum(drawn, 1) / np.maximum(drawn - 1, 1)).sum()
    reach = normal_point(level) * float(np.sqrt(variance))
    return Estimate(value, n, Interval(value - reach, min(value + reach, 1.0), level, method, n))


def kappa_of_topics(tables: NDArray[np.int64], chance: Chance, resamples: Resamples) -> Estimate:
    """The kappa of two assessors from tables (topics, q, q) of topics that were drawn whole.

    Its interval is by drawing among these topics again.
    """
    there = tables[tables.sum(axis=(1, 2)) > 0].astype(np.float64)

    def kappa_of(sums: Floats) -> Floats:
        return kappa_of_shares(sums / sums.sum(axis=(-1, -2), keepdims=True), chance)

    return _of_topics(there, int(there.sum()), kappa_of, resamples)


def kappa_of_topics_of_several(counts: ArrayLike, topics: ArrayLike, resamples: Resamples) -> Estimate:
    """The pooled kappa of several on topics that were drawn whole; `topics` (pairs,) numbers them."""
    found, number = np.asarray(counts, dtype=np.float64), np.asarray(topics, dtype=np.int64)
    n = len(found)
    each = np.column_stack([np.ones(n), agreeing(found), found / found.sum(axis=1, keepdims=True)])
    places, at = np.unique(number, return_inverse=True)
    sums = np.zeros((len(places), each.shape[1]))
    np.add.at(sums, at, each)

    def kappa_of(sums: Floats) -> Floats:
        return kappa_of_several(sums[..., 1] / sums[..., 0], sums[..., 2:] / sums[..., :1])

    return _of_topics(sums, n, kappa_of, resamples)


def _of_topics(sums: Floats, n: int, kappa_of: Callable[[Floats], Floats], resamples: Resamples) -> Estimate:
    if not n:
        none = Interval(None, None, resamples.level, OVER_TOPICS, undefined="the kappa is undefined")
        return Estimate(None, 0, none, NOBODY)
    value = float(kappa_of(sums.sum(axis=0)))
    if not np.isfinite(value):
        none = Interval(None, None, resamples.level, OVER_TOPICS, undefined="the kappa is undefined")
        return Estimate(None, n, none, NO_VARIATION)
    return Estimate(value, n, over_topics(kappa_of, sums, resamples))
