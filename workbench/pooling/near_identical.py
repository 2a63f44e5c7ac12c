"""Which runs rank nearly the same: rank-biased overlap of their tops, with a bound that spares most of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.pooling.rank_biased import rank_biased_overlap
from workbench.ranking import top
from workbench.records import Run, TieRule

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
Prints = np.ndarray[tuple[int, int], np.dtype[np.int64]]


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """The first documents of topics, one row a topic, as hashes of this process; 0 where there is none."""

    prints: Prints


def compared_topics(topics: Sequence[str]) -> tuple[str, ...]:
    """The topics by which runs are compared: the first MOST_TOPICS in the order of the campaign."""
    return tuple(topics[:MOST_TOPICS])


def tops_of(run: Run, topics: Sequence[str]) -> Tops:
    """The tops of a run in these topics, in trec_eval's order."""
    prints = np.zeros((len(topics), DEPTH), dtype=np.int64)
    for row, topic in enumerate(topics):
        if topic in run.rankings:
            first = top(run.rankings[topic], DEPTH, ties=TieRule.TREC_EVAL)
            prints[row, : len(first)] = [hash(docno) or 1 for docno in first]
    return Tops(prints)


def nearly_identical(one: Tops, other: Tops) -> float | None:
    """The mean rank-biased overlap of two tops over the topics that either has, None where below THRESHOLD.

    A topic that only one has counts 0. Source: Webber, Moffat and Zobel 2010, equation 32, on tops of DEPTH.
    """
    here, there = one.prints[:, 0] != 0, other.prints[:, 0] != 0
    rows = np.flatnonzero(here | there)
    if not len(rows) or _most(one.prints[rows], other.prints[rows]) < THRESHOLD:
        return None
    mean = sum(_overlap(one.prints[row], other.prints[row]) for row in rows.tolist()) / len(rows)
    return mean if mean >= THRESHOLD else None


def _most(one: Prints, other: Prints) -> float:
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
