"""Quant: recall as the model itself sees it, less two standard deviations."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from workbench.learning.stopping.trace import (
    ModelSums,
    ReviewTrace,
    StoppingGoal,
    StoppingRule,
    StopPoint,
    not_stopped,
    stopped_at,
)

DEVIATIONS = 2


@dataclass(frozen=True, slots=True)
class ModelRecall:
    """Recall by a model's probabilities: the value, its standard deviation, the interval of two of them."""

    value: float
    deviation: float

    @property
    def low(self) -> float:
        """The value less two standard deviations."""
        return self.value - DEVIATIONS * self.deviation

    @property
    def high(self) -> float:
        """The value and two standard deviations, 1 at most."""
        return min(self.value + DEVIATIONS * self.deviation, 1.0)


def model_recall(sums: ModelSums) -> ModelRecall | None:
    """Recall as the sum of the probabilities of what is read over that of all; None where all are 0.

    The deviation is by a first-order expansion, documents taken as independent.
    Source: Yang, Lewis and Frieder 2021.
    """
    whole = sums.read + sums.unread
    if not whole:
        return None
    variance = sums.read_variance + sums.unread_variance
    squared = sums.read**2 / whole**4 * variance + sums.read_variance / whole**2
    return ModelRecall(sums.read / whole, sqrt(squared))


def quant(trace: ReviewTrace, goal: StoppingGoal) -> StopPoint:
    """Stop at the first round's end where the lower end of the model's recall reaches the goal."""
    if not trace.sums:
        return not_stopped("needs a learner with a model")
    for end, sums in zip(trace.ends.tolist(), trace.sums, strict=True):
        recall = model_recall(sums)
        if recall is not None and recall.low >= goal.recall:
            reason = f"recall by the model {recall.value:.2f} ({recall.low:.2f} to {recall.high:.2f})"
            return stopped_at(trace, end, reason)
    return not_stopped("the model still expects too much in what is unread")


QUANT = StoppingRule(
    "quant",
    "recall by the model's probabilities, less two standard deviations, reaches the goal",
    "the probabilities are calibrated; those of active learning are not, since its documents were chosen",
    "",
    "Yang, Lewis and Frieder 2021",
    quant,
)
