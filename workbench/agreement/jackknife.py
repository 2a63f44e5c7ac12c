"""Intervals over topics: a figure without each topic in turn (the jackknife).

Documents of a topic are not independent of one another: a topic is the unit that was drawn. Where relevance
is rare a few rich topics decide a kappa, so that what counts is not how many topics there are but how many as
rich ones they are worth. What the intervals keep was simulated: `python -m tests.promises agreement`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.coefficients import coefficient_named
from workbench.agreement.intervals import CONSTANT, LEVEL, Interval, kappa_bounds, student_t
from workbench.agreement.ratings import Ratings
from workbench.agreement.tally import Floats, Tally, cells_of, quotient
from workbench.agreement.weights import weights_of
from workbench.errors import WorkbenchError

FEWEST_TOPICS = 5
"""Of fewer effective topics no interval is shown: with three or four it covers as little as half."""
METHOD = "jackknife over topics"
_EQUAL = 1e-12  # figures that are no further apart are equal but for rounding
_MOST = 0.999  # a figure of 1 without a topic would be infinitely far away


class Transform(Enum):
    """Where a figure is about normal: kappas by atanh, shares by the same of twice the share less 1."""

    KAPPA = "kappa"
    SHARE = "share"
    PLAIN = "plain"

    def there(self, values: Floats) -> Floats:
        """Values on the scale."""
        if self is Transform.PLAIN:
            return values
        return np.arctanh(np.clip(values if self is Transform.KAPPA else 2 * values - 1, -_MOST, _MOST))

    def back(self, values: Floats) -> Floats:
        """Values from the scale."""
        if self is Transform.PLAIN:
            return values
        found: Floats = np.tanh(values)
        return found if self is Transform.KAPPA else (found + 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class TopicShares:
    """How much each topic tells of several figures; shapes (figures, topics).

    `rich` is how many documents of a topic have another grade than the most frequent (a mean over assessors),
    `there` which topics count at all.
    """

    rich: Floats
    there: NDArray[np.bool_]

    @property
    def effective(self) -> Floats:
        """How many equally rich topics these are worth; shape (figures,). Source: Kish 1965."""
        return quotient(self.rich.sum(axis=-1) ** 2, (self.rich**2).sum(axis=-1))


def freedom(effective: float) -> float:
    """Degrees of freedom of the error over so many effective topics: half of them less one, and 2 at least.

    How far apart topics stand is known worse than their number says, since the few rich ones decide that too.
    In simulations one less than their number lets intervals of kappa hold .84 to .95 of the truth, and this
    .90 or more in every design of 2 to 8 assessors in which they are shown as a rule.
    """
    return max(effective / 2 - 1, 2.0)


def others(sums: Floats, axis: int = 0) -> Floats:
    """The sums of all but each along an axis, without taking away: that leaves rounding, not 0."""
    along = np.moveaxis(sums, axis, 0)
    before, after = np.zeros_like(along), np.zeros_like(along)
    np.cumsum(along[:-1], axis=0, out=before[1:])
    after[:-1] = np.cumsum(along[:0:-1], axis=0)[::-1]
    return np.moveaxis(before + after, 0, axis)


def intervals(
    whole: Floats,
    without: Floats,
    evidence: TopicShares,
    transform: Transform,
    *,
    level: float = LEVEL,
    unit: str = "topic",
) -> tuple[Interval, ...]:
    """The intervals of several figures (figures,) from those without each topic (figures, topics).

    t intervals of the mean of pseudo-values on the scale. Source: Tukey 1958; Miller 1974 for
    transformations.
    """
    there = evidence.there
    many = there.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        at, all_at = transform.there(without), transform.there(whole)
        mean = np.where(there, at, 0.0).sum(axis=-1) / many
        error = np.sqrt(
            (many - 1) / many * np.where(there, (at - mean[:, np.newaxis]) ** 2, 0.0).sum(axis=-1)
        )
        middle = many * all_at - (many - 1) * mean
    effective = evidence.effective
    found = []
    for n in range(len(whole)):
        of_topics = np.where(there[n], without[n], whole[n])
        why = ""
        low = high = None
        if effective[n] < FEWEST_TOPICS - _EQUAL:
            why = _too_few(int(many[n]), float(effective[n]), unit)
        elif not np.isfinite(of_topics).all() or not np.isfinite(whole[n]):
            why = f"it is undefined without one of the {unit}s"
        elif np.abs(of_topics - whole[n]).max(initial=0.0) <= _EQUAL:
            why = CONSTANT
        elif transform is not Transform.PLAIN and of_topics.max() >= 1 - _EQUAL:
            why = (
                f"without one of the {unit}s all agree: that {unit} alone would decide how wide the "
                "interval is"
            )
        else:
            reach = student_t((1 + level) / 2, freedom(float(effective[n]))) * error[n]
            low, high = transform.back(np.array([middle[n] - reach, middle[n] + reach])).tolist()
        found.append(
            Interval(low, high, level, f"jackknife over {unit}s", int(many[n]), float(effective[n]), why)
        )
    return tuple(found)


def _too_few(many: int, effective: float, unit: str) -> str:
    """Why so few topics, or groups, give no interval."""
    needed = f"an interval needs {FEWEST_TOPICS}"
    if many < FEWEST_TOPICS:
        return f"{needed} {unit}s or more; there {'is' if many == 1 else 'are'} {many}"
    weight = f"a few of the {many} {unit}s carry most of the weight"
    return f"{weight}: together they count as {effective:.1f} equal {unit}s, and {needed}"


def over_units(
    whole: float,
    without: Floats,
    rich: Floats,
    transform: Transform,
    *,
    level: float = LEVEL,
    unit: str = "topic",
) -> Interval:
    """The interval of one figure from those without each topic; `without` and `rich` are (topics,)."""
    evidence = TopicShares(rich[np.newaxis], np.ones((1, len(rich)), np.bool_))
    (found,) = intervals(np.array([whole]), without[np.newaxis], evidence, transform, level=level, unit=unit)
    return found


def over_groups(values: Floats, groups: ArrayLike, *, unit: str) -> Interval:
    """The interval of a mean; the values of a group, numbered from 0, are one unit, since they go together.

    Groups whose values are hardly above or below 0 hardly count.
    """
    counts, sums = np.bincount(np.asarray(groups)), np.bincount(np.asarray(groups), weights=values)
    with np.errstate(invalid="ignore"):
        without = (sums.sum() - sums) / (counts.sum() - counts)
    return over_units(float(values.mean()), without, np.abs(sums), Transform.PLAIN, unit=unit)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The sums of several ratings by topic (ratings, topics, ...), from which intervals follow."""

    # No slots: sums without each topic are found once.
    rows: Tally
    level: float = LEVEL

    @cached_property
    def whole(self) -> Tally:
        """The sums over all topics; (ratings, ...)."""
        return self.rows.each(lambda sums: sums.sum(axis=1))

    @cached_property
    def without(self) -> Tally:
        """The sums without each topic; (ratings, topics, ...)."""
        return self.rows.each(lambda sums: others(sums, axis=1))

    @cached_property
    def evidence(self) -> TopicShares:
        """How much each topic tells, by the grades other than the most frequent of the whole."""
        shares = self.rows.shares
        most = self.whole.shares.argmax(axis=-1)[:, np.newaxis, np.newaxis]
        rich = shares.sum(axis=-1) - np.take_along_axis(shares, most, axis=-1)[..., 0]
        return TopicShares(np.maximum(rich, 0.0), self.rows.rated > 0)


