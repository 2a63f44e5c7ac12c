"""A deeper pool: the relevant documents it would find, what they would cost, and on which topics to look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import exp
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.intervals import Interval, student_t
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.run_tops import RunTops, reached
from workbench.records import Qrel
from workbench.scoring.relevance import Floats, Relevance
from workbench.trust.power_law import PowerLaw, fitted_law, fitted_laws, rates

Counts = NDArray[np.int64]
BAND_ENDS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
"""The ranks at which bands end, besides the depth of the judged pool and that of the deeper one."""

METHOD = "prediction by the law fitted without each topic"
FEWEST_TOPICS = 5
FARTHEST = 5
"""Times the judged depth: at ten times the interval held 87 of 100 counts where topics fall differently."""

TOO_FEW = f"an interval needs {FEWEST_TOPICS} topics or more"
TOO_FAR = f"an interval is valid up to {FARTHEST} times the judged depth"
NOT_FITTED = "the law, with or without a bend, cannot be fitted without one of the topics"

_STEPS = 10
_LARGEST = 20.0


@frozen_dataclass
class Deepening:
    """What is asked: a pool of `depth` judged, and the one of depth `deeper` that is considered.

    The law is fitted from rank `fit_from` (None: a tenth of the depth is left out) to `depth`. Intervals have
    the `level`.
    """

    depth: int
    deeper: int
    fit_from: int | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        if not 1 <= self.first_fitted < self.depth < self.deeper:
            raise WorkbenchError(
                f"a pool of depth {self.depth} cannot be fitted from rank {self.first_fitted} and compared "
                f"with one of depth {self.deeper}",
                remedy="fit from a smaller rank than the depth, and give a larger depth to compare with",
            )

    @property
    def first_fitted(self) -> int:
        """The first rank that is fitted: by default 1 of a pool of depth 7, 11 of one of depth 100."""
        return self.depth // 10 + 1 if self.fit_from is None else self.fit_from


@dataclass(frozen=True, slots=True, eq=False)
class PoolByRank:
    """What runs bring to a pool by rank, for the topics of the qrels; shapes (topics, ranks), from rank 1.

    A document counts at its best rank among all runs. `judged` of the `pooled` documents have a grade, and
    `relevant` of them one that counts as relevant.
    """

    topics: tuple[str, ...]
    runs: int
    pooled: Counts
    judged: Counts
    relevant: Counts

    def between(self, above: int, last: int) -> tuple[int, int, int]:
        """The documents pooled, judged and relevant below rank `above`, to rank `last`, of all topics."""
        pooled, judged, relevant = (
            int(of_kind[:, above:last].sum()) for of_kind in (self.pooled, self.judged, self.relevant)
        )
        return pooled, judged, relevant


@frozen_dataclass
class DepthBand:
    """New documents from rank `first` to `last`, all topics together, and what the law has there."""

    first: int
    last: int
    pooled: int
    judged: int
    relevant: int
    expected: float


@frozen_dataclass
class DepthPoint:
    """A pool of a depth: the relevant documents that it found, all topics together, and those of the law.

    `found` is None beyond the judged depth, `fitted` before the ranks that were fitted. Beyond the depth
    `fitted` extrapolates from what was found, `low` to `high` is its prediction interval; None where there is
    none.
    """

    depth: int
    found: int | None
    fitted: float | None
    low: float | None = None
    high: float | None = None


class Advice(StrEnum):
    """What to do about a topic: its interval tells whether a deeper pool finds a relevant document."""

    FINISH = "judge the pool first"
    DEEPER = "judge deeper"
    OPEN = "may find more"
    ENOUGH = "deep enough"
    NOTHING = "nothing left to judge"


@frozen_dataclass
class DeeperTopic:
    """What a deeper pool would find for a topic.

    `found` of the `judged` documents within the depth are relevant, `unjudged` there have no grade. Beyond it
    `judgments` documents are not judged, of which `expected` are relevant. The count lies from `low` to
    `high` by the fall of the law and the topic's own count; none can be more than there are judgments.
    """

    topic: str
    judged: int
    unjudged: int
    found: int
    judgments: int
    expected: float
    low: int
    high: int

    @property
    def per_judgment(self) -> float | None:
        """The expected new relevant documents of one judgment; None where there is nothing to judge."""
        return self.expected / self.judgments if self.judgments else None

    def recall(self, more: float) -> float | None:
        """The share found of the relevant documents of the deeper pool, if it has so many `more`.

        None where documents within the depth are not judged, and where nothing relevant is expected at all.
        """
        if self.unjudged or not self.found + more:
            return None
        return self.found / (self.found + more)

    @property
    def advice(self) -> Advice:
        """Deeper where even the lower bound is a relevant document, deep enough where the upper is none."""
        if self.unjudged:
            return Advice.FINISH
        if not self.judgments:
            return Advice.NOTHING
        if self.low >= 1:
            return Advice.DEEPER
        return Advice.OPEN if self.high >= 1 else Advice.ENOUGH


@frozen_dataclass
class DeeperPool:
    """What a deeper pool would find, by extrapolation: an estimate, not a count.

    Of the `pooled` documents within the depth `judged` have a grade, and `found` of these are relevant; the
    law is too low where some have none. Beyond, to the deeper depth, `expected` relevant documents are
    expected: those `known`, since they are judged already, and what the law has of those that are not, topic
    by topic to the rank of its last pooled document. `interval` is where the count on these topics lies.
    `judgments` documents there are not judged, and no run has a new one beyond rank `reached`. `topics` are
    sorted by expected relevant documents per judgment, the highest first, then by name (bytes).
    """

    question: Deepening
    runs: int
    pooled: int
    judged: int
    found: int
    known: int
    judgments: int
    reached: int
    law: PowerLaw
    expected: float
    interval: Interval
    bands: tuple[DepthBand, ...]
    topics: tuple[DeeperTopic, ...]
    curve: tuple[DepthPoint, ...]

    @property
    def share_found(self) -> float:
        """The share of the relevant documents of the deeper pool that the judged pool has."""
        return self.found / (self.found + self.expected)

    @property
    def share_interval(self) -> tuple[float, float] | None:
        """The same at the bounds of the interval."""
        if self.interval.low is None or self.interval.high is None:
            return None
        return self.found / (self.found + self.interval.high), self.found / (self.found + self.interval.low)


def pool_by_rank(
    runs: Iterable[RunTops], qrels: Iterable[Qrel], *, deepest: int, relevant_from: int = 1
) -> PoolByRank:
    """Count what runs bring by rank, to the rank `deepest`; a negative grade means not judged.

    Raises WorkbenchError for qrels that are empty, hold a pair twice or have no topic that a run has, and
    Conflict where two runs have the same tag.
    """
    relevance, pool = Relevance(qrels), reached(runs)
    rows = np.array([relevance.numbers.get(topic, -1) for topic in pool.topics], dtype=np.intp)[pool.numbers]
    kept = np.flatnonzero((rows >= 0) & (pool.best <= deepest))
    if not len(kept):
        raise WorkbenchError(
            "the runs have no document for any topic of the qrels", remedy="give the runs of these topics"
        )
    grades = relevance.grades_in_arrays(pool.docnos[kept], rows[kept])
    places = rows[kept] * deepest + pool.best[kept] - 1

    def counted(chosen: NDArray[np.bool_]) -> Counts:
        cells = len(relevance.topics) * deepest
        return np.bincount(places[chosen], minlength=cells).reshape(-1, deepest)

    return PoolByRank(
        topics=tuple(relevance.topics),
        runs=len(pool.tags),
        pooled=counted(np.ones(len(kept), dtype=np.bool_)),
        judged=counted(grades >= 0),
        relevant=counted(grades >= max(relevant_from, 0)),
    )


def deeper_pool(counts: PoolByRank, question: Deepening) -> DeeperPool:
    """Extrapolate the new relevant documents by rank beyond the depth of a judged pool.

    At rank d all topics together have C d ** s new relevant documents: Zobel 1998, who adds up the law beyond
    the judged ranks. Whether the law bends is tested, and one that does is fitted with its bend. What the
    pool needs in judgments is counted, not estimated. Raises WorkbenchError where `counts` end before the
    deeper pool, and where fewer than two of the fitted ranks have a relevant document.
    """
    depth, deeper, first = question.depth, question.deeper, question.first_fitted
    if counts.relevant.shape[1] < deeper:
        raise WorkbenchError(
            f"the runs were read to rank {counts.relevant.shape[1]}, not to {deeper}",
            remedy="read them as deep as the deeper pool",
        )
    law = fitted_law(counts.relevant[:, first - 1 : depth], first=first)
    beyond = _Beyond(counts, question, law)
    ahead = beyond.until(deeper)
    pooled, judged, found = counts.between(0, depth)
    return DeeperPool(
        question,
        counts.runs,
        pooled,
        judged,
        found,
        known=ahead.known,
        judgments=int(ahead.judgments.sum()),
        reached=int(np.flatnonzero(counts.pooled[:, :deeper].any(axis=0)).max()) + 1,
        law=law,
        expected=ahead.expected,
        interval=ahead.interval,
        bands=_bands(counts, law, depth, deeper),
        topics=_topics(counts, question, ahead),
        curve=_curve(counts, law, question, beyond),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Ahead:
    """What lies from the depth to a rank: `known` and `expected` relevant documents, and by topic (topics,).

    `judgments` are the documents without a grade, of which `relevant` are expected; `low` and `high` are the
    bounds of their count.
    """

    known: int
    expected: float
    judgments: Counts
    relevant: Floats
    low: Counts
    high: Counts
    interval: Interval


class _Beyond:
    """What the law has beyond the depth.

    A topic has the law's fall; how high it lies, is what its fitted ranks found. The lower bound is the lower
    one of the power law and of a law that may bend: where relevant documents end sooner than the power law
    the interval of that law alone covers none of the truth (simulated), and as wide an upper bound says
    nothing.
    """

    def __init__(self, counts: PoolByRank, question: Deepening, law: PowerLaw) -> None:
        self._counts, self._question = counts, question
        first, depth = question.first_fitted, question.depth
        fitted = counts.relevant[:, first - 1 : depth].astype(np.float64)
        self._fitted: Floats = fitted.sum(axis=1)
        without = fitted.sum(axis=0) - fitted
        self._ranks = np.arange(first, question.deeper + 1, dtype=np.float64)
        self._law = self._shares(np.array([[np.log(law.scale), law.exponent, law.bend]]))[0]
        self._laws = [
            self._shares(fitted_laws(np.vstack([fitted.sum(axis=0), without]), first=first, terms=terms))
            for terms in (2, 3)
        ]

    def _shares(self, laws: Floats) -> Floats:
        """What laws find to each rank beyond the depth, as a share of what they fitted; (laws, ranks)."""
        found, size = rates(laws, self._ranks), self._question.depth - self._question.first_fitted + 1
        # A law that bends upwards would rise beyond what was seen.
        beyond = np.minimum(found[:, size:], found[:, size - 1 : size])
        shares: Floats = np.cumsum(beyond, axis=1) / found[:, :size].sum(axis=1, keepdims=True)
        return shares

    def until(self, last: int) -> _Ahead:
        """What lies from the depth to the rank `last`."""
        counts, question, depth = self._counts, self._question, self._question.depth
        pooled = counts.pooled[:, depth:last]
        total = pooled.sum(axis=1)
        judgments: Counts = total - counts.judged[:, depth:last].sum(axis=1)
        # As many of the relevant documents as of all documents there are not judged.
        unjudged = judgments / np.maximum(total, 1)
        # No topic has any beyond the last document that a run brought.
        ends = np.where(pooled.any(axis=1), pooled.shape[1] - 1 - (pooled[:, ::-1] > 0).argmax(axis=1), 0)
        growth = self._law[ends] * unjudged
        relevant = np.minimum(self._fitted * growth, judgments)
        _, _, known = counts.between(depth, last)
        laws = self._errors(ends, unjudged)
        low, high = self._of_topics(growth, laws, expected := float(relevant.sum()), judgments)
        lower: float | None = None
        upper: float | None = None
        undefined = ""
        if not judgments.any():
            lower = upper = float(known)
        elif len(judgments) < FEWEST_TOPICS:
            undefined = TOO_FEW
        elif last > FARTHEST * depth:
            undefined = TOO_FAR
        elif laws is None:
            undefined = NOT_FITTED
        else:
            lower, upper = (known + bound for bound in self._of_all(laws, int(judgments.sum())))
        interval = Interval(lower, upper, question.level, METHOD, len(judgments), undefined=undefined)
        return _Ahead(known, known + expected, judgments, relevant, low, high, interval)

    def _errors(self, ends: Counts, unjudged: Floats) -> list[tuple[float, float]] | None:
        """What the power law and one that may bend expect in all, and the variance of its logarithm.

        None where a law cannot be fitted without one of the topics.
        """
        topics = len(unjudged)
        if topics < 2:
            return None
        found = []
        for shares in self._laws:
            with np.errstate(divide="ignore"):
                logs = np.log(shares[:, ends] @ (self._fitted * unjudged))
            if not np.isfinite(logs).all():
                return None
            without = logs[1:]
            variance = float((topics - 1) / topics * ((without - without.mean()) ** 2).sum())
            found.append((float(np.exp(logs[0])), variance))
        return found

    def _of_all(self, laws: Sequence[tuple[float, float]], judgments: int) -> tuple[float, float]:
        """The bounds of the count on these topics, a negative binomial as of one topic."""
        from scipy.stats import nbinom

        tail = (1 - self._question.level) / 2
        # Few topics: the normal is widened to t.
        widened = (self._reach(len(self._fitted)) / NormalDist().inv_cdf(1 - tail)) ** 2
        bounds = []
        for expected, of_law in laws:
            spread = max(widened * (of_law + 1 / self._fitted.sum()), 1e-9)
            at = 1 / (1 + expected * spread)
            bounds.append([float(nbinom.ppf(share, 1 / spread, at)) for share in (tail, 1 - tail)])
        (low, high), (bent, _) = bounds
        return min(low, bent, judgments), min(high, judgments)

    def _reach(self, topics: int) -> float:
        return student_t((1 + self._question.level) / 2, topics - 1)

    def _of_topics(
        self, growth: Floats, laws: list[tuple[float, float]] | None, expected: float, judgments: Counts
    ) -> tuple[Counts, Counts]:
        """The bounds of each topic's count, a negative binomial: its level is known by its own count."""
        from scipy.stats import nbinom

        tail = (1 - self._question.level) / 2
        least = most = 1.0
        if laws is not None and expected:
            reach = self._reach(len(judgments))
            (straight, error), (bent, of_bent) = ((law / expected, variance**0.5) for law, variance in laws)
            least = min(straight * exp(-reach * error), bent * exp(-reach * of_bent))
            most = straight * exp(min(reach * error, _LARGEST))
        at = self._fitted + 0.5
        low, high = (
            np.minimum(nbinom.ppf(share, at, 1 / (1 + growth * factor)), judgments).astype(np.int64)
            for share, factor in ((tail, least), (1 - tail, most))
        )
        return low, high


