"""Runs that rank nearly the same: rank-biased overlap, and a bound that spares most of its computation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from workbench.errors import WorkbenchError
from workbench.ranking import top
from workbench.records import Ranking, Run, TieRule, places_of


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


P = 0.9
"""The persistence of the overlap: the first ten documents have 86 per cent of the weight."""
THRESHOLD = 0.95
"""From this mean overlap on two runs are called nearly identical."""
DEPTH = 50
"""The documents of a topic that are looked at; at P those below have half a per cent of the weight."""
MOST_TOPICS = 250

_BOUND_DEPTH = 5
_WEIGHTS = (1 - P) * P ** np.arange(_BOUND_DEPTH)

Row = np.ndarray[tuple[int], np.dtype[np.int64]]
Tops = np.ndarray[tuple[int, int], np.dtype[np.int64]]
"""The first documents of topics, one row a topic, as hashes of this process; 0 where there is none."""


def compared_topics(topics: Sequence[str]) -> tuple[str, ...]:
    """The topics by which runs are compared: the first MOST_TOPICS in the order of the campaign."""
    return tuple(topics[:MOST_TOPICS])


class TopsOf:
    """The tops of a run in these topics, in trec_eval's order, filled topic by topic."""

    def __init__(self, topics: Sequence[str]) -> None:
        self._rows = places_of(topics)
        self.found: Tops = np.zeros((len(topics), DEPTH), dtype=np.int64)

    def take(self, topic: str, ranking: Ranking) -> None:
        """Look at the ranking of one topic."""
        if topic in self._rows and len(ranking.scores) == len(ranking.docnos):
            first = top(ranking, DEPTH, ties=TieRule.TREC_EVAL)
            self.found[self._rows[topic], : len(first)] = [hash(docno) or 1 for docno in first]


def tops_of(run: Run, topics: Sequence[str]) -> Tops:
    """The tops of a run in these topics, in trec_eval's order."""
    tops = TopsOf(topics)
    for topic in topics:
        if topic in run.rankings:
            tops.take(topic, run.rankings[topic])
    return tops.found


def nearly_identical(one: Tops, other: Tops) -> float | None:
    """The mean rank-biased overlap of two tops over the topics that either has, None where below THRESHOLD.

    A topic that only one has counts 0. Source: Webber, Moffat and Zobel 2010, equation 32, on tops of DEPTH.
    """
    here, there = one[:, 0] != 0, other[:, 0] != 0
    rows = np.flatnonzero(here | there)
    if not len(rows) or _most(one[rows], other[rows]) < THRESHOLD:
        return None
    mean = sum(_overlap(one[row], other[row]) for row in rows.tolist()) / len(rows)
    return mean if mean >= THRESHOLD else None


def _most(one: Tops, other: Tops) -> float:
    """No less than the mean overlap, from the first documents alone.

    The weights of all depths add up to 1 and no agreement exceeds 1, so what is lacking at the first depths
    cannot be made up below. Depths beyond the shorter ranking are taken as agreeing.
    """
    depth = _BOUND_DEPTH
    a, b = one[:, :depth], other[:, :depth]
    same = (a[:, :, None] == b[:, None, :]) & (a != 0)[:, :, None]
    shorter = np.minimum((a != 0).sum(axis=1), (b != 0).sum(axis=1))
    lacking = np.zeros(len(a))
    for d in range(1, depth + 1):
        agreement = same[:, :d, :d].sum(axis=(1, 2)) / d
        lacking += np.where(d <= shorter, _WEIGHTS[d - 1] * (1 - agreement), 0.0)
    lacking[shorter == 0] = 1.0
    return float(1 - lacking.mean())


def _overlap(one: Row, other: Row) -> float:
    first, second = one[one != 0].tolist(), other[other != 0].tolist()
    return rank_biased_overlap(first, second, p=P) if first and second else 0.0
