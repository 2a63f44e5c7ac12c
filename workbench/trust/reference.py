"""The ranking of runs that others are compared with, and what becomes of every two runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError
from workbench.scoring.relevance import Floats
from workbench.trust.alternatives import Marks, TopicScores
from workbench.trust.orders import PERSISTENCE, Orders, orders_of
from workbench.trust.pair_tests import LEVEL, PairTests

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
            raise WorkbenchError(f"RBO has no p of {self.persistence:g}", remedy="between 0 and 1, as 0.9")


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


@dataclass(frozen=True, slots=True, eq=False)
class RankingChange:
    """What becomes of every pair of runs; shapes (qrels, pairs)."""

    swapped: NDArray[np.bool_]
    lost: NDArray[np.bool_]
    inverted: NDArray[np.bool_]
    gained: NDArray[np.bool_]

    @classmethod
    def between(cls, one: ReferenceRanking, orders: Orders, significant: NDArray[np.int8]) -> RankingChange:
        """What becomes of the pairs under other orders, with what is significant there."""
        before, after = one.signs(one.orders), one.signs(orders)
        return cls(
            swapped=before * after < 0,
            lost=(one.significant != 0) & (significant == 0),
            inverted=one.significant * significant < 0,
            gained=(one.significant == 0) & (significant != 0),
        )