def _curve(counts: PoolByRank, law: PowerLaw, question: Deepening, beyond: _Beyond) -> tuple[DepthPoint, ...]:
    """What pools of each depth have found, to the judged one, and what deeper ones are expected to find."""
    depth, first = question.depth, question.first_fitted
    found = np.cumsum(counts.relevant[:, :depth].sum(axis=0)).tolist()
    before = found[first - 2] if first > 1 else 0
    points = [
        DepthPoint(at, found[at - 1], before + law.between(first, at) if at >= first else None)
        for at in range(1, depth + 1)
    ]
    steps = np.unique(np.linspace(depth, question.deeper, _STEPS + 1).round().astype(int)).tolist()
    least = 0.0
    for at in steps[1:]:
        ahead = beyond.until(at)
        low, high = ahead.interval.low, ahead.interval.high
        if low is not None and high is not None:
            # What is found by a rank is not lost at a later one.
            low = least = max(least, found[-1] + low)
            high += found[-1]
        points.append(DepthPoint(at, None, found[-1] + ahead.expected, low, high))
    return tuple(points)


def _bands(counts: PoolByRank, law: PowerLaw, depth: int, deeper: int) -> tuple[DepthBand, ...]:
    """The counts from rank 1 to the deeper pool's; what lies beyond the depth may be judged in part."""
    edges = sorted({end for end in BAND_ENDS if end < deeper} | {0, depth, deeper})
    bands = []
    for above, last in pairwise(edges):
        pooled, judged, relevant = counts.between(above, last)
        bands.append(DepthBand(above + 1, last, pooled, judged, relevant, law.between(above + 1, last)))
    return tuple(bands)


def _topics(counts: PoolByRank, question: Deepening, ahead: _Ahead) -> tuple[DeeperTopic, ...]:
    of_kinds = [
        kind[:, : question.depth].sum(axis=1) for kind in (counts.judged, counts.pooled, counts.relevant)
    ]
    beyond = (ahead.judgments, ahead.relevant, ahead.low, ahead.high)
    topics = [
        DeeperTopic(topic, judged, pooled - judged, *rest)
        for topic, judged, pooled, *rest in zip(
            counts.topics, *(figures.tolist() for figures in (*of_kinds, *beyond)), strict=True
        )
    ]
    # The topics come sorted by name, and sorting is stable.
    return tuple(sorted(topics, key=lambda one: -(one.per_judgment or 0.0)))
