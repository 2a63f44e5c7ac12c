"""Rank-biased precision as a guide: RBP methods B and C choose by what each run still leaves open."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import partial

import numpy as np

from workbench.pooling.adaptive.live import Adaptive, Free, JudgmentsOnly, Retrieved, adaptive_pool
from workbench.pooling.candidates import Floats, TopicCandidates, heaviest
from workbench.pooling.fusion import PERSISTENCE
from workbench.pooling.planning import size_of_adaptive
from workbench.pooling.strategy import BUDGET, DEPTH_READ, Strategy, to_its_depth
from workbench.records import Run, TieRule


class Residual(JudgmentsOnly, ABC):
    """Hands out the document with the largest sum over the runs of its rank-biased weight times the run's.

    The weight of rank r is (1 - p) p^(r - 1). A run's base is the weight of its documents judged relevant,
    its residual the weight of all that is not judged, retrieved or not. Of equal sums (to 12 digits) the
    docno that comes last (bytes) goes first, as in `rbp_pool`.
    """

    def __init__(self, topic: TopicCandidates, *, p: float) -> None:
        self._brought = Retrieved(topic)
        self._parts = (1 - p) * p ** (self._brought.ranks - 1)
        self._runs = len(topic.lists)
        self.forget()

    @abstractmethod
    def importance(self) -> Floats:
        """The weight of every run, in the order of the tags."""

    @property
    def weights(self) -> Floats:
        """The weight of every document, in the order of the docnos."""
        return self._brought.summed(self._parts * self.importance()[self._brought.runs])

    def choose(self, free: Free) -> int | None:
        open_places = np.flatnonzero(free)
        if not len(open_places):
            return None
        # A residual that is judged away can come out a rounding error below 0.
        return int(open_places[heaviest(np.maximum(self.weights[open_places], 0.0), 1)[0][0]])

    def learn(self, document: int, relevant: bool) -> None:
        at = self._brought.of(document)
        self.residual[self._brought.runs[at]] -= self._parts[at]
        if relevant:
            self.base[self._brought.runs[at]] += self._parts[at]

    def forget(self) -> None:
        self.base = np.zeros(self._runs)
        self.residual = np.ones(self._runs)


class MethodB(Residual):
    """Weighs a run by its residual."""

    def importance(self) -> Floats:
        return self.residual


def rbp_b(
    runs: Iterable[Run],
    *,
    depth: int = 100,
    budget: int = 100,
    p: float = 0.8,
    ties: TieRule = TieRule.TREC_EVAL,
) -> Adaptive:
    """A pool that hands out what takes most of the runs' residuals away; see `Residual`.

    Raises as `adaptive_pool`. Source: Moffat, Webber and Zobel 2007, method B.
    """
    return adaptive_pool(runs, partial(MethodB, p=p), depth=depth, budget=budget, ties=ties)


RBP_B = Strategy(
    "rbp-b",
    "the document with the most unjudged RBP weight over all runs",
    "Moffat, Webber and Zobel 2007, method B",
    (DEPTH_READ, BUDGET, PERSISTENCE),
    rbp_b,
    size=size_of_adaptive,
    depth_read=to_its_depth,
)


class MethodC(Residual):
    """Weighs a run by its residual times the cube of its base and half its residual."""

    def importance(self) -> Floats:
        return self.residual * (self.base + self.residual / 2) ** 3


def rbp_c(
    runs: Iterable[Run],
    *,
    depth: int = 100,
    budget: int = 100,
    p: float = 0.8,
    ties: TieRule = TieRule.TREC_EVAL,
) -> Adaptive:
    """A pool that hands out what weighs most in runs that may turn out best; see `Residual`.

    Raises as `adaptive_pool`. Source: Moffat, Webber and Zobel 2007, method C.
    """
    return adaptive_pool(runs, partial(MethodC, p=p), depth=depth, budget=budget, ties=ties)


RBP_C = Strategy(
    "rbp-c",
    "as rbp-b, with more weight for runs that do well",
    "Moffat, Webber and Zobel 2007, method C",
    (DEPTH_READ, BUDGET, PERSISTENCE),
    rbp_c,
    size=size_of_adaptive,
    depth_read=to_its_depth,
)
