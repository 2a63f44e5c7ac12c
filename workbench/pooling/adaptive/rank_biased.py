"""Rank-biased precision as a guide: RBP methods B and C choose by what each run still leaves open."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from workbench.pooling.adaptive.live import Free, JudgmentsOnly, Retrieved, adaptive_strategy
from workbench.pooling.candidates import Floats, TopicCandidates, heaviest
from workbench.pooling.fusion import PERSISTENCE


class Residual(JudgmentsOnly, ABC):
    """Hands out the document with the largest sum over the runs of its rank-biased weight times the run's.

    The weight of rank r is (1 - p) p^(r - 1). A run's base is the weight of its documents judged relevant,
    its residual the weight of all that is not judged, retrieved or not. Of equal sums (to 12 digits) the
    docno that comes last (bytes) goes first, as in the strategy rbp.
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
    """Weighs a run by its residual. Source: Moffat, Webber and Zobel 2007, method B."""

    def importance(self) -> Floats:
        return self.residual


RBP_B = adaptive_strategy(
    "rbp-b",
    "the document with the most unjudged RBP weight over all runs",
    "Moffat, Webber and Zobel 2007, method B",
    MethodB,
    PERSISTENCE,
)


class MethodC(Residual):
    """Weighs a run by its residual times the cube of its base and half its residual.

    Source: Moffat, Webber and Zobel 2007, method C.
    """

    def importance(self) -> Floats:
        return self.residual * (self.base + self.residual / 2) ** 3


RBP_C = adaptive_strategy(
    "rbp-c",
    "as rbp-b, with more weight for runs that do well",
    "Moffat, Webber and Zobel 2007, method C",
    MethodC,
    PERSISTENCE,
)
