"""Agreement by topic, with intervals of the documents of each topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.coefficient import (
    NO_VARIATION,
    NOBODY,
    Coefficient,
    CoefficientValue,
    Shown,
    value_of,
)
from workbench.agreement.coefficients import shown_in
from workbench.agreement.estimates import Estimate, HasEstimates, of_these_documents
from workbench.agreement.intervals import Interval, share_interval
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import MISSING, Ratings, Table, pair_tables
from workbench.agreement.tally import tally
from workbench.agreement.weights import nominal
from workbench.frozen import frozen_dataclass

FEWEST = 10
"""Of fewer documents with another grade than the most frequent a topic has no interval, nor a word."""

_DEFINED_ONCE = {
    NOBODY: "it is defined once two assessors have graded a document of the topic",
    NO_VARIATION: "it is defined once somebody gives another grade in the topic",
}


@frozen_dataclass
class TopicAgreement(HasEstimates):
    """One topic, by its number among the ratings': estimates of the `topic_coefficients`.

    `n` pairs were judged by two assessors or more, and on `disputed` of them these differ; `rich` (a mean
    over assessors) have another grade than the most frequent.
    """

    place: int
    n: int
    disputed: int
    rich: float
    estimates: tuple[Estimate, ...]

    @property
    def few(self) -> bool:
        """Whether too few documents are relevant (or not) for an interval."""
        return self.rich < FEWEST


@frozen_dataclass
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
    """Every topic of the ratings, in their order.

    Intervals are of a topic's documents as if independent, which one topic alone cannot refute.
    """
    if not ratings.n_topics:
        return ()
    order = np.argsort(ratings.topics, kind="stable")
    ends = np.cumsum(np.bincount(ratings.topics, minlength=ratings.n_topics))[:-1]
    return tuple(
        _topic_agreement(place, _of_topic(ratings, place, columns), options.confidence)
        for place, columns in enumerate(np.split(order, ends))
    )


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
        # Of a crowd few judged any one topic; all others would be gone through for nothing.
        codes = codes[(codes != MISSING).any(axis=1)]
    return replace(
        ratings,
        codes=codes,
        topics=np.zeros(len(columns), dtype=np.int64),
        n_topics=1,
        unlisted=None if ratings.unlisted is None else ratings.unlisted[[place]],
    )


def _topic_agreement(place: int, own: Ratings, level: float) -> TopicAgreement:
    """The agreement on the ratings of one topic."""
    weights = nominal(len(own.categories))
    total = tally(own, weights).total()
    n, disputed = int(total.doubly), int(differing(own).sum())
    rich = float(total.shares.sum() - total.shares.max())
    table = pair_tables(own)[0, 1] if own.n_assessors == 2 else None
    found = []
    for coefficient in topic_coefficients(own.categories):
        one = Estimate(coefficient, value_of(coefficient, total, weights))
        found.append(replace(one, interval=_interval(one, own, table, rich, level)))
    return TopicAgreement(place, n, disputed, rich, tuple(found))


def _interval(one: Estimate, own: Ratings, table: Table | None, rich: float, level: float) -> Interval | None:
    """The interval of a topic's documents by a formula: Wilson's of the observed agreement."""
    n = one.found.n
    if one.value is not None and not one.coefficient.chance_corrected:
        return Interval(*share_interval(one.value * n, n, level=level), level, "Wilson", n)
    if rich < FEWEST:
        why = (
            f"an interval for one topic needs {FEWEST} documents of a rarer grade; this topic has {rich:.3g}"
        )
        return Interval(None, None, level, "of its documents", n, undefined=why)
    return of_these_documents(one, own, table, nominal(len(own.categories)), level)
