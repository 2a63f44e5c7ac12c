"""Holes: how much of what runs retrieved is judged, and what the rest leaves open of their scores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from math import floor, log2
from typing import TypeVar

import numpy as np
from ir_measures import Measure

from workbench.formats.qrels import Prel, SampledQrel
from workbench.frozen import frozen_dataclass
from workbench.records import Qrel, Run, TieRule
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels import compute, kernel_of
from workbench.scoring.run_arrays import RunArrays
from workbench.scoring.scorer import OrderedRun, Scorer
from workbench.scoring.significance import MeanScore, mean_score
from workbench.trust.extremes import score_extremes

CUTOFFS = (10, 100)
Drawn = TypeVar("Drawn", SampledQrel, Prel)


@frozen_dataclass
class JudgedDepth:
    """How many of the documents that a run has among its first `cutoff` are judged, over all topics.

    `worst` is the smallest share of a topic, None where the run answers none.
    """

    cutoff: int
    judged: int
    retrieved: int
    worst: float | None

    @property
    def share(self) -> float | None:
        """The share that is judged; None where nothing was retrieved."""
        return self.judged / self.retrieved if self.retrieved else None


@frozen_dataclass
class OpenScore:
    """What a run scores, and could: means over all topics of the qrels; None where it cannot be said.

    `score` counts unjudged documents as not relevant, `condensed` leaves them out (Sakai 2007). `lowest` and
    `highest` are the extremes over all that the run's unjudged documents could be (`extremes.EXTREMES`).
    """

    measure: str
    score: MeanScore
    condensed: float | None
    lowest: float | None
    highest: float | None


@frozen_dataclass
class SampledPool:
    """The sample of a pool from which scores are estimated: by strata, or by unequal probabilities.

    Grades from `relevant_from` on are relevant to infAP and xinfAP.
    """

    strata: tuple[SampledQrel, ...] = ()
    prels: tuple[Prel, ...] = ()
    relevant_from: int = 1

    @property
    def topics(self) -> int:
        """On how many topics anything was drawn."""
        return len({one.topic for one in self._lines})

    @property
    def relevant(self) -> float:
        """How many relevant documents were drawn of a topic, on average; 0 without topics."""
        relevant = sum(one.grade is not None and one.grade >= self.relevant_from for one in self._lines)
        return relevant / self.topics if self.topics else 0.0

    @property
    def _lines(self) -> Sequence[SampledQrel | Prel]:
        return self.strata or self.prels


NO_SAMPLE = SampledPool()
FEWEST_RELEVANT = 15
"""Of fewer relevant documents drawn a topic estimates order runs, but are too high or low by up to a half.

