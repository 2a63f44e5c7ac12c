"""The target rule: find at random first, then read until all of that is found again."""

from __future__ import annotations

import numpy as np

from workbench.learning.stopping.trace import (
    RandomOrder,
    ReviewTrace,
    StoppingGoal,
    StoppingRule,
    StopPoint,
    not_stopped,
    stopped_with_draws,
)

TARGETS = 10


def draws_for(drawn: RandomOrder, positives: int) -> int | None:
    """How many random documents it takes to draw so many relevant ones; None where there are not as many."""
    found = np.flatnonzero(drawn.relevant)
    return int(found[positives - 1]) + 1 if len(found) >= positives else None


def target(trace: ReviewTrace, _goal: StoppingGoal) -> StopPoint:
    """Draw until `TARGETS` relevant documents are found; stop when the learner has found them all."""
    if trace.drawn is None:
        return not_stopped("needs random documents that the learner does not know")
    draws = draws_for(trace.drawn, TARGETS)
    if draws is None:
        if len(trace.drawn.relevant) < trace.collection:
            return not_stopped(f"fewer than {TARGETS} relevant documents were drawn")
        everything = int(trace.drawn.relevant.sum())
        return StopPoint(
            trace.collection, everything, f"there are fewer than {TARGETS} relevant documents: all was drawn"
        )
    places = trace.drawn.read_at[:draws][trace.drawn.relevant[:draws]]
    if not places.all():
        return not_stopped("not all targets are found")
    reason = f"all {TARGETS} relevant documents of {draws} random ones are found"
    return stopped_with_draws(trace, trace.drawn, draws, int(places.max()), reason)


TARGET_RULE = StoppingRule(
    "target",
    "draw at random until 10 relevant documents are found, then read until the learner has found all of them",
    "the learner does not know what was drawn",
    "recall of at least 0.7 in 95 % of topics, whatever the goal",
    "Cormack and Grossman 2016",
    target,
)
