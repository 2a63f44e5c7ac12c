"""Agreement topic by topic, with intervals over the pairs of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.result import NO_VARIATION, NOBODY, Coefficient
from workbench.agreement.several.bootstrap import LEVEL, Interval, Unit, interval_over, resampled
from workbench.agreement.several.bounds import Bounds, method_of
from workbench.agreement.several.methods import METHODS, coefficient
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.tally import tally
from workbench.agreement.several.weights import Weights, nominal
from workbench.agreement.table import MISSING

COEFFICIENTS = ("observed", "pooled", "unpooled", "alpha", "gwet")
ROUNDS = 1000
FEWEST = 10
"""Resamples of fewer pairs than this say nothing of the topic."""

_DEFINED_ONCE = {
    NOBODY: "it is defined once two assessors have graded one pair of the topic",
    NO_VARIATION: "it is defined once anybody gives another grade in the topic",
}


@dataclass(frozen=True, slots=True)
class TopicAgreement:
    """One topic, by its number among the ratings': coefficients and intervals in the order of COEFFICIENTS.

    `n` pairs were judged by two assessors or more, and on `disputed` of them these differ.
    """

    place: int
    n: int
    disputed: int
    coefficients: tuple[Coefficient, ...]
    intervals: tuple[Interval, ...]

    def coefficient(self, name: str) -> Coefficient:
        """One of the coefficients."""
        return self.coefficients[COEFFICIENTS.index(name)]

    def interval(self, name: str) -> Interval:
        """The interval of one of the coefficients."""
        return self.intervals[COEFFICIENTS.index(name)]

    @property
    def few(self) -> bool:
        """Whether the topic has too few pairs for an interval."""
        return self.n < FEWEST


@dataclass(frozen=True, slots=True)
class TopicMean:
    """The mean of a coefficient over `topics` topics, None where it is undefined on all; others left out."""

    name: str
    value: float | None
    topics: int
    left_out: int


def by_topic(
    ratings: Ratings, *, rounds: int = ROUNDS, seed: int = 0, level: float = LEVEL
) -> tuple[TopicAgreement, ...]:
    """Every topic of the ratings, in their order; each is drawn anew from the same seed.

    The documents of a topic are drawn as if independent, which one topic alone cannot refute.
    """
    if not ratings.n_topics:
        return ()
    weights = nominal(len(ratings.categories))
    order = np.argsort(ratings.topics, kind="stable")
    ends = np.cumsum(np.bincount(ratings.topics, minlength=ratings.n_topics))[:-1]
    columns = np.split(order, ends)
    return tuple(
        _topic(ratings, place, own, weights, rounds, seed, level) for place, own in enumerate(columns)
    )


def lowest_first(topics: Sequence[TopicAgreement], by: str) -> tuple[TopicAgreement, ...]:
    """Topics by the value of a coefficient, the lowest first; those without one come last."""

    def key(topic: TopicAgreement) -> tuple[bool, float, int]:
        value = topic.coefficient(by).value
        return value is None, 0.0 if value is None else value, topic.place

    return tuple(sorted(topics, key=key))


def means(topics: Sequence[TopicAgreement]) -> tuple[TopicMean, ...]:
    """The mean of each coefficient over the topics where it is defined: every topic counts once."""
    found = []
    for name in COEFFICIENTS:
        values = [value for topic in topics if (value := topic.coefficient(name).value) is not None]
        mean = fsum(values) / len(values) if values else None
        found.append(TopicMean(name, mean, len(values), len(topics) - len(values)))
    return tuple(found)


def what_would_define(found: Coefficient) -> str:
    """What must happen for an undefined coefficient of a topic to have a value; empty where it has one."""
    return _DEFINED_ONCE.get(found.undefined, "") if found.value is None else ""


def differing(ratings: Ratings) -> NDArray[np.bool_]:
    """Which pairs two assessors or more have graded differently; shape (pairs,)."""
    there = ratings.codes != MISSING
    lowest = np.where(there, ratings.codes, np.int8(127)).min(axis=0)
    differ: NDArray[np.bool_] = there.any(axis=0) & (ratings.codes.max(axis=0) != lowest)
    return differ


def _topic(
    ratings: Ratings,
    place: int,
    columns: NDArray[np.int64],
    weights: Weights,
    rounds: int,
    seed: int,
    level: float,
) -> TopicAgreement:
    codes = ratings.codes[:, columns]
    if ratings.unlisted is None:
        # Of a crowd few judged any one topic; all others would be drawn again and again for nothing.
        codes = codes[(codes != MISSING).any(axis=1)]
    own = replace(
        ratings,
        codes=codes,
        topics=np.zeros(len(columns), dtype=np.int64),
        n_topics=1,
        unlisted=None if ratings.unlisted is None else ratings.unlisted[[place]],
    )
    total = tally(own, weights).total()
    found = tuple(coefficient(METHODS[name], total, weights) for name in COEFFICIENTS)
    n = int(total.doubly)
    if n < FEWEST:
        why = f"an interval of one topic needs {FEWEST} pairs that two judged; this one has {n}"
        none = Interval(None, None, level, method_of(Unit.PAIR, Bounds.EXPANDED), n, undefined=why)
        return TopicAgreement(place, n, int(differing(own).sum()), found, (none,) * len(found))
    drawn, units = resampled(own, weights, unit=Unit.PAIR, rounds=rounds, seed=seed)
    intervals = tuple(
        interval_over(
            METHODS[name],
            drawn,
            weights,
            unit=Unit.PAIR,
            units=units,
            rounds=rounds,
            seed=seed,
            level=level,
        )
        for name in COEFFICIENTS
    )
    return TopicAgreement(place, n, int(differing(own).sum()), found, intervals)
