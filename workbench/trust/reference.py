"""The ranking of runs that others are compared with, and what becomes of every two runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError
from workbench.scoring.judged_run import ratio
from workbench.scoring.relevance import Floats
from workbench.scoring.significance import FEWEST_TOPICS
from workbench.trust.alternatives import Marks, TopicScores
from workbench.trust.orders import PERSISTENCE, Orders, orders_of

LEVEL = 0.05
# Below this share of the runs' own variance that of their difference is lost to rounding: it is taken from
# the differences themselves.
_LOST = 1e-9
_SLACK = 1e-12  # differences whose deviation is this share of the largest are equal but for rounding


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


@dataclass(frozen=True, slots=True)
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
