"""By how much a pair moves a coefficient: from this follow its variance, plans, and what samples say.

A coefficient is a smooth function of sums over pairs, so that in large samples its variance is that of its
slope in the sums times what a pair adds to them. For a table of two this is the variance of Fleiss, Cohen and
Everitt 1969; the method is that of Gwet 2014 and, for samples by stratum, of Cochran 1977, section 5A.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.coefficients.coefficient import values
from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.ratings import Ratings
from workbench.agreement.sample_model import OutcomeModel
from workbench.agreement.sample_request import Target
from workbench.agreement.sample_size import Draw, Floats, SampleSize, size_from_variance
from workbench.agreement.tally import Tally, tally

# So many pairs that small-sample corrections, as alpha has, are nothing.
_VERY_MANY = 1e7


@dataclass(frozen=True, slots=True, eq=False)
class Reckoned:
    """Some shares of outcomes (..., outcomes), seen as so many pairs: the coefficient, and what moves it.

    `value` (...) is the coefficient, `moves` (..., outcomes) by how much it grows with each share.
    """

    value: Floats
    moves: Floats


def influence_values(shares: Floats, rows: Floats, sums: PairSums, pairs: float = _VERY_MANY) -> Reckoned:
    """The coefficient and its moves from shares of outcomes, which add `rows` (outcomes, columns) to sums."""
    whole = pairs * (shares @ rows)
    return Reckoned(sums.value(whole), pairs * (sums.slopes(whole) @ rows.T))


def weighted_deviations(shares: Floats, moves: Floats, strata: NDArray[np.int64], count: int) -> Floats:
    """w_h s_h of every stratum: its share times the deviation within it of moves; shape (..., count).

    `strata` (outcomes,) numbers the stratum of each outcome.
    """
    inside = (strata[:, np.newaxis] == np.arange(count)).astype(np.float64)
    weight, mean = shares @ inside, (shares * moves) @ inside
    # Within a stratum, squares less the square of the mean, each times the stratum's share.
    squared = ((shares * moves**2) @ inside) * weight - mean**2
    found: Floats = np.sqrt(np.maximum(squared, 0.0))
    return found


def sample_size(
    expected: OutcomeModel,
    aim: Target,
    *,
    half_width: float,
    draw: Draw,
    level: float,
    topic_size: float = 1.0,
    likeness: float = 0.0,
) -> SampleSize:
    """How many pairs give the interval of a coefficient this half width, where all is as expected."""
    sums = PairSums(aim, expected.grades, expected.assessors)
    found = influence_values(expected.shares, sums.of_pairs(expected.codes), sums)
    alone = np.zeros(len(expected.shares), dtype=np.int64)
    return size_from_variance(
        float(found.value),
        at_random=float(weighted_deviations(expected.shares, found.moves, alone, 1)[0]) ** 2,
        weighed=weighted_deviations(expected.shares, found.moves, expected.labels, expected.grades),
        half_width=half_width,
        draw=draw,
        level=level,
        topic_size=topic_size,
        likeness=likeness,
        coefficient=aim.label,
        assessors=expected.assessors,
    )


def influence_of_pairs(ratings: Ratings, aim: Target) -> Floats:
    """By how much each pair of some ratings moves the coefficient of all of them; shape (pairs,)."""
    sums = PairSums(aim, len(ratings.categories), ratings.n_assessors)
    rows = sums.of_pairs(ratings.codes)
    found: Floats = rows @ sums.slopes(rows.sum(axis=0))
    return found


def expected_value(expected: OutcomeModel, aim: Target) -> float | None:
    """What a coefficient comes to where all is as expected; None where there is none."""
    sums = PairSums(aim, expected.grades, expected.assessors)
    found = float(sums.value(_VERY_MANY * (expected.shares @ sums.of_pairs(expected.codes))))
    return found if np.isfinite(found) else None


def deviations_by_label(expected: OutcomeModel, aim: Target) -> Floats:
    """The standard deviation, within each first label, of what a pair moves the coefficient; shape (q,)."""
    sums = PairSums(aim, expected.grades, expected.assessors)
    found = influence_values(expected.shares, sums.of_pairs(expected.codes), sums)
    if not np.isfinite(found.value):
        return np.ones(expected.grades)
    within = weighted_deviations(expected.shares, found.moves, expected.labels, expected.grades)
    rows = expected.by_label
    deviations: Floats = np.divide(within, rows, out=np.zeros_like(rows), where=rows > 0)
    return deviations


# By how much a sum is moved to see how a coefficient does, as a part of it: those of rare grades are small.
_STEP = 1e-5


@dataclass(frozen=True, slots=True)
class PairSums:
    """What the coefficient of an aim needs of pairs: sums over them, as rows of numbers.

    `grades` and `assessors` say how many there are; columns are those of a Tally, one after another.
    """

    aim: Target
    grades: int
    assessors: int

    def of_pairs(self, codes: Codes) -> Floats:
        """What each pair (column of `codes`, shape (assessors, pairs)) adds; shape (pairs, columns).

        A pair that fewer than two have judged adds nothing: it does not enter agreement.
        """
        pairs = codes.shape[1]
        each = Ratings(codes, tuple(range(self.grades)), np.arange(pairs), pairs)
        found = tally(
            each, self.aim.weights_of(self.grades), by_topic=True, by_assessor=self.aim.method == "unpooled"
        )
        rows = [getattr(found, one.name).reshape(pairs, -1) for one in fields(Tally)]
        sums: Floats = np.concatenate(rows, axis=1)
        sums[np.count_nonzero(codes != MISSING, axis=0) < 2] = 0.0
        return sums

    def value(self, sums: Floats) -> Floats:
        """The coefficient from sums (..., columns); NaN where there is none."""
        found = values(COEFFICIENTS[self.aim.method], self._tally(sums), self.aim.weights_of(self.grades))
        # What differs from 1 by rounding alone is one grade alone.
        return np.where(np.abs(found) <= 1e6, found, np.nan)

    def slopes(self, sums: Floats) -> Floats:
        """By how much the coefficient grows with each of the sums (..., columns); the same shape.

        From differences to both sides: a coefficient is a smooth quotient of its sums. To a sum that is
        nothing no pair adds, and its slope is given as nothing.
        """
        step = _STEP * np.abs(sums)
        found = np.empty_like(sums)
        for column in range(sums.shape[-1]):
            apart = step * (np.arange(sums.shape[-1]) == column)
            found[..., column] = self.value(sums + apart) - self.value(sums - apart)
        return np.divide(found, 2 * step, out=np.zeros_like(sums), where=step > 0)

    def _tally(self, sums: Floats) -> Tally:
        q = self.grades
        given = self.assessors if self.aim.method == "unpooled" else 0
        parts, at = [], 0
        for shape in ((), (), (), (q,), (q, q), (given, q)):
            part = sums[..., at : at + prod(shape)]
            parts.append(part.reshape((*sums.shape[:-1], *shape)))
            at += prod(shape)
        return Tally(*parts)


def intraclass_correlation(moves: Floats, topics: NDArray[np.int64]) -> float:
    """How much the pairs of one topic resemble one another in what they say of a coefficient, 0 to 1.

    `moves` (pairs,) is by how much each pair moves it, `topics` (pairs,) numbers their topics. The
    correlation within topics by analysis of variance; less than nothing counts as 0, and so does one topic
    alone. Source: Donner and Koval 1980; Kish 1965 for what follows from it.
    """
    sizes = np.bincount(topics).astype(np.float64)
    there = sizes > 0
    n, k = len(moves), int(there.sum())
    if k < 2 or n <= k or not np.isfinite(moves).all():
        return 0.0
    sums = np.bincount(topics, moves)
    means = np.divide(sums, sizes, out=np.zeros_like(sums), where=there)
    between = float((sizes * (means - moves.mean()) ** 2).sum()) / (k - 1)
    within = float(((moves - means[topics]) ** 2).sum()) / (n - k)
    usual = (n - float((sizes**2).sum()) / n) / (k - 1)
    below = between + (usual - 1) * within
    return min(max((between - within) / below, 0.0), 1.0) if below > 0 else 0.0


def assessor_bias(ratings: Ratings, enough: int) -> Floats:
    """How far everybody's shares of the grades are from the others' on the same pairs; shape (people, q).

    Of whoever has `enough` doubly judged pairs, the most first.
    """
    q = len(ratings.categories)
    there = ratings.codes != MISSING
    raters = there.sum(axis=0)
    counts = np.stack([(ratings.codes == place).sum(axis=0) for place in range(q)], axis=1)
    found = []
    for own, judged in zip(ratings.codes, there & (raters > 1), strict=True):
        n = int(judged.sum())
        if n >= enough:
            mine = np.bincount(own[judged], minlength=q) / n
            others = counts[judged] - np.eye(q)[own[judged]]
            found.append((n, mine - (others / (raters[judged][:, np.newaxis] - 1)).mean(axis=0)))
    found.sort(key=lambda one: -one[0])
    return np.array([apart for _, apart in found]).reshape(-1, q)


def mean_topic_size(sizes: ArrayLike) -> float:
    """The size of the topic in which a pair lies, on average over pairs: large topics count for more."""
    found = np.asarray(sizes, dtype=np.float64)
    return float((found**2).sum() / found.sum()) if found.sum() else 1.0
