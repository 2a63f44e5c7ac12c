"""What runs score on one topic, and would score if one document had another grade: exactly, as arrays.

These measures are computed thousands of times for the queue of disputed pairs, which no scorer of whole runs
could do. Runs are read to the measure's depth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ranks = NDArray[Any]
"""Whole numbers, shape (runs, documents of a topic): the rank from 1, or 0 where it is not retrieved."""
Grades = NDArray[np.int64]
"""The grade of every document of a topic, none negative."""
Changed = Callable[[int, int], Floats]
"""(document, grade) -> what every run scores on the topic if this document has this grade; shape (runs,)."""

DEEPEST = 1000  # what TREC's runs have of a topic
_NEGLIGIBLE = 1e-6  # what RBP can still be worth beyond its depth


@dataclass(frozen=True, slots=True)
class GainMeasure:
    """A measure that can be computed again for one changed document; it reads runs to its `depth`.

    `compute` takes the ranks (0 beyond the depth) and the grades of a topic's documents, none negative. It
    returns what every run scores, and the function of one change.
    """

    name: str
    depth: int
    compute: Callable[[Ranks, Grades], tuple[Floats, Changed]]

    def topic(self, ranks: Ranks, grades: Sequence[int]) -> tuple[Floats, Changed]:
        """What every run scores on a topic with these grades, and a function of one change to them."""
        shown = np.where(ranks > self.depth, 0, ranks)
        return self.compute(shown, np.array([max(0, grade) for grade in grades], dtype=np.int64))


@dataclass(frozen=True, slots=True)
class GainFamily:
    """A measure with its parameters: how it is written, examples for people, and how it is made.

    `make` takes the match of the name and the lowest relevant grade; None where a parameter is out of range.
    """

    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    make: Callable[[re.Match[str], int], GainMeasure | None]


def _ndcg(match: re.Match[str], _relevant_from: int) -> GainMeasure | None:
    depth = int(match[1] or DEEPEST)
    if not 1 <= depth <= DEEPEST:
        return None
    return GainMeasure(match[0], depth, lambda ranks, grades: _cumulated_gain(ranks, grades, depth))


def _ap(match: re.Match[str], relevant_from: int) -> GainMeasure:
    return GainMeasure(
        match[0], DEEPEST, lambda ranks, grades: _average_precision(ranks, grades, relevant_from)
    )


def _rbp(match: re.Match[str], relevant_from: int) -> GainMeasure | None:
    p = float(match[1])
    if not 0 < p < 1:
        return None
    depth = min(DEEPEST, math.ceil(math.log(_NEGLIGIBLE) / math.log(p)))
    return GainMeasure(match[0], depth, lambda ranks, grades: _rank_biased(ranks, grades, relevant_from, p))


def _cumulated_gain(ranks: Ranks, grades: Grades, depth: int) -> tuple[Floats, Changed]:
    """nDCG with the grade as gain and 1 / log2(rank + 1) as discount, as trec_eval's ndcg_cut.

    Source: Jarvelin and Kekalainen 2002, with the discount of Burges et al. 2005.
    """
    discounts = 1.0 / np.log2(np.arange(2, depth + 2))
    # Looked up: a topic has millions of ranks, and the logarithm of each takes ten times as long.
    weights = np.concatenate([[0.0], discounts])[ranks]
    gained: Floats = weights @ grades.astype(np.float64)

    def ideal(values: Grades) -> float:
        best = np.sort(values)[::-1][:depth]
        return float(best @ discounts[: len(best)])

    def shared(gain: Floats, values: Grades) -> Floats:
        whole = ideal(values)
        return gain / whole if whole else np.zeros(len(gain))

    def changed(document: int, grade: int) -> Floats:
        values = grades.copy()
        values[document] = max(0, grade)
        return shared(gained + weights[:, document] * (values[document] - grades[document]), values)

    return shared(gained, grades), changed


def _rank_biased(ranks: Ranks, grades: Grades, relevant_from: int, p: float) -> tuple[Floats, Changed]:
    """RBP = (1 - p) sum of p ** (rank - 1) over relevant documents (Moffat and Zobel 2008)."""
    relevant = grades >= relevant_from
    weights = np.where(ranks > 0, (1 - p) * p ** (np.maximum(ranks, 1) - 1.0), 0.0)
    scores = weights @ relevant.astype(np.float64)

    def changed(document: int, grade: int) -> Floats:
        change = int(grade >= relevant_from) - int(relevant[document])
        return np.asarray(scores + change * weights[:, document])

    return scores, changed


def _average_precision(ranks: Ranks, grades: Grades, relevant_from: int) -> tuple[Floats, Changed]:
    """AP as trec_eval's map: the mean of precision over all relevant documents, retrieved or not.

    A document that becomes relevant at rank k adds its own precision, and 1 / j to that of every relevant
    document at a rank j below it; and there is one more to take the mean over.
    """
    relevant = grades >= relevant_from
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


NDCG = GainFamily(re.compile(r"nDCG(?:@([0-9]{1,4}))?"), ("nDCG@100", "nDCG@10", "nDCG"), _ndcg)
AP = GainFamily(re.compile(r"AP"), ("AP",), _ap)
RBP = GainFamily(re.compile(r"RBP\(p=(0?\.[0-9]{1,4})\)"), ("RBP(p=0.8)", "RBP(p=0.95)"), _rbp)
