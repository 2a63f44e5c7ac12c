"""Hedge: learns online how far each run is to be trusted, and hands out what the trusted agree on."""

from __future__ import annotations

import math

import numpy as np

from workbench.pooling.adaptive.live import Free, JudgmentsOnly, Retrieved, adaptive_strategy
from workbench.pooling.candidates import Floats, TopicCandidates, heaviest
from workbench.pooling.strategy import NUMBER, WHOLE, Parameter


class Hedge(JudgmentsOnly):
    """Weighs runs by their losses, and documents by the weighted mean of what the runs claim for them.

    A run claims 1/2 ln(z / rank) for a document, nothing beyond rank z, and for one that it did not retrieve
    the mean of the claims of the ranks below its list up to z. Its loss for a judged document is this claim,
    negative if the document is relevant; its weight is multiplied by beta ^ loss, and the weights sum to 1.
    Of documents with equal means (to 12 digits) the first docno (bytes) goes first.
    Source: Aslam, Pavlu and Savell 2003; the order of ties is ours.
    """

    def __init__(self, topic: TopicCandidates, *, z: int, beta: float) -> None:
        self._brought = Retrieved(topic)
        self._documents = len(topic.docnos)
        self._log_beta = math.log(beta)
        self._claims = 0.5 * np.log(np.maximum(z / self._brought.ranks, 1.0))
        self._elsewhere = _claims_below(z, [len(ranked.documents) for ranked in topic.lists])
        self.forget()

    @property
    def weights(self) -> Floats:
        """The weight of every run, in the order of the tags."""
        shifted = np.exp(self._log_weights - self._log_weights.max())
        weights: Floats = shifted / shifted.sum()
        return weights

    def choose(self, free: Free) -> int | None:
        open_places = np.flatnonzero(free)
        if not len(open_places):
            return None
        weights = self.weights
        above = self._claims - self._elsewhere[self._brought.runs]
        mixture = self._brought.summed(weights[self._brought.runs] * above)
        mixture += (weights * self._elsewhere).sum()
        # `heaviest` prefers the later place, so it is asked from the end.
        backwards = open_places[::-1]
        return int(backwards[heaviest(np.maximum(mixture[backwards], 0.0), 1)[0][0]])

    def learn(self, document: int, relevant: bool) -> None:
        claims = self._elsewhere.copy()
        at = self._brought.of(document)
        claims[self._brought.runs[at]] = self._claims[at]
        self._log_weights += self._log_beta * (-claims if relevant else claims)

    def forget(self) -> None:
        self._log_weights = np.zeros(len(self._elsewhere))


def _claims_below(z: int, lengths: list[int]) -> Floats:
    # The sum over ranks n + 1 .. z of ln(z / rank), by log-gamma, since z can be the size of a collection.
    total = [
        (z - n) * math.log(z) - (math.lgamma(z + 1) - math.lgamma(n + 1)) if n < z else 0.0 for n in lengths
    ]
    return np.array([0.5 * each / (z - n) if n < z else 0.0 for each, n in zip(total, lengths, strict=True)])


HEDGE = adaptive_strategy(
    "hedge",
    "the document ranked highest by the runs together, weighted by how they did on the judgments so far",
    "Aslam, Pavlu and Savell 2003",
    Hedge,
    Parameter("z", "the rank beyond which a run has no vote", 1000, WHOLE, lowest=1),
    Parameter(
        "beta", "how much of its weight a run keeps for a loss of 1", 0.1, NUMBER, lowest=0.001, highest=0.999
    ),
)
