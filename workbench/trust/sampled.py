"""Scores estimated from a sample of the pool: infAP; of strata xinfAP, infNDCG; of probabilities statAP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import floor, log2

from workbench.formats.sampled_qrels import SampledQrel

_EPSILON = 0.00001
"""What trec_eval adds to the relevant and to the other documents above a rank."""
_RELEVANT, _JUDGED = 0.00001, 0.00003
"""What sample_eval.pl adds to counts above a rank, so that none divides by 0."""


@dataclass(frozen=True, slots=True)
class EstimatedAP:
    """Average precision of one topic, estimated, with the estimated number of relevant documents.

    `value` is None where no relevant document was drawn. `drawn` counts the judged documents.
    """

    value: float | None
    relevant: float
    drawn: int


def infap(ranking: Sequence[str], pool: Mapping[str, SampledQrel], *, relevant_from: int = 1) -> EstimatedAP:
    """Inferred AP of a ranking, best first, from a sample in which every document of `pool` was as likely.

    The expected precision at each relevant document that was drawn: the share of the documents above it that
    are in the pool, times the share of relevant ones among those that were drawn. As trec_eval computes it.
    Source: Yilmaz and Aslam 2006.
    """
    drawn = [one.grade for one in pool.values() if one.grade is not None]
    relevant = sum(grade >= relevant_from for grade in drawn)
    if not relevant:
        return EstimatedAP(None, 0.0, len(drawn))
    pooled = hits = judged = 0
    total = 0.0
    for rank, docno in enumerate(ranking, start=1):
        one = pool.get(docno)
        if one is None:
            continue
        if one.grade is not None and one.grade >= relevant_from:
            # Of the first rank the expectation is 1, and nothing is above it.
            above = pooled * (hits + _EPSILON) / (judged + 2 * _EPSILON)
            total += (1 + above) / rank
            hits += 1
        judged += one.grade is not None
        pooled += 1
    return EstimatedAP(total / relevant, relevant * len(pool) / len(drawn), len(drawn))


def xinfap(ranking: Sequence[str], pool: Mapping[str, SampledQrel], *, relevant_from: int = 1) -> EstimatedAP:
    """Extended inferred AP of a ranking, best first; `pool` has every document that could be
    drawn, by docno.

    Each stratum's relevant documents are estimated from its sample; the expected precision at a sampled
    relevant document from the samples of the strata above it. As NIST's sample_eval.pl computes it.
    Source: Yilmaz, Kanoulas and Aslam 2008.
    """
    sizes = Counter(one.stratum for one in pool.values())
    drawn = Counter(one.stratum for one in pool.values() if one.grade is not None)
    hits = Counter(one.stratum for one in pool.values() if (one.grade or 0) >= relevant_from)
    estimated = {stratum: hits[stratum] * sizes[stratum] / drawn[stratum] for stratum in hits}
    relevant = sum(estimated.values())
    if not relevant:
        return EstimatedAP(None, 0.0, drawn.total())
    above: Counter[str] = Counter()
    judged_above: Counter[str] = Counter()
    hits_above: Counter[str] = Counter()
    precision: dict[str, float] = dict.fromkeys(estimated, 0.0)
    for rank, docno in enumerate(ranking, start=1):
        one = pool.get(docno)
        if one is None:
            continue
        if one.grade is not None and one.grade >= relevant_from:
            expected = sum(
                count * (hits_above[stratum] + _RELEVANT) / (judged_above[stratum] + _JUDGED)
                for stratum, count in above.items()
            )
            precision[one.stratum] += (1 + expected) / rank
            hits_above[one.stratum] += 1
        judged_above[one.stratum] += one.grade is not None
        above[one.stratum] += 1
    value = sum(estimated[stratum] / relevant * precision[stratum] / hits[stratum] for stratum in estimated)
    return EstimatedAP(value, relevant, drawn.total())


def infndcg(ranking: Sequence[str], pool: Mapping[str, SampledQrel]) -> float | None:
    """Inferred nDCG of a ranking, best first; None where no document with a grade above 0 is estimated.

    A stratum's gain is that of its judged documents in the ranking, times its retrieved by its judged
    documents there; a grade gains itself, discounted by log2(rank + 1). The ideal ranking has the documents
    of each grade that the sample estimates, rounded to whole ones, as NIST's sample_eval.pl of TREC (2011)
    has them; the version of TRECVID does not round. Source: Yilmaz, Kanoulas and Aslam 2008.
    """
    sizes = Counter(one.stratum for one in pool.values())
    drawn = Counter(one.stratum for one in pool.values() if one.grade is not None)
    estimated: dict[int, float] = {}
    for one in pool.values():
        if one.grade:
            stands_for = sizes[one.stratum] / drawn[one.stratum]
            estimated[one.grade] = estimated.get(one.grade, 0.0) + stands_for
    ideal, rank = 0.0, 0
    for grade in sorted(estimated, reverse=True):
        for _ in range(floor(estimated[grade] + 0.5)):
            rank += 1
            ideal += grade / log2(rank + 1)
    if not ideal:
        return None
    gained: dict[str, float] = {}
    retrieved: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for place, docno in enumerate(ranking, start=1):
        found = pool.get(docno)
        if found is None:
            continue
        retrieved[found.stratum] += 1
        if found.grade is not None:
            judged[found.stratum] += 1
            gained[found.stratum] = gained.get(found.stratum, 0.0) + found.grade / log2(place + 1)
    return sum(gain * retrieved[stratum] / judged[stratum] for stratum, gain in gained.items()) / ideal


def statap(
    ranking: Sequence[str],
    grades: Mapping[str, int],
    inclusion: Mapping[str, float],
    *,
    relevant_from: int = 1,
) -> EstimatedAP:
    """StatAP of a ranking, best first, from drawn documents and the probability with which each was drawn.

    Every relevant document drawn stands for 1 / probability of them. Source: Aslam and Pavlu 2007.
    """
    weights = [1 / inclusion[docno] if grades.get(docno, 0) >= relevant_from else 0.0 for docno in ranking]
    relevant = sum(1 / inclusion[docno] for docno, grade in grades.items() if grade >= relevant_from)
    if not relevant:
        return EstimatedAP(None, 0.0, len(grades))
    before = accumulate(weights, initial=0.0)
    value = sum(
        weight * (1 + found) / rank
        for rank, (weight, found) in enumerate(zip(weights, before, strict=False), start=1)
    )
    return EstimatedAP(value / relevant, relevant, len(grades))
