"""The elusion test: draw from what is unread, and stop if nothing relevant is in it."""

from __future__ import annotations

from math import floor

import numpy as np

from workbench.learning.hypergeometric import at_most
from workbench.learning.stopping.trace import (
    RandomOrder,
    ReviewTrace,
    StoppingGoal,
    StoppingRule,
    StopPoint,
    not_stopped,
    rounds_read,
)

LOOKS = 5
"""Samples that may be drawn; each has a fifth of the error, so that all have the promised one."""
DRY = 10
"""A round of so many documents without a relevant one calls for a sample."""


def sample_needed(unread: int, found: int, goal: StoppingGoal) -> int | None:
    """The smallest sample whose being empty rejects that recall is below the goal; None where none does.

    Were recall below, at least K = floor(found / recall) - found + 1 of the unread documents would be
    relevant; the sample is as large as P(none of them drawn) <= (1 - confidence) / `LOOKS` needs.
    """
    marked = floor(found / goal.recall + 1e-9) - found + 1
    if marked > unread:
        return 0
    error = (1 - goal.confidence) / LOOKS
    low, high = 1, unread - marked + 1
    while low < high:
        middle = (low + high) // 2
        if at_most(0, population=unread, marked=marked, drawn=middle) <= error:
            high = middle
        else:
            low = middle + 1
    return low


def elusion(trace: ReviewTrace, goal: StoppingGoal) -> StopPoint:
    """After a dry round draw a sample of the unread; stop if nothing in it is relevant, else read on.

    A sample of more than half of the unread documents is not drawn. What was drawn is read, and its relevant
    documents count as found.
    """
    if trace.drawn is None:
        return not_stopped("needs random documents that the learner does not know")
    sampled = np.zeros(len(trace.drawn.relevant), dtype=np.bool_)
    looks, end_before, found_before = 0, 0, 0
    lacking = None
    for end, found in rounds_read(trace):
        dry = found == found_before and end - end_before >= DRY
        end_before, found_before = end, found
        if not dry or looks == LOOKS:
            continue
        more, places = _unread(trace.drawn, sampled, end)
        unread = trace.collection - end - int((sampled & ~_read(trace.drawn, end)).sum())
        size = sample_needed(unread, found + more, goal)
        if size is None or size > unread / 2:
            continue
        if size > len(places):
            lacking = f"a sample of {size} unread documents is needed, and {len(places)} are drawn"
            continue
        looks += 1
        sampled[places[:size]] = True
        if not trace.drawn.relevant[places[:size]].any():
            read = end + int((sampled & ~_read(trace.drawn, end)).sum())
            return StopPoint(read, found + more, f"none of {size} random unread documents is relevant")
    if looks:
        return not_stopped(f"{looks} samples of the unread had relevant documents")
    return not_stopped(lacking or f"no round of {DRY} documents was without a relevant one")


def _read(drawn: RandomOrder, end: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.asarray((drawn.read_at > 0) & (drawn.read_at <= end))


def _unread(
    drawn: RandomOrder, sampled: np.ndarray[tuple[int], np.dtype[np.bool_]], end: int
) -> tuple[int, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """Relevant documents that earlier samples found beside the reading; the places that can be drawn."""
    read = _read(drawn, end)
    return int((sampled & ~read & drawn.relevant).sum()), np.flatnonzero(~read & ~sampled)


ELUSION = StoppingRule(
    "elusion",
    "after a round without a relevant document, a sample of the unread has none either (at most 5 samples)",
    "the sample is judged as carefully as the rest; goals near 1 need large samples",
    "of all reviews the recall of the goal, with its confidence; not of those that stop",
    "Roitblat 2007; acceptance on zero, Bonferroni over the samples",
    elusion,
)
