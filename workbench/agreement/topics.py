"""Agreement by topic, with intervals over the pairs of each topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import fsum

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.coefficients import shown_in
from workbench.agreement.coefficients.coefficient import (
    NO_VARIATION,
    NOBODY,
    Coefficient,
    CoefficientValue,
    Shown,
    value_of,
)
from workbench.agreement.contingency import MISSING
from workbench.agreement.estimates import Estimate, exact_if_constant
from workbench.agreement.intervals import Interval
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings
from workbench.agreement.ratings_by_topic import RatingsByTopic
from workbench.agreement.resampling import Resamples, Unit, interval_over, resampled
from workbench.agreement.tally import tally
from workbench.agreement.weights import nominal

FEWEST = 10
"""Resamples of fewer pairs than this say nothing of the topic."""

_DEFINED_ONCE = {
    NOBODY: "it is defined once two assessors have graded one pair of the topic",
    NO_VARIATION: "it is defined once anybody gives another grade in the topic",
}


@dataclass(frozen=True, slots=True)
class TopicAgreement:
    """One topic, by its number among the ratings': estimates of the `topic_coefficients`.

    `n` pairs were judged by two assessors or more, and on `disputed` of them these differ.
    """

    place: int
    n: int
    disputed: int
    estimates: tuple[Estimate, ...]

    def estimate(self, name: str) -> Estimate:
        """The estimate of one of the coefficients."""
        return next(one for one in self.estimates if one.name == name)

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


def topic_coefficients(categories: Sequence[int] = (1, 0)) -> tuple[Coefficient, ...]:
    """The coefficients of every topic on a scale, every two grades disagreeing wholly, in report order."""
    return tuple(one.on_scale(categories) for one in shown_in(Shown.OF_PAIRS))


def by_topic(ratings: Ratings, options: AgreementOptions) -> tuple[TopicAgreement, ...]:
    """Every topic of the ratings, in their order; each is drawn anew from the same seed.

    The documents of a topic are drawn as if independent, which one topic alone cannot refute.
    """
    if not ratings.n_topics:
        return ()
    resamples = Resamples(options.rounds, options.seed, options.confidence, unit=Unit.PAIR)
    if isinstance(ratings, RatingsByTopic):
        known = (
            own.keep_few("agreement", resamples, partial(topic_agreement, own, resamples))
            for _, own in ratings.parts
        )
        return tuple(replace(one, place=place) for place, one in enumerate(known))
    order = np.argsort(ratings.topics, kind="stable")
    ends = np.cumsum(np.bincount(ratings.topics, minlength=ratings.n_topics))[:-1]
    columns = np.split(order, ends)
    several = (_of_topic(ratings, place, own) for place, own in enumerate(columns))
    return tuple(replace(topic_agreement(own, resamples), place=place) for place, own in enumerate(several))


def lowest_first(topics: Sequence[TopicAgreement], by: str) -> tuple[TopicAgreement, ...]:
    """Topics by the value of a coefficient, the lowest first; those without one come last."""

    def key(topic: TopicAgreement) -> tuple[bool, float, int]:
        value = topic.estimate(by).value
        return value is None, 0.0 if value is None else value, topic.place

    return tuple(sorted(topics, key=key))


def means(topics: Sequence[TopicAgreement]) -> tuple[TopicMean, ...]:
    """The mean of each coefficient over the topics where it is defined: every topic counts once."""
    found = []
    for name in (one.name for one in topic_coefficients()):
        values = [value for topic in topics if (value := topic.estimate(name).value) is not None]
        mean = fsum(values) / len(values) if values else None
        found.append(TopicMean(name, mean, len(values), len(topics) - len(values)))
    return tuple(found)


def what_would_define(found: CoefficientValue) -> str:
    """What must happen for an undefined coefficient of a topic to have a value; empty where it has one."""
    return _DEFINED_ONCE.get(found.undefined, "") if found.value is None else ""


def differing(ratings: Ratings) -> NDArray[np.bool_]:
    """Which pairs two assessors or more have graded differently; shape (pairs,)."""
    there = ratings.codes != MISSING
    lowest = np.where(there, ratings.codes, np.int8(127)).min(axis=0)
    differ: NDArray[np.bool_] = there.any(axis=0) & (ratings.codes.max(axis=0) != lowest)
    return differ


def _of_topic(ratings: Ratings, place: int, columns: NDArray[np.int64]) -> Ratings:
    """The ratings of one topic alone."""
    codes = ratings.codes[:, columns]
    if ratings.unlisted is None:
        # Of a crowd few judged any one topic; all others would be drawn again and again for nothing.
        codes = codes[(codes != MISSING).any(axis=1)]
    return replace(
        ratings,
        codes=codes,
        topics=np.zeros(len(columns), dtype=np.int64),
        n_topics=1,
        unlisted=None if ratings.unlisted is None else ratings.unlisted[[place]],
    )


def topic_agreement(own: Ratings, resamples: Resamples) -> TopicAgreement:
    """The agreement on the ratings of one topic, which is numbered 0."""
    weights = nominal(len(own.categories))
    total = tally(own, weights).total()
    n, disputed = int(total.doubly), int(differing(own).sum())
    coefficients = topic_coefficients(own.categories)
    if n < FEWEST:
        why = f"an interval of one topic needs {FEWEST} pairs that two judged; this one has {n}"
        none = Interval(None, None, resamples.level, resamples.method, n, undefined=why)
        few = tuple(Estimate(one, value_of(one, total, weights), none) for one in coefficients)
        return TopicAgreement(0, n, disputed, few)
    drawn = resampled(own, weights, resamples)
    return TopicAgreement(
        0,
        n,
        disputed,
        tuple(
            Estimate(
                one,
                value := value_of(one, total, weights),
                exact_if_constant(one, value, interval_over(one, drawn, weights)),
            )
            for one in coefficients
        ),
    )