Intervals hold .84 of the truth with 14 of them, and .95 with 19 (simulated).
"""


@frozen_dataclass
class RunWithHoles:
    """A run that has documents for `answered` of the topics of the qrels.

    `estimates` are means of what a sample of the pool estimates, over the topics of the sample in which a
    relevant document was judged, by name: infAP where each topic is one stratum, xinfAP and infNDCG of
    strata, statAP of unequal probabilities.
    """

    run: str
    answered: int
    judged: tuple[JudgedDepth, ...]
    scores: tuple[OpenScore, ...]
    estimates: Mapping[str, MeanScore]


@frozen_dataclass
class JudgedOverall:
    """How many of the documents that all runs have among their first `cutoff` are judged.

    `least` is the smallest share of a run, `least_of`; runs that retrieved nothing are left out.
    """

    cutoff: int
    judged: int
    retrieved: int
    least: float
    least_of: str

    @property
    def share(self) -> float:
        """The share that is judged."""
        return self.judged / self.retrieved


@frozen_dataclass
class Holes:
    """What unjudged documents leave open, run by run; `highest` is the grade that they could have.

    Estimates come from a sample of `sampled_topics`, of each of which `sampled_relevant` relevant documents
    were drawn on average.
    """

    topics: int
    highest: int
    runs: tuple[RunWithHoles, ...]
    sampled_topics: int = 0
    sampled_relevant: float = 0.0

    @property
    def for_order(self) -> bool:
        """Whether estimates say in which order runs stand, but not how much they score."""
        return self.sampled_relevant < FEWEST_RELEVANT

    @property
    def caution(self) -> str:
        """What the estimates are good for where they are not good for all; else empty."""
        if not self.for_order:
            return ""
        return (
            f"use these estimates to rank runs, not as scores: only {self.sampled_relevant:.1f} relevant "
            f"documents per topic were drawn; with fewer than {FEWEST_RELEVANT}, an estimate can be too "
            f"high by half and has no interval"
        )

    def overall(self) -> tuple[JudgedOverall, ...]:
        """What is judged of all runs together, by cutoff; nothing where no run retrieved anything."""
        found = []
        for of_cutoff in zip(*(run.judged for run in self.runs), strict=True):
            shares = [
                (one.share, run.run)
                for one, run in zip(of_cutoff, self.runs, strict=True)
                if one.share is not None
            ]
            if shares:
                judged = sum(one.judged for one in of_cutoff)
                retrieved = sum(one.retrieved for one in of_cutoff)
                found.append(JudgedOverall(of_cutoff[0].cutoff, judged, retrieved, *min(shares)))
        return tuple(found)

    def settled(self, place: int) -> tuple[int, int] | None:
        """The pairs of runs whose order by a measure no judgment can change, and all pairs.

        `place` is that of the measure. None where its extremes are not known.
        """
        ranges = [(run.scores[place].lowest, run.scores[place].highest) for run in self.runs]
        known = np.array([one for one in ranges if None not in one], dtype=np.float64)
        if len(known) < len(ranges) or len(known) < 2:
            return None
        settled = int((known[:, 0][:, np.newaxis] > known[:, 1]).sum())
        return settled, len(known) * (len(known) - 1) // 2


def holes(
    qrels: Iterable[Qrel],
    runs: Iterable[Run | RunArrays],
    measures: Sequence[Measure],
    *,
    cutoffs: Sequence[int] = CUTOFFS,
    highest: int = 1,
    ties: TieRule = TieRule.TREC_EVAL,
    sample: SampledPool = NO_SAMPLE,
) -> Holes:
    """Look at the unjudged documents of runs, which are taken one by one and not kept.

    `highest` is the highest grade of the scale; that of the qrels counts if it is higher. A negative grade
    means not judged. `sample` is what scores are estimated from.
    Raises WorkbenchError for qrels that are empty or hold a pair twice.
    """
    scorer = Scorer(qrels, measures)
    grade = max(highest, scorer.relevance.highest)
    strata, prels = _by_topic(sample.strata), _by_topic(sample.prels)
    found = []
    for run in runs:
        ordered = scorer.read(run, ties=ties)
        per_topic = scorer.score(ordered).per_topic
        judged = ordered.judged
        scores = (
            _open_score(judged, one, mean_score(per_topic[str(one)].values()), grade) for one in measures
        )
        found.append(
            RunWithHoles(
                run=ordered.tag,
                answered=len(judged),
                judged=tuple(_judged_depth(judged, cutoff) for cutoff in cutoffs),
                scores=tuple(scores),
                estimates=_estimates(ordered, sample, strata, prels),
            )
        )
    return Holes(len(scorer.relevance.topics), grade, tuple(found), sample.topics, sample.relevant)


def _by_topic(lines: Iterable[Drawn]) -> dict[str, dict[str, Drawn]]:
    """The lines of a sample by topic and docno."""
    found: dict[str, dict[str, Drawn]] = {}
    for line in lines:
        found.setdefault(line.topic, {})[line.docno] = line
    return found


def _estimates(
    run: OrderedRun,
    sample: SampledPool,
    strata: Mapping[str, Mapping[str, SampledQrel]],
    prels: Mapping[str, Mapping[str, Prel]],
) -> dict[str, MeanScore]:
    orders = run.orders() if strata or prels else {}
    rel, values = sample.relevant_from, defaultdict(list)
    # infAP is for topics that are one stratum each, in which all documents are as likely.
    uniform = all(len({line.stratum for line in pool.values()}) == 1 for pool in strata.values())
    for topic, pool in strata.items():
        ranking = orders.get(topic, ())
        if uniform:
            values["infAP"].append(infap(ranking, pool, relevant_from=rel)[0])
        values["xinfAP"].append(xinfap(ranking, pool, relevant_from=rel)[0])
        values["infNDCG"].append(infndcg(ranking, pool))
    for topic, drawn in prels.items():
        values["statAP"].append(statap(orders.get(topic, ()), drawn)[0])
    found, for_order = {}, sample.relevant < FEWEST_RELEVANT
    for name, of_topics in values.items():
        if known := [value for value in of_topics if value is not None]:
            mean = mean_score(known)
            # What is too high or too low has no interval that it is in.
            found[name] = replace(mean, low=None, high=None) if for_order else mean
    return found


def _judged_depth(run: JudgedRun, cutoff: int) -> JudgedDepth:
    within = run.ranks <= cutoff
    retrieved = run.counted(run.rows[within])
    judged = run.counted(run.rows[within & (run.grades >= 0)])
    worst = float((judged[retrieved > 0] / retrieved[retrieved > 0]).min(initial=np.inf))
    return JudgedDepth(cutoff, int(judged.sum()), int(retrieved.sum()), None if np.isinf(worst) else worst)


def _open_score(run: JudgedRun, measure: Measure, score: MeanScore, highest: int) -> OpenScore:
    kernel, topics = kernel_of(measure), len(run.relevance.topics)
    if kernel is None:
        return OpenScore(str(measure), score, None, None, None)
    of_all = run.of_all_topics() if kernel.of_empty else run
    found = score_extremes(run, measure, highest=highest)
    unanswered = topics - len(run)
    return OpenScore(
        measure=str(measure),
        score=score,
        condensed=float(compute(kernel, of_all.judged_only(), measure).sum()) / topics,
        lowest=None if found is None else float(found.lowest.sum()) / topics,
        highest=None if found is None else (float(found.highest.sum()) + unanswered * found.missing) / topics,
    )


_EPSILON = 0.00001
"""What trec_eval adds to the relevant and to the other documents above a rank, so that none divides by 0."""
_JUDGED = 0.00003
"""What sample_eval.pl adds to all judged ones, and as much as trec_eval to the relevant."""


EstimatedAP = tuple[float | None, float]
"""Average precision of one topic, estimated, and its estimated number of relevant documents.

