"""Rank-biased overlap: how alike two rankings are, the more so the higher the rank."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.errors import WorkbenchError
from workbench.ranking import ordered
from workbench.records import Run, TieRule


@dataclass(frozen=True, slots=True)
class Likeness:
    """The mean rank-biased overlap of two runs over the topics that either has documents for.

    `value` is 0 to 1, None where there is no such topic.
    """

    value: float | None
    topics: int
    p: float


def rank_biased_overlap(first: Sequence[Hashable], second: Sequence[Hashable], *, p: float = 0.9) -> float:
    """The extrapolated rank-biased overlap of two rankings without repeats, best first; 0 to 1.

    It takes the agreement at the end of the shorter one to go on for ever. Two empty rankings are alike: 1.
    Raises WorkbenchError where p is not between 0 and 1.
    Source: Webber, Moffat and Zobel 2010, equation 32.

    >>> round(rank_biased_overlap("abcdefg", "zcavwxy"), 6)
    0.288217
    """
    if not 0 < p < 1:
        raise WorkbenchError(f"p cannot be {p}", remedy="give a number between 0 and 1")
    short, long = sorted((len(first), len(second)))
    if not short:
        return 0.0 if long else 1.0
    place = {docno: rank for rank, docno in enumerate(first, 1)}
    # A document is shared from the depth on at which both have come to it.
    met = [max(rank, place[docno]) for rank, docno in enumerate(second, 1) if docno in place]
    shared = np.cumsum(np.bincount(met, minlength=long + 1))[1:]
    depths = np.arange(1, long + 1)
    agreement = shared / depths
    at_short, at_long = float(shared[short - 1]), float(shared[-1])
    beyond = at_short * (depths[short:] - short) / (short * depths[short:])
    agreement[short:] += beyond
    weights = p**depths
    tail = ((at_long - at_short) / long + at_short / short) * p**long
    return float((1 - p) / p * (agreement * weights).sum() + tail)


def run_likeness(first: Run, second: Run, *, p: float = 0.9, ties: TieRule = TieRule.TREC_EVAL) -> Likeness:
    """The mean rank-biased overlap of two runs; a topic that only one has documents for counts 0.

    Raises WorkbenchError where p is not between 0 and 1.
    """
    values = [
        rank_biased_overlap(_of(first, topic, ties), _of(second, topic, ties), p=p)
        for topic in {**first.rankings, **second.rankings}
        if _has(first, topic) or _has(second, topic)
    ]
    return Likeness(sum(values) / len(values) if values else None, len(values), p)


def _has(run: Run, topic: str) -> bool:
    return topic in run.rankings and len(run.rankings[topic]) > 0


def _of(run: Run, topic: str, ties: TieRule) -> tuple[str, ...]:
    return ordered(run.rankings[topic], ties=ties) if topic in run.rankings else ()
