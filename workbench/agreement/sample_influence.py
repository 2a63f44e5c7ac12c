"""Influence values: by how much a pair moves a coefficient, and the variances that follow from it.

A coefficient is a smooth function of sums over pairs, so that in large samples its variance is that of its
slope in the sums times what a pair adds to them. For a table of two this is the variance of Fleiss, Cohen and
Everitt (1969), for the pooled kappa that of Bloch and Kraemer (1989); the method is that of Gwet (2014) and,
for samples by stratum, of Cochran (1977, section 5A).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.coefficients.coefficient import values
from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.ratings import Ratings
from workbench.agreement.ratings_by_topic import RatingsByTopic, TopicRatings, narrow_codes
from workbench.agreement.sample_model import OutcomeModel
from workbench.agreement.sample_request import PlanRequest, Target
from workbench.agreement.sample_size import Draw, Floats, SampleSize, size_from_variance
from workbench.agreement.tally import Tally, tally

# So many pairs that small-sample corrections, as alpha has, vanish.
_VERY_MANY = 1e7
# These need not know who gave which grade, which for a crowd is a long row for each pair.
_WITHOUT_ASSESSORS = ("pooled", "alpha", "gwet")
# The step of a difference, relative to a sum: those of rare grades are small.
_STEP = 1e-5


@dataclass(frozen=True, slots=True)
class PairSums:
    """The sums over pairs from which a coefficient follows, as rows of numbers.

    `grades` and `assessors` say how many there are; columns are those of a Tally, one after another.
    """

    target: Target
    grades: int
    assessors: int

    @classmethod
    def of(cls, model: OutcomeModel, target: Target) -> PairSums:
        """The sums for the outcomes of a model."""
        return cls(target, model.grades, model.assessors)

    def of_pairs(self, codes: Codes) -> Floats:
        """What each pair (column of `codes`, shape (assessors, pairs)) adds; shape (pairs, columns).

        A pair that fewer than two have judged adds nothing: it is no part of agreement.
        """
        pairs = codes.shape[1]
        each = Ratings(codes, tuple(range(self.grades)), np.arange(pairs), pairs)
        found = tally(each, self._weights, by_topic=True, by_assessor=self.by_assessor)
        rows = [getattr(found, one.name).reshape(pairs, -1) for one in fields(Tally)]
        sums: Floats = np.concatenate(rows, axis=1)
        sums[np.count_nonzero(codes != MISSING, axis=0) < 2] = 0.0
        return sums

    def value(self, sums: Floats) -> Floats:
        """The coefficient from sums (..., columns); NaN where it is undefined."""
        found = values(COEFFICIENTS[self.target.method], self._tally(sums), self._weights)
        # An agreement by chance that differs from 1 by rounding alone means one grade alone.
        return np.where(np.abs(found) <= 1e6, found, np.nan)

    def slopes(self, sums: Floats) -> Floats:
        """The derivative of the coefficient with respect to each of the sums (..., columns); the same shape.

        From central differences: a coefficient is a smooth quotient of its sums. No pair adds to a sum of 0,
        and its slope is given as 0.
        """
        step = _STEP * np.abs(sums)
        found = np.empty_like(sums)
        for column in range(sums.shape[-1]):
            apart = step * (np.arange(sums.shape[-1]) == column)
            found[..., column] = self.value(sums + apart) - self.value(sums - apart)
        return np.divide(found, 2 * step, out=np.zeros_like(sums), where=step > 0)

    @property
    def _weights(self) -> Floats:
        return self.target.weights_of(self.grades)

    @property
    def by_assessor(self) -> bool:
        """Whether the sums tell who gave which grade."""
        return self.target.method not in _WITHOUT_ASSESSORS

    def _tally(self, sums: Floats) -> Tally:
        q = self.grades
        given = self.assessors if self.by_assessor else 0
        parts, at = [], 0
        for shape in ((), (), (), (q,), (q, q), (given, q)):
            part = sums[..., at : at + prod(shape)]
            parts.append(part.reshape((*sums.shape[:-1], *shape)))
            at += prod(shape)
        return Tally(*parts)


def influence_values(
    shares: Floats, rows: Floats, sums: PairSums, pairs: float = _VERY_MANY
) -> tuple[Floats, Floats]:
    """The coefficient (...) and by how much it grows with each share of `shares` (..., outcomes).

    The outcomes add `rows` (outcomes, columns) to the sums, as of so many pairs.
    """
    whole = pairs * (shares @ rows)
    return sums.value(whole), pairs * (sums.slopes(whole) @ rows.T)


def weighted_deviations(shares: Floats, influence: Floats, strata: NDArray[np.int64], count: int) -> Floats:
    """w_h s_h of every stratum: its share times the standard deviation of the influence; shape (..., count).

    `strata` (outcomes,) numbers the stratum of each outcome.
    """
    inside = (strata[:, np.newaxis] == np.arange(count)).astype(np.float64)
    weight, mean = shares @ inside, (shares * influence) @ inside
    # Within a stratum, squares less the square of the mean, each times the stratum's share.
    squared = ((shares * influence**2) @ inside) * weight - mean**2
    found: Floats = np.sqrt(np.maximum(squared, 0.0))
    return found


def required_size(model: OutcomeModel, draw: Draw, request: PlanRequest) -> SampleSize:
    """How many pairs give the interval its half width, if assessors answer as the model says."""
    sums = PairSums.of(model, request.target)
    shares = model.probabilities
    value, influence = influence_values(shares, sums.of_pairs(model.codes), sums)
    one_stratum = np.zeros(len(shares), dtype=np.int64)
    return size_from_variance(
        float(value),
        at_random=float(weighted_deviations(shares, influence, one_stratum, 1)[0]) ** 2,
        by_label=weighted_deviations(shares, influence, model.labels, model.grades),
        draw=draw,
        request=request,
    )


def expected_value(model: OutcomeModel, target: Target) -> float | None:
    """The value of a coefficient if assessors answer as the model says; None where it is undefined."""
    sums = PairSums.of(model, target)
    found = float(sums.value(_VERY_MANY * (model.probabilities @ sums.of_pairs(model.codes))))
    return found if np.isfinite(found) else None


def deviations_by_label(model: OutcomeModel, target: Target) -> Floats:
    """The standard deviation of the influence of a pair within each first label; shape (grades,)."""
    sums = PairSums.of(model, target)
    value, influence = influence_values(model.probabilities, sums.of_pairs(model.codes), sums)
    if not np.isfinite(value):
        return np.ones(model.grades)
    within = weighted_deviations(model.probabilities, influence, model.labels, model.grades)
    rows = model.by_label
    deviations: Floats = np.divide(within, rows, out=np.zeros_like(rows), where=rows > 0)
    return deviations


def influence_of_pairs(ratings: Ratings, target: Target) -> Floats:
    """By how much each pair of some ratings moves the coefficient of all of them; shape (pairs,)."""
    sums = PairSums(target, len(ratings.categories), ratings.n_assessors)
    codes = ratings.codes if sums.by_assessor else narrow_codes(ratings)
    rows = sums.of_pairs(codes)
    found: Floats = rows @ sums.slopes(rows.sum(axis=0))
    return found


def intraclass_correlation(influence: Floats, topics: NDArray[np.int64]) -> float:
    """The intraclass correlation of the pairs of a topic in their influence on a coefficient, 0 to 1.

    `influence` (pairs,) is by how much each pair moves the coefficient, `topics` (pairs,) numbers their
    topics. By analysis of variance; negative estimates count as 0, and so does a single topic. Source: Donner
    and Koval 1980; Kish 1965 for the design effect.
    """
    sizes = np.bincount(topics).astype(np.float64)
    there = sizes > 0
    n, k = len(influence), int(there.sum())
    if k < 2 or n <= k or not np.isfinite(influence).all():
        return 0.0
    sums = np.bincount(topics, influence)
    means = np.divide(sums, sizes, out=np.zeros_like(sums), where=there)
    between = float((sizes * (means - influence.mean()) ** 2).sum()) / (k - 1)
    within = float(((influence - means[topics]) ** 2).sum()) / (n - k)
    usual = (n - float((sizes**2).sum()) / n) / (k - 1)
    below = between + (usual - 1) * within
    return min(max((between - within) / below, 0.0), 1.0) if below > 0 else 0.0


def assessor_bias(ratings: Ratings, enough: int) -> Floats:
    """How far each assessor's shares of the grades are from the others' on the same pairs; shape (people, q).

    Of those with `enough` doubly judged pairs, the most first.
    """
    several: tuple[TopicRatings, ...] = (TopicRatings(np.arange(ratings.n_assessors), ratings),)
    if isinstance(ratings, RatingsByTopic):
        several = ratings.parts
    q = len(ratings.categories)
    parts: list[list[_Beside]] = [[] for _ in range(ratings.n_assessors)]
    for rows, own in several:
        beside = own.keep("beside the others", partial(_beside_others, own))
        for number, one in zip(rows.tolist(), beside, strict=True):
            parts[number].append(one)
    found = []
    for of_assessor in parts:
        n = sum(len(others) for _, others in of_assessor)
        if n >= enough:
            mine = sum((counts for counts, _ in of_assessor), np.zeros(q, np.int64)) / n
            found.append((n, mine - np.concatenate([others for _, others in of_assessor]).mean(axis=0)))
    found.sort(key=lambda one: -one[0])
    return np.array([apart for _, apart in found]).reshape(-1, q)


_Beside = tuple[NDArray[np.int64], Floats]
"""How often an assessor gave each grade on doubly judged pairs, and the others' shares of each of them."""


def _beside_others(ratings: Ratings) -> list[_Beside]:
    q = len(ratings.categories)
    there = ratings.codes != MISSING
    raters = there.sum(axis=0)
    counts = np.stack([(ratings.codes == place).sum(axis=0) for place in range(q)], axis=1)
    found = []
    for own, judged in zip(ratings.codes, there & (raters > 1), strict=True):
        others = counts[judged] - np.eye(q)[own[judged]]
        given = np.bincount(own[judged], minlength=q)
        found.append((given, others / (raters[judged][:, np.newaxis] - 1)))
    return found


def mean_topic_size(sizes: ArrayLike) -> float:
    """The size of the topic in which a pair lies, on average over pairs: large topics count for more."""
    found = np.asarray(sizes, dtype=np.float64)
    return float((found**2).sum() / found.sum()) if found.sum() else 1.0
