"""By how much a pair moves a coefficient: from this follow its variance, plans, and what samples say.

A coefficient is a smooth function of sums over pairs, so that in large samples its variance is that of its
slope in the sums times what a pair adds to them. For a table of two this is the variance of Fleiss, Cohen and
Everitt 1969; the method is that of Gwet 2014 and, for samples by stratum, of Cochran 1977, section 5A.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.ratings import Ratings
from workbench.agreement.sample_aims import Aim, Sums
from workbench.agreement.sample_expected import Expected
from workbench.agreement.sample_size import Draw, Floats, Needed, needed_of

# So many pairs that small-sample corrections, as alpha has, are nothing.
_VERY_MANY = 1e7
# Numbers that are held at once while samples are simulated.
_AT_ONCE = 2**21


@dataclass(frozen=True, slots=True, eq=False)
class Reckoned:
    """Some shares of outcomes (..., outcomes), seen as so many pairs: the coefficient, and what moves it.

    `value` (...) is the coefficient, `moves` (..., outcomes) by how much it grows with each share.
    """

    value: Floats
    moves: Floats


def reckoned(shares: Floats, rows: Floats, sums: Sums, pairs: float = _VERY_MANY) -> Reckoned:
    """The coefficient and its moves from shares of outcomes, which add `rows` (outcomes, columns) to sums."""
    whole = pairs * (shares @ rows)
    return Reckoned(sums.value(whole), pairs * (sums.slopes(whole) @ rows.T))


def spreads(shares: Floats, moves: Floats, strata: NDArray[np.int64], count: int) -> Floats:
    """w_h s_h of every stratum: its share times the deviation within it of moves; shape (..., count).

    `strata` (outcomes,) numbers the stratum of each outcome.
    """
    inside = (strata[:, np.newaxis] == np.arange(count)).astype(np.float64)
    weight, mean = shares @ inside, (shares * moves) @ inside
    # Within a stratum, squares less the square of the mean, each times the stratum's share.
    squared = ((shares * moves**2) @ inside) * weight - mean**2
    found: Floats = np.sqrt(np.maximum(squared, 0.0))
    return found


def needed_for(
    expected: Expected,
    aim: Aim,
    *,
    half_width: float,
    draw: Draw,
    level: float,
    topic_size: float = 1.0,
    likeness: float = 0.0,
) -> Needed:
    """How many pairs give the interval of a coefficient this half width, where all is as expected."""
    sums = Sums(aim, expected.grades, expected.assessors)
    found = reckoned(expected.shares, sums.of_pairs(expected.codes), sums)
    alone = np.zeros(len(expected.shares), dtype=np.int64)
    return needed_of(
        float(found.value),
        at_random=float(spreads(expected.shares, found.moves, alone, 1)[0]) ** 2,
        weighed=spreads(expected.shares, found.moves, expected.labels, expected.grades),
        half_width=half_width,
        draw=draw,
        level=level,
        topic_size=topic_size,
        likeness=likeness,
        coefficient=aim.label,
        assessors=expected.assessors,
    )


def moves_of(ratings: Ratings, aim: Aim) -> Floats:
    """By how much each pair of some ratings moves the coefficient of all of them; shape (pairs,)."""
    sums = Sums(aim, len(ratings.categories), ratings.n_assessors)
    rows = sums.of_pairs(ratings.codes)
    found: Floats = rows @ sums.slopes(rows.sum(axis=0))
    return found


def expected_value(expected: Expected, aim: Aim) -> float | None:
    """What a coefficient comes to where all is as expected; None where there is none."""
    sums = Sums(aim, expected.grades, expected.assessors)
    found = float(sums.value(_VERY_MANY * (expected.shares @ sums.of_pairs(expected.codes))))
    return found if np.isfinite(found) else None


def deviations_by_label(expected: Expected, aim: Aim) -> Floats:
    """The standard deviation, within each first label, of what a pair moves the coefficient; shape (q,)."""
    sums = Sums(aim, expected.grades, expected.assessors)
    found = reckoned(expected.shares, sums.of_pairs(expected.codes), sums)
    if not np.isfinite(found.value):
        return np.ones(expected.grades)
    within = spreads(expected.shares, found.moves, expected.labels, expected.grades)
    rows = expected.by_label
    deviations: Floats = np.divide(within, rows, out=np.zeros_like(rows), where=rows > 0)
    return deviations


def simulated(
    expected: Expected, aim: Aim, needed: Needed, *, rounds: int, seed: int
) -> tuple[Floats, Floats]:
    """The coefficient of each simulated sample of a plan, at random or by label, and its variance as seen."""
    generator = np.random.default_rng(seed)
    sums = Sums(aim, expected.grades, expected.assessors)
    rows = sums.of_pairs(expected.codes)
    by_label = needed.draw is Draw.LABEL
    drawn = np.asarray(needed.by_label if by_label else [needed.pairs], dtype=np.float64)
    strata = expected.labels if by_label else np.zeros(len(rows), dtype=np.int64)
    whole = np.bincount(strata, expected.shares, minlength=len(drawn))
    values, variances = [], []
    for some in np.array_split(np.arange(rounds), max(1, rounds * len(rows) // _AT_ONCE)):
        found = np.zeros((len(some), len(rows)))
        for number, (n, weight) in enumerate(zip(drawn, whole, strict=True)):
            own = np.flatnonzero(strata == number)
            if weight:
                chances = expected.shares[own] / weight
                found[:, own] = generator.multinomial(int(n), chances, size=len(some)) * (weight / n)
        seen = reckoned(found, rows, sums, float(drawn.sum()))
        values.append(seen.value)
        # With one pair in a stratum its spread cannot be seen; n - 1 as for any variance from a sample.
        squares = spreads(found, seen.moves, strata, len(drawn)) ** 2
        variances.append((squares / np.maximum(drawn - 1, 1)).sum(axis=-1))
    return np.concatenate(values), np.concatenate(variances)
