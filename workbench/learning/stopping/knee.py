"""The knee rule: stop where the gain curve has bent and stays flat."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.learning.stopping.trace import (
    ReviewTrace,
    StoppingGoal,
    StoppingRule,
    StopPoint,
    not_stopped,
    stopped_at,
)

_STEEPEST, _FEWEST = 156, 150


def slope_ratios(trace: ReviewTrace) -> Iterator[tuple[int, int, float]]:
    """Read, found and the greatest slope ratio at the end of each round from the second on.

    With r_i found in s_i documents at an earlier round's end: (r_i / s_i) / ((1 + r - r_i) / (s - s_i)), the
    slope before the knee over the slope after it; the knee is where this is greatest.
    Source: Cormack and Grossman 2016, with slopes per document.
    """
    found = trace.found[trace.ends].astype(np.float64)
    read = trace.ends.astype(np.float64)
    for now in range(1, len(read)):
        before = found[:now] / read[:now]
        after = (1 + found[now] - found[:now]) / (read[now] - read[:now])
        yield int(read[now]), int(found[now]), float((before / after).max())


def threshold(found: int) -> int:
    """The slope ratio at which to stop: 156 - min(found, 150).

    >>> threshold(0), threshold(47), threshold(1000)
    (156, 109, 6)
    """
    return _STEEPEST - min(found, _FEWEST)


def knee(trace: ReviewTrace, _goal: StoppingGoal) -> StopPoint:
    """Stop at the first round's end whose slope ratio reaches the threshold; see `slope_ratios`."""
    for read, found, ratio in slope_ratios(trace):
        if ratio >= threshold(found):
            return stopped_at(trace, read, f"slope ratio {ratio:.1f}, at least {threshold(found)}")
    return not_stopped("the curve has not bent enough")


KNEE = StoppingRule(
    "knee",
    "the slope of found against read before the knee is 156 - min(found, 150) times the slope after it",
    "relevant documents come early, in one rise: where a part is unlike the rest it nearly always stops too "
    "soon; with few relevant documents it waits long",
    "",
    "Cormack and Grossman 2016",
    knee,
)
