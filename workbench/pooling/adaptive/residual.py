"""What rank-biased precision leaves open: how much of each run is judged, and how much of it is relevant."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from workbench.pooling.adaptive.chooser import Free, JudgmentsOnly, Retrieved
from workbench.pooling.candidates import Floats, TopicCandidates, heaviest


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
