"""What a run scores on one topic, and would score if one document had another grade: exactly, as arrays.

Three measures are known here, by the field's names: they are reckoned thousands of times, which no scorer of
whole runs could. Runs are read to the measure's depth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError

Floats = NDArray[np.float64]
Ranks = NDArray[Any]
"""Whole numbers, shape (runs, documents of a topic): the rank from 1, or 0 where it is not retrieved."""
Changed = Callable[[int, int], Floats]
"""(document, grade) -> what every run scores on the topic if this document has this grade; shape (runs,)."""

DEEPEST = 1000  # what TREC's runs hold of a topic
MEASURES = "nDCG@100, nDCG, AP, RBP(p=0.8) and the like"
_NDCG = re.compile(r"nDCG(?:@([0-9]{1,4}))?")
_RBP = re.compile(r"RBP\(p=(0?\.[0-9]{1,4})\)")
_NEGLIGIBLE = 1e-6  # what RBP can still be worth beyond its depth


@dataclass(frozen=True, slots=True)
class GainMeasure:
    """A measure that can be reckoned anew for one document; relevance counts from `relevant_from` on.

    `depth` is how far it looks into a run. `persistence` is RBP's p.
    """

    name: str
    depth: int
    relevant_from: int
    persistence: float = 0.0

    def topic(self, ranks: Ranks, grades: Sequence[int]) -> tuple[Floats, Changed]:
        """What every run scores on a topic with these grades, and a function of one change to them."""
        shown = np.where(ranks > self.depth, 0, ranks)
        given = np.array([max(0, grade) for grade in grades], dtype=np.int64)
        if self.name == "AP":
            return _average_precision(shown, given >= self.relevant_from, self.relevant_from)
        if self.persistence:
            return _rank_biased(shown, given >= self.relevant_from, self.relevant_from, self.persistence)
        return _cumulated_gain(shown, given, self.depth)


def gain_measure(name: str, *, relevant_from: int) -> GainMeasure:
    """The measure of this name: `nDCG@k`, `nDCG`, `AP` or `RBP(p=x)`; raises WorkbenchError for others."""
    name = name.strip()
    ndcg, rbp = _NDCG.fullmatch(name), _RBP.fullmatch(name)
    if ndcg:
        depth = int(ndcg[1]) if ndcg[1] else DEEPEST
        if 1 <= depth <= DEEPEST:
            return GainMeasure(name, depth, relevant_from)
    if name == "AP":
        return GainMeasure(name, DEEPEST, relevant_from)
    if rbp and 0 < float(rbp[1]) < 1:
        p = float(rbp[1])
        depth = min(DEEPEST, math.ceil(math.log(_NEGLIGIBLE) / math.log(p)))
        return GainMeasure(name, depth, relevant_from, p)
    raise WorkbenchError(f"the effect on {name!r} cannot be reckoned here", remedy=f"one of {MEASURES}")


def _cumulated_gain(ranks: Ranks, grades: NDArray[np.int64], depth: int) -> tuple[Floats, Changed]:
    """nDCG with the grade as gain and 1 / log2(rank + 1) as discount, as trec_eval's ndcg_cut.

    Source: Jarvelin and Kekalainen 2002, with the discount of Burges et al. 2005.
    """
    weights = np.where(ranks > 0, 1.0 / np.log2(np.maximum(ranks, 1) + 1.0), 0.0)
    discounts = 1.0 / np.log2(np.arange(2, depth + 2))
    gained: Floats = weights @ grades.astype(np.float64)

    def ideal(values: NDArray[np.int64]) -> float:
        best = np.sort(values)[::-1][:depth]
        return float(best @ discounts[: len(best)])

    def shared(gain: Floats, values: NDArray[np.int64]) -> Floats:
        whole = ideal(values)
        return gain / whole if whole else np.zeros(len(gain))

    def changed(document: int, grade: int) -> Floats:
        values = grades.copy()
        values[document] = max(0, grade)
        return shared(gained + weights[:, document] * (values[document] - grades[document]), values)

    return shared(gained, grades), changed


def _rank_biased(
    ranks: Ranks, relevant: NDArray[np.bool_], relevant_from: int, p: float
) -> tuple[Floats, Changed]:
    """RBP = (1 - p) sum of p ** (rank - 1) over relevant documents (Moffat and Zobel 2008)."""
    weights = np.where(ranks > 0, (1 - p) * p ** (np.maximum(ranks, 1) - 1.0), 0.0)
    scores = weights @ relevant.astype(np.float64)

    def changed(document: int, grade: int) -> Floats:
        change = int(grade >= relevant_from) - int(relevant[document])
        return np.asarray(scores + change * weights[:, document])

    return scores, changed


def _average_precision(
    ranks: Ranks, relevant: NDArray[np.bool_], relevant_from: int
) -> tuple[Floats, Changed]:
    """AP as trec_eval's map: the mean of precision over all relevant documents, retrieved or not.

    A document that becomes relevant at rank k adds its own precision, and 1 / j to that of every relevant
    document at a rank j below it; and there is one more to take the mean over.
    """
    runs, deepest = len(ranks), int(ranks.max(initial=0))
    at = np.arange(1, deepest + 1)
    hits = np.zeros((runs, deepest + 1))
    rows, columns = np.nonzero(relevant[np.newaxis, :] & (ranks > 0))
    hits[rows, ranks[rows, columns]] = 1.0
    above = np.cumsum(hits, axis=1)  # relevant documents up to each rank
    shares = np.zeros_like(hits)
    shares[:, 1:] = hits[:, 1:] / at
    below = shares.sum(axis=1, keepdims=True) - np.cumsum(shares, axis=1)
    precisions = (shares * above).sum(axis=1)
    total = int(relevant.sum())
    everyone = np.arange(runs)

    def mean(gained: Floats, over: int) -> Floats:
        return gained / over if over else np.zeros(runs)

    def changed(document: int, grade: int) -> Floats:
        becomes, was = grade >= relevant_from, bool(relevant[document])
        if becomes == was:
            return mean(precisions, total)
        rank = ranks[:, document]
        reached = above[everyone, rank] + (1 if becomes else 0)
        worth = np.where(rank > 0, reached / np.maximum(rank, 1) + below[everyone, rank], 0.0)
        return mean(precisions + worth if becomes else precisions - worth, total + (1 if becomes else -1))

    return mean(precisions, total), changed
