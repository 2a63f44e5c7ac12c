"""Leniency: each assessor against the others on the pairs that they share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.contingency import MISSING
from workbench.agreement.intervals import Interval
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings
from workbench.agreement.resampling import over_topics
from workbench.agreement.tally import Floats


@dataclass(frozen=True, slots=True)
class Leniency:
    """What an assessor gave on the `n` pairs that others judged too, and the mean of what the others gave.

    Of two grades the mean is the share of relevant. `difference` is own less others: above 0 is lenient. It
    is None where the assessor shares no pair. `interval` is of the difference.
    """

    assessor: int
    n: int
    own: float | None
    others: float | None
    difference: float | None
    interval: Interval | None


def leniency(ratings: Ratings, options: AgreementOptions) -> tuple[Leniency, ...]:
    """Every assessor, the strictest first; who shares no pair with anybody comes last.

    The others' mean is computed pair by pair, so that it does not matter which pairs were assigned.
    Intervals are always over topics.
    """
    values = np.asarray(ratings.categories, dtype=np.float64)
    judged = ratings.codes != MISSING
    raters = np.count_nonzero(judged, axis=0)
    # The place -1 of a missing grade takes the 0 that stands last.
    total = np.zeros(ratings.codes.shape[1])
    for row in ratings.codes:
        total += np.append(values, 0.0)[row]
    found = [
        _of(number, ratings, judged[number] & (raters >= 2), values, total, raters, options)
        for number in range(ratings.n_assessors)
    ]
    return tuple(sorted(found, key=lambda one: (one.difference is None, one.difference or 0.0, one.assessor)))


def _of(
    number: int,
    ratings: Ratings,
    shared: NDArray[np.bool_],
    values: Floats,
    total: Floats,
    raters: NDArray[np.int64],
    options: AgreementOptions,
) -> Leniency:
    own = values[ratings.codes[number, shared]]
    others = (total[shared] - own) / (raters[shared] - 1)
    topics = ratings.topics[shared]
    sums = np.stack(
        [np.bincount(topics, of, minlength=ratings.n_topics) for of in (own, others, np.ones_like(own))],
        axis=1,
    ).astype(np.float64)
    if ratings.unlisted is not None:
        lowest = float(min(ratings.categories))
        sums += ratings.unlisted[:, np.newaxis] * np.array([lowest, lowest, 1.0])
    sums = sums[sums[:, 2] > 0]
    if not len(sums):
        return Leniency(number, 0, None, None, None, None)
    mine, theirs, n = sums.sum(axis=0).tolist()
    interval = over_topics(_difference, sums, options.topic_resamples)
    return Leniency(number, int(n), mine / n, theirs / n, (mine - theirs) / n, interval)


def _difference(sums: Floats) -> Floats:
    difference: Floats = (sums[..., 0] - sums[..., 1]) / sums[..., 2]
    return difference
