"""The budget rule: a knee, and enough reading for the number of relevant documents found."""

from __future__ import annotations

from workbench.learning.stopping.knee import slope_ratios
from workbench.learning.stopping.trace import (
    ReviewTrace,
    StoppingGoal,
    StoppingRule,
    StopPoint,
    not_stopped,
    stopped_at,
)

_RATIO = 6
_TARGETS = 10
_MOST = 0.75


def documents_needed(collection: int, found: int) -> float:
    """What the target rule would have read at random for ten relevant documents: 10 N / found."""
    return _TARGETS * collection / found if found else float(collection)


def budget(trace: ReviewTrace, _goal: StoppingGoal) -> StopPoint:
    """Stop at a slope ratio of 6 once 10 N / found documents are read, or at three quarters of all."""
    for read, found, ratio in slope_ratios(trace):
        if ratio >= _RATIO and read >= documents_needed(trace.collection, found):
            needed = documents_needed(trace.collection, found)
            return stopped_at(
                trace, read, f"slope ratio {ratio:.1f}, and {needed:.0f} documents or more are read"
            )
        if read >= _MOST * trace.collection:
            return stopped_at(trace, read, "three quarters of the collection are read")
    return not_stopped("neither enough was read, nor has the curve bent")


BUDGET_RULE = StoppingRule(
    "budget",
    "the slope ratio of the knee rule is 6 or more and 10 N / found documents are read, or 3 N / 4 are",
    "as the knee rule; the more relevant documents there are, the less is read",
    "",
    "Cormack and Grossman 2016",
    budget,
)
