"""A deeper pool: the relevant documents it would find, what they would cost, and on which topics to look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.intervals import Bounds, Interval, bounds_among, method_of
from workbench.errors import WorkbenchError
from workbench.pooling.run_tops import RunTops, reached
from workbench.records import Qrel
from workbench.scoring.relevance import Relevance
from workbench.trust.log_linear import Floats
from workbench.trust.power_law import Fit, PowerLaw, fitted_law, fitted_laws, sums_between

Counts = NDArray[np.int64]
BAND_ENDS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
"""The ranks at which bands end, besides the depth of the judged pool and that of the deeper one."""

ONE_TOPIC = "one topic says nothing of others"
NOT_FITTED = "no resample of the topics could be fitted"

_FEWEST_TOPICS = 2
_STEPS = 10


@dataclass(frozen=True, slots=True)
class Deepening:
    """What is asked: a pool of `depth` judged, and the one of depth `deeper` that is considered.

    The law is fitted from rank `fit_from` (None: a tenth of the depth is left out) to `depth`. `level`,
    `rounds` and `seed` are those of the interval.
    """

    depth: int
    deeper: int
    fit_from: int | None = None
    fit: Fit = Fit.COUNTS
    level: float = 0.95
    rounds: int = 2_000
    seed: int = 0

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


@dataclass(frozen=True, slots=True)
class DepthBand:
    """New documents from rank `first` to `last`, all topics together, and what the law has there."""

    first: int
    last: int
    pooled: int
    judged: int
    relevant: int
    expected: float


@dataclass(frozen=True, slots=True)
class DepthPoint:
    """A pool of a depth: the relevant documents that it found, all topics together, and those of the law.

    `found` is None beyond the judged depth, `fitted` before the ranks that were fitted. Beyond the depth
    `fitted` extrapolates from what was found, `low` to `high` by the law fitted again on resampled topics;
    None where there is no interval.
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


@dataclass(frozen=True, slots=True)
class DeeperTopic:
    """What a deeper pool would find for a topic.

    `found` of the `judged` documents within the depth are relevant, `unjudged` there have no grade. Beyond it
    `judgments` documents are not judged, of which `expected` are relevant, `low` to `high` given the fall of
    the law and the topic's count (Garwood 1936); none can be more than there are judgments.
    """

    topic: str
    judged: int
    unjudged: int
    found: int
    judgments: int
    expected: float
    low: float
    high: float

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


@dataclass(frozen=True, slots=True)
class DeeperPool:
    """What a deeper pool would find, by extrapolation: an estimate, not a count.

    Of the `pooled` documents within the depth `judged` have a grade, and `found` of these are relevant; the
    law is too low where some have none. Beyond, to the deeper depth, `expected` relevant documents are
    expected: those `known`, since they are judged already, and what the law has of those that are not, topic
    by topic; `interval` resamples topics. `judgments` documents there are not judged, and no run has a new
    one beyond rank `reached`. `topics` are sorted by expected relevant
    documents per judgment, the highest first, then by name (bytes).
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

    At rank d all topics together have C d ** s new relevant documents: Zobel 1998, who fits the judged
    ranks by regression and adds up the law beyond them. What the pool needs in judgments is counted, not
    estimated. Raises WorkbenchError where `counts` end before the deeper pool, and where fewer than two
    of the fitted ranks have a relevant document.
    """
    depth, deeper, first = question.depth, question.deeper, question.first_fitted
    if counts.relevant.shape[1] < deeper:
        raise WorkbenchError(
            f"the runs were read to rank {counts.relevant.shape[1]}, not to {deeper}",
            remedy="read them as deep as the deeper pool",
        )
    fitted = counts.relevant[:, first - 1 : depth]
    law = fitted_law(fitted.sum(axis=0), first=first, fit=question.fit)
    beyond, growth = _Beyond(counts, question, deeper), law.between(depth + 1, deeper) / fitted.sum()
    return DeeperPool(
        question=question,
        runs=counts.runs,
        pooled=int(counts.pooled[:, :depth].sum()),
        judged=int(counts.judged[:, :depth].sum()),
        found=int(counts.relevant[:, :depth].sum()),
        known=beyond.known,
        judgments=int(beyond.judgments.sum()),
        reached=int(np.flatnonzero(counts.pooled[:, :deeper].any(axis=0)).max()) + 1,
        law=law,
        expected=float(beyond.total(law.between(depth + 1, deeper))),
        interval=_interval(fitted, question, beyond),
        bands=_bands(counts, law, depth, deeper),
        topics=_topics(counts, growth, question, beyond),
        curve=_curve(counts, law, question),
    )


class _Beyond:
    """What lies beyond the depth, to the rank `last`: the law says how many of it are relevant."""

    def __init__(self, counts: PoolByRank, question: Deepening, last: int) -> None:
        ranks = slice(question.depth, last)
        fitted = counts.relevant[:, question.first_fitted - 1 : question.depth].sum(axis=1)
        pooled = counts.pooled[:, ranks].sum(axis=1)
        self.known = int(counts.relevant[:, ranks].sum())
        self.judgments = pooled - counts.judged[:, ranks].sum(axis=1)
        # As many of the relevant documents as of all documents there are not judged.
        self.unjudged = self.judgments / np.maximum(pooled, 1)
        self._of_law = fitted / fitted.sum() * self.unjudged

    def total(self, of_law: Floats | float) -> Floats:
        """The relevant documents where the law has so many in all: of each topic no more than there are."""
        found = np.multiply.outer(of_law, self._of_law)
        total: Floats = self.known + np.minimum(found, self.judgments).sum(axis=-1)
        return total


