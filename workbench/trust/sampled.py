"""AP estimated from a sample of the pool: for strata (xinfAP), and for unequal probabilities (statAP)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from workbench.formats.sampled_qrels import SampledQrel

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
