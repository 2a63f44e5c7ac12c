"""Rankings of the same runs compared by the thousand: tau a and b, rho, tau AP and RBO as arrays.

`ReferenceRanking` is the ranking that others are compared with, and says what becomes of every two runs.

To add a coefficient: a function of two `Orders` and its line in `rank_coefficients`; tables, CSV and JSON
take it from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.scoring.judged_run import ratio, share
from workbench.scoring.relevance import Floats, Marks
from workbench.scoring.significance import FEWEST_TOPICS
from workbench.trust.alternatives import TopicScores

Signs = NDArray[np.float32]
PERSISTENCE = 0.9
"""The share of readers of a ranking who go on to its next run, as p of RBO."""
_DIGITS = 12  # means that differ by less are equal: no document changes them so little, rounding does
_BOUNDS = (0.025, 0.975)
LEVEL = 0.05
# Below this share of the runs' own variance that of their difference is lost to rounding: it is taken from
# the differences themselves.
_LOST = 1e-9
_SLACK = 1e-12  # differences whose deviation is this share of the largest are equal but for rounding


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """Orders of the same runs by their means.

    `means` are rounded to 12 digits, shape (orders, runs). `signs`, shape (orders, runs, runs), are 1 where
    the first of two runs is ahead, -1 where it is behind and 0 where they are tied.
    """

    means: Floats
    signs: Signs

    @property
    def untied(self) -> Floats:
        """Twice the pairs of runs that are not tied in each order."""
        return np.asarray(np.abs(self.signs).sum(axis=(1, 2)), dtype=np.float64)

    @property
    def tied(self) -> NDArray[np.intp]:
        """How many pairs of runs are tied in each order."""
        runs = self.means.shape[1]
        return np.asarray((runs * (runs - 1) - self.untied) / 2, dtype=np.intp)

    @property
    def ranks(self) -> NDArray[np.intp]:
        """The rank of every run, from 1, best first; of a tie all have the best. Shape (orders, runs)."""
        return np.asarray(1 + (self.signs < 0).sum(axis=2), dtype=np.intp)

    def part(self, which: slice) -> Orders:
        """Some of the orders."""
        return Orders(self.means[which], self.signs[which])


def orders_of(means: Floats) -> Orders:
    """The orders that means make of the runs; `means` of shape (orders, runs)."""
    rounded = np.round(means, _DIGITS)
    signs = np.sign(rounded[:, :, np.newaxis] - rounded[:, np.newaxis, :], dtype=np.float64)
    # Their sums are whole numbers, exact in single precision for as many as four thousand runs.
    return Orders(rounded, signs.astype(np.float32))


def tau_a(one: Orders, other: Orders) -> Floats:
    """Kendall's tau a: concordant less discordant pairs of runs, over all pairs; a tie counts as neither.

    As the coefficients below: of each order with its counterpart (or one order with all), shape (orders,);
    NaN where undefined. Source: Kendall 1938.
    """
    runs = one.means.shape[1]
    concordant = _concordant(one, other)
    return concordant / (runs * (runs - 1)) if runs > 1 else np.full(len(concordant), np.nan)


def tau_b(one: Orders, other: Orders) -> Floats:
    """Kendall's tau b: over the pairs that are not tied in the first and in the second. Source: Kendall 1945.

    Undefined where one ties all runs.
    """
    return ratio(_concordant(one, other), np.sqrt(one.untied * other.untied))


def rho(one: Orders, other: Orders) -> Floats:
    """Spearman's rho: the correlation of ranks, tied runs sharing their mean. Source: Spearman 1904.

    Undefined where one ties all runs.
    """
    # A run's mean rank is (runs + 1 - those it is ahead of + those it is behind) / 2: the sums are as good.
    first, second = (orders.signs.sum(axis=2, dtype=np.float64) for orders in (one, other))
    product = (first * second).sum(axis=1)
    return ratio(product, np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1)))


def tau_ap(one: Orders, other: Orders) -> Floats:
    """Tau AP of two orders neither of which is the truth: tau AP,b, which weighs the top more.

    As in `scoring.rank_correlation`: Yilmaz, Aslam and Robertson 2008, with ties as in Urbano and
    Marrero 2017. Undefined where one ties all runs.
    """
    return (_one_way(one.signs, other.signs) + _one_way(other.signs, one.signs)) / 2


def rank_biased_overlap(one: Orders, other: Orders, *, p: float = PERSISTENCE) -> Floats:
    """Rank-biased overlap, extrapolated (RBO ext): of tied runs the first in the order given comes first.

    (1 - p) times the sum of p ** (d - 1) A(d) over depths d from 1 to the number of runs, plus p to the
    power of that number, A(d) being the share of the first d that both have. From 0 to 1; at p = .9 the
    first ten runs have 86 % of the weight. Undefined for no run. Source: Webber, Moffat and Zobel 2010.
    """
    runs = one.means.shape[1]
    if not runs:
        return np.full(max(len(one.means), len(other.means)), np.nan)
    places = [np.argsort(np.argsort(-orders.means, axis=1, kind="stable"), axis=1) for orders in (one, other)]
    # Both have a run among their first d once d has reached the lower of its two places.
    lower = np.sort(np.maximum(*places), axis=1)
    depths = np.arange(runs)
    shared = np.array([np.searchsorted(row, depths, side="right") for row in lower]).reshape(-1, runs)
    agreement = shared / (depths + 1)
    found: Floats = (1 - p) * (agreement @ p**depths) + p**runs * agreement[:, -1]
    return found


@frozen_dataclass
class RankCoefficient:
    """A coefficient of two orders of runs: its name for programs, its name for people, its source."""

    name: str
    label: str
    source: str
    compute: Callable[[Orders, Orders], Floats]


def rank_coefficients(p: float = PERSISTENCE) -> tuple[RankCoefficient, ...]:
    """The coefficients of every comparison of rankings, in the order of tables; `p` is that of RBO."""
    return (
        RankCoefficient("tau_b", "tau b", "Kendall 1945", tau_b),
        RankCoefficient("tau_a", "tau a", "Kendall 1938", tau_a),
        RankCoefficient("rho", "rho", "Spearman 1904", rho),
        RankCoefficient("tau_ap", "tau AP", "Yilmaz et al. 2008; Urbano and Marrero 2017", tau_ap),
        RankCoefficient("rbo", "RBO", f"Webber et al. 2010, p = {p:g}", partial(rank_biased_overlap, p=p)),
    )


def _concordant(one: Orders, other: Orders) -> Floats:
    """Twice the concordant less the discordant pairs."""
    return np.asarray((one.signs * other.signs).sum(axis=(1, 2)), dtype=np.float64)


def _one_way(one: Signs, other: Signs) -> Floats:
    above = one < 0
    counts = above.sum(axis=2)
    agreed = (above & (other < 0)).sum(axis=2)
    shares = share(agreed, counts)
    below_top = np.broadcast_to((counts > 0).sum(axis=1), len(shares)).astype(np.float64)
    return 2 * ratio(shares.sum(axis=1), below_top) - 1


@frozen_dataclass
class Percentiles:
    """The mean of a figure over `n` draws in which it is defined, and its 2.5th and 97.5th percentile.

    All three are None where it is defined in no draw. Draws are mixtures of assessors, or splits of topics.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int