def _interval(fitted: Counts, question: Deepening, beyond: _Beyond) -> Interval:
    """The law fitted again on resampled topics: the interval of what such topics would have."""
    topics, method = len(fitted), method_of("topic", Bounds.EXPANDED)
    if topics < _FEWEST_TOPICS:
        return Interval(None, None, question.level, method, topics, undefined=ONE_TOPIC)
    sums = sums_between(*_resampled_laws(fitted, question), question.depth + 1, question.deeper)
    defined = sums[~np.isnan(sums)]
    drawn = (topics, question.rounds, question.seed, question.rounds - len(defined))
    if not len(defined):
        return Interval(None, None, question.level, method, *drawn, undefined=NOT_FITTED)
    low, high = map(
        float, beyond.total(np.array(bounds_among(defined, question.level, topics, Bounds.EXPANDED)))
    )
    return Interval(low, high, question.level, method, *drawn)


def _resampled_laws(fitted: Counts, question: Deepening) -> tuple[Floats, Floats]:
    """The scale and exponent of the law of each resample of the topics."""
    topics = len(fitted)
    draws = np.random.default_rng(question.seed).multinomial(
        topics, np.full(topics, 1 / topics), size=question.rounds
    )
    return fitted_laws((draws @ fitted).astype(np.float64), first=question.first_fitted, fit=question.fit)


def _curve(counts: PoolByRank, law: PowerLaw, question: Deepening) -> tuple[DepthPoint, ...]:
    """What pools of each depth have found, to the judged one, and what deeper ones are expected to find."""
    depth, first = question.depth, question.first_fitted
    found = np.cumsum(counts.relevant[:, :depth].sum(axis=0)).tolist()
    before = found[first - 2] if first > 1 else 0
    points = [
        DepthPoint(at, found[at - 1], before + law.between(first, at) if at >= first else None)
        for at in range(1, depth + 1)
    ]
    fitted = counts.relevant[:, first - 1 : depth]
    topics = len(fitted)
    laws = _resampled_laws(fitted, question) if topics >= _FEWEST_TOPICS else None
    steps = np.unique(np.linspace(depth, question.deeper, _STEPS + 1).round().astype(int)).tolist()
    for at in steps[1:]:
        beyond = _Beyond(counts, question, at)
        low = high = None
        if laws is not None:
            sums = sums_between(*laws, depth + 1, at)
            defined = sums[~np.isnan(sums)]
            if len(defined):
                bounds = np.array(bounds_among(defined, question.level, topics, Bounds.EXPANDED))
                low, high = (found[-1] + beyond.total(bounds)).tolist()
        total = float(beyond.total(law.between(depth + 1, at)))
        points.append(DepthPoint(at, None, found[-1] + total, low, high))
    return tuple(points)


def _bands(counts: PoolByRank, law: PowerLaw, depth: int, deeper: int) -> tuple[DepthBand, ...]:
    """The counts from rank 1 to the deeper pool's; what lies beyond the depth may be judged in part."""
    bands, first = [], 1
    for last in sorted({end for end in BAND_ENDS if end < deeper} | {depth, deeper}):
        ranks = slice(first - 1, last)
        pooled, judged, relevant = (
            int(of_kind[:, ranks].sum()) for of_kind in (counts.pooled, counts.judged, counts.relevant)
        )
        bands.append(DepthBand(first, last, pooled, judged, relevant, law.between(first, last)))
        first = last + 1
    return tuple(bands)


def _topics(
    counts: PoolByRank, growth: float, question: Deepening, beyond: _Beyond
) -> tuple[DeeperTopic, ...]:
    """Each topic has the law's fall; how high it lies, is what the fitted ranks of the topic found."""
    from scipy.special import gammaincinv

    depth, judgments = question.depth, beyond.judgments
    fitted = counts.relevant[:, question.first_fitted - 1 : depth].sum(axis=1).astype(np.float64)
    tail = (1 - question.level) / 2
    low = np.where(fitted > 0, gammaincinv(np.maximum(fitted, 1), tail), 0.0)
    high = gammaincinv(fitted + 1, 1 - tail)
    estimates = np.stack([fitted, low, high], axis=1) * (growth * beyond.unjudged)[:, np.newaxis]
    estimates = np.minimum(estimates, judgments[:, np.newaxis])
    topics = [
        DeeperTopic(
            topic, int(judged), int(of_pool - judged), int(found), int(needed), *map(float, estimated)
        )
        for topic, judged, of_pool, found, needed, estimated in zip(
            counts.topics,
            counts.judged[:, :depth].sum(axis=1),
            counts.pooled[:, :depth].sum(axis=1),
            counts.relevant[:, :depth].sum(axis=1),
            judgments,
            estimates,
            strict=True,
        )
    ]
    # The topics come sorted by name, and sorting is stable.
    return tuple(sorted(topics, key=lambda one: -(one.per_judgment or 0.0)))
