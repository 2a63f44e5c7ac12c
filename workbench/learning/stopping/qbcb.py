"""The quantile binomial confidence bound: how many of a random sample's relevant documents must be found."""

from __future__ import annotations

from math import ceil, log

import numpy as np

from workbench.learning.hypergeometric import binomial_at_most
from workbench.learning.stopping.target import draws_for
from workbench.learning.stopping.trace import (
    ReviewTrace,
    StoppingGoal,
    StoppingRule,
    StopPoint,
    not_stopped,
    stopped_with_draws,
)

POSITIVES = 30


def smallest_sample(goal: StoppingGoal) -> int:
    """The fewest sampled relevant documents that can certify the goal: recall ** r <= 1 - confidence.

    >>> [smallest_sample(StoppingGoal(recall)) for recall in (0.7, 0.8, 0.9, 0.95)]
    [9, 14, 29, 59]
    """
    # What is a whole number but for rounding must not become the next.
    return max(1, ceil(log(1 - goal.confidence) / log(goal.recall) - 1e-9))


def needed_of(positives: int, goal: StoppingGoal) -> int | None:
    """How many of so many sampled relevant documents must be found; None where the sample is too small.

    The smallest j with P(X <= j - 1) >= confidence, X ~ Binomial(positives, recall): were recall below the
    goal, j would be found with at most 1 - confidence.

    >>> needed_of(14, StoppingGoal(0.8)), needed_of(30, StoppingGoal(0.8)), needed_of(13, StoppingGoal(0.8))
    (14, 28, None)
    """
    for needed in range(1, positives + 1):
        if binomial_at_most(needed - 1, positives, goal.recall) >= goal.confidence:
            return needed
    return None


def qbcb(trace: ReviewTrace, goal: StoppingGoal) -> StopPoint:
    """Stop when the learner has found as many of the sample's relevant documents as `needed_of` says.

    The sample has `POSITIVES` relevant documents, or as many as the goal needs at least. The size must be
    chosen before the sample is looked at.
    """
    if trace.drawn is None:
        return not_stopped("needs random documents that the learner does not know")
    positives = max(POSITIVES, smallest_sample(goal))
    draws = draws_for(trace.drawn, positives)
    if draws is None:
        if len(trace.drawn.relevant) < trace.collection:
            return not_stopped(
                f"cannot be certified yet: fewer than {positives} relevant documents were drawn"
            )
        everything = int(trace.drawn.relevant.sum())
        reason = (
            f"cannot be certified: there are fewer than {positives} relevant documents, and all was drawn"
        )
        return StopPoint(trace.collection, everything, reason)
    needed = needed_of(positives, goal)
    places = np.sort(trace.drawn.read_at[:draws][trace.drawn.relevant[:draws]])
    reached = places[places > 0]
    if needed is None or len(reached) < needed:
        return not_stopped(f"{len(reached)} of {positives} sampled relevant documents are found")
    reason = f"{needed} of {positives} relevant documents of {draws} random ones are found"
    return stopped_with_draws(trace, trace.drawn, draws, int(reached[needed - 1]), reason)


QBCB = StoppingRule(
    "qbcb",
    "draw at random until 30 relevant documents are found (59 for recall 0.95), then read until the learner "
    "has found as many of them as a binomial test of the goal asks for",
    "the learner does not know what was drawn, and the size of the sample was fixed before",
    "the recall of the goal, with its confidence",
    "Lewis, Yang and Frieder 2021",
    qbcb,
)