def percentiles_of(values: Floats) -> Percentiles:
    """The mean and the percentiles of a figure, shape (draws,); NaN stands for undefined."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Percentiles(None, None, None, 0)
    low, high = np.quantile(known, _BOUNDS).tolist()
    return Percentiles(float(known.mean()), low, high, len(known))


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """Student's paired t test over topics of every two of `runs` runs, two-sided at a `level`.

    With `holm` the chance of even one false difference among all pairs is kept below the level (Holm 1979),
    else each pair is tested by itself. A pair whose difference is the same on every topic is not tested,
    nor any over fewer than FEWEST_TOPICS topics.
    """

    runs: int
    topics: int
    level: float = LEVEL
    holm: bool = True

    def __post_init__(self) -> None:
        """Raises WorkbenchError for a level that is no probability."""
        if not 0 < self.level < 1:
            raise WorkbenchError(
                f"{self.level:g} is not a level of significance",
                remedy="use a number between 0 and 1, such as 0.05",
            )

    @property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The first and the second run of every pair, in the order of `itertools.combinations`."""
        first, second = np.triu_indices(self.runs, k=1)
        return first, second

    def t(self, scores: Floats) -> Floats:
        """The t of every pair, first less second; NaN where it is not tested.

        `scores` have the shape (qrels, topics, runs), the result (qrels, pairs).
        """
        first, second = self.pairs
        if self.topics < FEWEST_TOPICS:
            return np.full((len(scores), len(first)), np.nan)
        means = scores.mean(axis=1)
        centred = scores - means[:, np.newaxis, :]
        products = centred.transpose(0, 2, 1) @ centred
        own = np.diagonal(products, axis1=1, axis2=2)
        both = own.take(first, axis=1) + own.take(second, axis=1)
        crossed = products.reshape(len(products), -1).take(first * self.runs + second, axis=1)
        squares = both - 2 * crossed
        lost = np.nonzero(squares < _LOST * both)
        differences = scores[lost[0], :, first[lost[1]]] - scores[lost[0], :, second[lost[1]]]
        exact = ((differences - differences.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        largest = np.abs(differences).max(axis=1, initial=0.0)
        squares[lost] = np.where(exact > self.topics * (_SLACK * largest) ** 2, exact, 0.0)
        gaps = means.take(first, axis=1) - means.take(second, axis=1)
        errors = np.sqrt(np.maximum(squares, 0.0) / (self.topics - 1) / self.topics)
        return ratio(gaps, errors)

    def significant(self, scores: Floats) -> NDArray[np.int8]:
        """1 where the first run is significantly ahead, -1 where it is behind, else 0; shape (qrels, pairs).

        `scores` have the shape (qrels, topics, runs).
        """
        t = self.t(scores)
        sizes = np.where(np.isnan(t), -1.0, np.abs(t))
        ordered = -np.sort(-sizes, axis=1)
        # The largest of m is compared with the critical value among m pairs, the next with that among m - 1,
        # until one falls short: as Holm's p values, without computing any.
        among = (sizes >= 0).sum(axis=1, keepdims=True) - np.arange(sizes.shape[1])
        critical = _critical(sizes.shape[1], self.topics, self.level, self.holm)[np.maximum(among, 0)]
        passed = np.logical_and.accumulate(ordered >= critical, axis=1)
        counts = passed.sum(axis=1)
        least = np.where(counts > 0, ordered[np.arange(len(ordered)), np.maximum(counts, 1) - 1], np.inf)
        return np.where(sizes >= least[:, np.newaxis], np.sign(np.nan_to_num(t)), 0).astype(np.int8)


@cache
def _critical(pairs: int, topics: int, level: float, holm: bool) -> Floats:
    """The t that is significant among 0, 1, ... pairs, shape (pairs + 1,); among none nothing is."""
    # Imported where it is used: commands that compute nothing need not wait for it.
    from scipy.special import stdtrit

    among = np.arange(1, pairs + 1) if holm else np.ones(pairs)
    return np.append(np.inf, -stdtrit(max(1, topics - 1), level / 2 / among))


MIXTURES = 1000


@frozen_dataclass
class RankingOptions:
    """How rankings are compared: against which qrels, with how many mixtures, and tests at which level.

    `persistence` is p of RBO; with `holm` the tests are corrected for the number of pairs of runs.
    """

    reference: str
    mixtures: int = MIXTURES
    seed: int = 0
    level: float = LEVEL
    holm: bool = True
    persistence: float = PERSISTENCE

    def __post_init__(self) -> None:
        """Raises WorkbenchError for a persistence that is no probability."""
        if not 0 < self.persistence < 1:
            raise WorkbenchError(
                f"p of RBO cannot be {self.persistence:g}",
                remedy="give a number between 0 and 1, such as 0.9",
            )


class ReferenceRanking:
    """The ranking under the reference, on those of its topics that others have, and its significant pairs."""

    def __init__(
        self, scores: TopicScores, place: int, options: RankingOptions, topics: Marks | None = None
    ) -> None:
        covered = scores.covered[place]
        self.topics = covered if topics is None else covered & topics
        self.options = options
        self.tests = PairTests(len(scores.runs), int(self.topics.sum()), options.level, options.holm)
        values = scores.values[place][self.topics][np.newaxis]
        self.orders = orders_of(means_of(values))
        self.significant = self.tests.significant(values)
        self.upper = self.tests.pairs

    def signs(self, orders: Orders) -> NDArray[np.int8]:
        """Of every two runs which is ahead: 1 the first, -1 the second, 0 neither; shape (orders, pairs)."""
        return orders.signs[:, *self.upper].astype(np.int8)


def means_of(values: Floats) -> Floats:
    """Means over topics of values of shape (qrels, topics, runs); 0 of no topic."""
    return values.mean(axis=1) if values.shape[1] else np.zeros((len(values), values.shape[2]))


def changed_pairs(
    one: ReferenceRanking, orders: Orders, significant: NDArray[np.int8]
) -> dict[str, NDArray[np.bool_]]:
    """What becomes of every pair of runs under other orders, with what is significant there.

    Which pairs are swapped, lost, inverted and gained, by these names; shapes (qrels, pairs).
    """
    return {
        "swapped": one.signs(one.orders) * one.signs(orders) < 0,
        "lost": (one.significant != 0) & (significant == 0),
        "inverted": one.significant * significant < 0,
        "gained": (one.significant == 0) & (significant != 0),
    }