None where no relevant document was drawn.
"""


def infap(ranking: Sequence[str], pool: Mapping[str, SampledQrel], *, relevant_from: int = 1) -> EstimatedAP:
    """Inferred AP of a ranking, best first, from a sample in which every document of `pool` was as likely.

    The expected precision at each relevant document that was drawn: the share of the documents above it that
    are in the pool, times the share of relevant ones among those that were drawn. As trec_eval computes it.
    Source: Yilmaz and Aslam 2006.
    """
    # Of a pool that is one stratum `xinfap` differs by nothing but what is added to counts.
    return _inferred(ranking, pool, relevant_from, 2 * _EPSILON)


def xinfap(ranking: Sequence[str], pool: Mapping[str, SampledQrel], *, relevant_from: int = 1) -> EstimatedAP:
    """Extended inferred AP of a ranking, best first; `pool` has every document that could be
    drawn, by docno.

    Each stratum's relevant documents are estimated from its sample; the expected precision at a sampled
    relevant document from the samples of the strata above it. As NIST's sample_eval.pl computes it.
    Source: Yilmaz, Kanoulas and Aslam 2008.
    """
    return _inferred(ranking, pool, relevant_from, _JUDGED)


def _inferred(
    ranking: Sequence[str], pool: Mapping[str, SampledQrel], relevant_from: int, judged: float
) -> EstimatedAP:
    """`judged` is added to the judged documents above a rank."""
    sizes = Counter(one.stratum for one in pool.values())
    drawn = Counter(one.stratum for one in pool.values() if one.grade is not None)
    hits = Counter(
        one.stratum for one in pool.values() if one.grade is not None and one.grade >= relevant_from
    )
    estimated = {stratum: hits[stratum] * sizes[stratum] / drawn[stratum] for stratum in hits}
    relevant = sum(estimated.values())
    if not relevant:
        return None, 0.0
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
                count * (hits_above[stratum] + _EPSILON) / (judged_above[stratum] + judged)
                for stratum, count in above.items()
            )
            precision[one.stratum] += (1 + expected) / rank
            hits_above[one.stratum] += 1
        judged_above[one.stratum] += one.grade is not None
        above[one.stratum] += 1
    value = sum(estimated[stratum] / relevant * precision[stratum] / hits[stratum] for stratum in estimated)
    return value, relevant


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


def statap(ranking: Sequence[str], drawn: Mapping[str, Prel]) -> EstimatedAP:
    """StatAP of a ranking, best first, from the drawn documents by docno; grades from 1 on are relevant.

    Every relevant document drawn stands for 1 / probability of them. Source: Aslam and Pavlu 2007.
    """
    stands_for = {docno: 1 / one.inclusion for docno, one in drawn.items() if one.grade >= 1}
    relevant = sum(stands_for.values())
    if not relevant:
        return None, 0.0
    weights = [stands_for.get(docno, 0.0) for docno in ranking]
    before = accumulate(weights, initial=0.0)
    value = sum(
        weight * (1 + found) / rank
        for rank, (weight, found) in enumerate(zip(weights, before, strict=False), start=1)
    )
    return value / relevant, relevant
