"""Rankings of the same runs compared by the thousand: tau a and b, rho, tau AP and RBO as arrays.

To add a coefficient: a function of two `Orders` and its line in `rank_coefficients`; tables, CSV and JSON
take it from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.scoring.judged_run import ratio, share
from workbench.scoring.relevance import Floats

Signs = NDArray[np.float32]
PERSISTENCE = 0.9
"""The share of readers of a ranking who go on to its next run, as p of RBO."""
_DIGITS = 12  # means that differ by less are equal: no document changes them so little, rounding does


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


@dataclass(frozen=True, slots=True)
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