NAME = "linearised variance over pairs, Gwet 2014"


def linearised(
    ratings: Ratings, name: str, *, weights: str | ArrayLike = "nominal", level: float = LEVEL
) -> Interval:
    """The interval of a coefficient over the pairs as if these were independent.

    The bounds are no further than the coefficient can be: 1, and its lowest value. Raises WorkbenchError for
    a coefficient that has no such variance here.
    """
    coefficient = coefficient_named(name)
    if not coefficient.linearised:
        raise WorkbenchError(
            f"{coefficient.label} has no linearised variance here", remedy="take the interval over topics"
        )
    chosen = weights_of(weights, ratings.categories)
    cells = cells_of(ratings)
    times = cells.times.astype(np.float64)
    n = int(times.sum())
    counts = cells.counts.T.astype(np.float64)
    raters = counts.sum(axis=1)
    doubly = raters >= 2
    both = float(times @ doubly)
    none = partial(Interval, None, None, level, NAME, n, None)
    if n < 2 or not both:
        return none("an interval needs two pairs or more")
    agreeing = 1.0 - chosen
    # The share of ordered assessors of a pair that agree, by weight; 0 where fewer than two judged it.
    agreed = quotient((counts * (counts @ agreeing - 1.0)).sum(axis=1), raters * (raters - 1))
    shares = counts / raters[:, np.newaxis]
    p = (shares * times[:, np.newaxis]).sum(axis=0) / n
    chance, chance_of_pair = coefficient.chance_by_pair(shares, p, agreeing)
    if chance >= 1:
        return none("the coefficient is undefined")
    observed = float(times @ agreed) / both
    value = (observed - chance) / (1 - chance)
    own = n / both * (agreed - chance * doubly) / (1 - chance)
    own -= 2 * (1 - value) * (chance_of_pair - chance) / (1 - chance)
    error = float(np.sqrt(times @ (own - value) ** 2 / (n * (n - 1.0))))
    if error <= 1e-12:
        return none(CONSTANT)
    reach = student_t((1 + level) / 2, n - 1) * error
    return Interval(*kappa_bounds(value, reach, least=coefficient.least(chance)), level, NAME, n)
