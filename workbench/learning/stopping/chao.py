"""Chao's estimator: relevant documents that one searcher found alone tell how many nobody found."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np

from workbench.learning.stopping.trace import (
    ReviewTrace,
    StoppingGoal,
    StoppingRule,
    StopPoint,
    not_stopped,
)

FEWEST = 10
"""Relevant documents below which the rule waits: at the beginning all searchers find the same few."""


@dataclass(frozen=True, slots=True)
class ChaoEstimate:
    """The number of relevant documents: Chao1, bias-corrected, and the interval, None if undefined."""

    value: float
    bias_corrected: float
    low: float | None
    high: float | None


def chao(found: int, once: int, twice: int, *, confidence: float = 0.95) -> ChaoEstimate:
    """The number of relevant documents, from those that exactly one and exactly two searchers found.

    S + f1² / (2 f2), or S + f1 (f1 - 1) / 2 where f2 is 0; bias-corrected S + f1 (f1 - 1) / (2 (f2 + 1)). It
    is a lower bound where documents are not equally easy to find. The interval is log-normal, undefined
    without f2.
    Source: Chao 1984, 1987.
    """
    corrected = found + once * (once - 1) / (2 * (twice + 1))
    if not twice:
        return ChaoEstimate(found + once * (once - 1) / 2, corrected, None, None)
    ratio = once / twice
    missed = once * ratio / 2
    value = found + missed
    if not missed:
        return ChaoEstimate(value, corrected, value, value)
    variance = twice * (ratio**4 / 4 + ratio**3 + ratio**2 / 2)
    spread = exp(NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(log(1 + variance / missed**2)))
    return ChaoEstimate(value, corrected, found + missed / spread, found + missed * spread)


def chao_rule(trace: ReviewTrace, goal: StoppingGoal) -> StopPoint:
    """Let searchers read to one depth; stop when they found the goal's share of the interval's end."""
    if trace.committee is None:
        return not_stopped("needs several searchers that work independently")
    ranks, relevant = trace.committee.ranks, trace.committee.relevant
    for depth in trace.ends.tolist():
        caught = (ranks <= depth).sum(axis=0)
        found = int((relevant & (caught > 0)).sum())
        once, twice = (int((relevant & (caught == times)).sum()) for times in (1, 2))
        estimate = chao(found, once, twice, confidence=goal.confidence)
        if found >= FEWEST and estimate.high is not None and found >= goal.recall * estimate.high:
            reason = f"{found} found of {estimate.value:.0f} ({estimate.low:.0f} to {estimate.high:.0f})"
            return StopPoint(int(np.count_nonzero(caught)), found, reason)
    return not_stopped("the searchers still find different documents")


CHAO = StoppingRule(
    "chao",
    "several searchers read to the same depth; found is the goal's share of the upper end of Chao's interval",
    "searchers work independently; where they are alike, too little seems to be missing",
    "",
    "Chao 1987; Bron et al. 2024",
    chao_rule,
)
