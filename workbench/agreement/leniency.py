"""Leniency: each assessor against the others on the pairs that they share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from workbench.agreement.intervals import Interval
from workbench.agreement.jackknife import TopicShares, Transform, intervals, others
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings
from workbench.agreement.ratings_by_topic import RatingsByTopic
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
    """
    sums = _sums(ratings)
    lowest = min(ratings.categories)
    # Who gives a grade above the lowest, or whose colleagues do, tells how lenient he or she is.
    rich = (sums[..., 0] + sums[..., 1]) / 2 - lowest * sums[..., 2]
    evidence = TopicShares(rich, sums[..., 2] > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        whole, without = _difference(sums.sum(axis=1)), _difference(others(sums, axis=1))
    over = intervals(whole, without, evidence, Transform.PLAIN, level=options.confidence)
    found = [
        _of(number, one, interval) for number, (one, interval) in enumerate(zip(sums, over, strict=True))
    ]
    return tuple(sorted(found, key=lambda one: (one.difference is None, one.difference or 0.0, one.assessor)))


def _sums(ratings: Ratings) -> Floats:
    """Of every assessor by topic own grades, the others' mean on the same pairs, and how many pairs.

    Shape (assessors, topics, 3).
    """
    if isinstance(ratings, RatingsByTopic):
        joined = np.zeros((ratings.n_assessors, ratings.n_topics, 3))
        for number, (rows, of_topic) in enumerate(ratings.parts):
            joined[rows, number] = of_topic.keep("leniency", partial(_sums, of_topic))[:, 0]
        return joined
    values = np.asarray(ratings.categories, dtype=np.float64)
    given = ratings.given()
    raters = np.bincount(given.pairs, minlength=ratings.codes.shape[1])
    total = np.bincount(given.pairs, values[given.codes], minlength=ratings.codes.shape[1])
    shared = raters[given.pairs] >= 2
    assessors, pairs = given.assessors[shared].astype(np.int64), given.pairs[shared]
    own = values[given.codes[shared]]
    others = (total[pairs] - own) / (raters[pairs] - 1)
    places = assessors * ratings.n_topics + ratings.topics[pairs]
    shape = ratings.n_assessors, ratings.n_topics
    columns = [
        np.bincount(places, of, minlength=math.prod(shape)).reshape(shape)
        for of in (own, others, np.ones_like(own))
    ]
    sums = np.stack(columns, axis=2).astype(np.float64)
    if ratings.unlisted is not None:
        lowest = float(min(ratings.categories))
        sums += ratings.unlisted[:, np.newaxis] * np.array([lowest, lowest, 1.0])
    return sums


def _of(number: int, sums: Floats, interval: Interval) -> Leniency:
    """An assessor by the sums of each topic."""
    mine, theirs, n = sums.sum(axis=0).tolist()
    if not n:
        return Leniency(number, 0, None, None, None, None)
    return Leniency(number, int(n), mine / n, theirs / n, (mine - theirs) / n, interval)


def _difference(sums: Floats) -> Floats:
    found: Floats = (sums[..., 0] - sums[..., 1]) / sums[..., 2]
    return found
