"""Estimates of all coefficients: value, interval over topics, interval of these documents; their verdicts.

Of one topic the intervals are of its documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from math import fsum

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.coefficient import (
    NO_VARIATION,
    NOBODY,
    Coefficient,
    CoefficientValue,
    Sheet,
    Shown,
    Step,
    value_of,
    values,
    values_of,
)
from workbench.agreement.coefficients import coefficients_on, shown_in
from workbench.agreement.intervals import CONSTANT, Interval, all_or_none_interval, share_interval
from workbench.agreement.jackknife import LeftOut, Transform, intervals, linearised
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import MISSING, Ratings, Table, pair_tables
from workbench.agreement.selection import Selection
from workbench.agreement.tally import Tally, tally
from workbench.agreement.weights import Weights, nominal
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass


class Band(StrEnum):
    """Landis and Koch's words for an agreement beyond chance, and one where data are too few."""

    POOR = "poor"
    SLIGHT = "slight"
    FAIR = "fair"
    MODERATE = "moderate"
    SUBSTANTIAL = "substantial"
    ALMOST_PERFECT = "almost perfect"
    UNCERTAIN = "too uncertain"

    @property
    def kind(self) -> str:
        """How a page colours it: `good`, `fair` or `poor`; nothing for too uncertain."""
        return _KINDS[self]

    @property
    def low(self) -> bool:
        """Whether organisers are told of it: less than moderate, which is usual for relevance."""
        return self.kind == "poor"


_KINDS = {
    Band.POOR: "poor",
    Band.SLIGHT: "poor",
    Band.FAIR: "fair",
    Band.MODERATE: "fair",
    Band.SUBSTANTIAL: "good",
    Band.ALMOST_PERFECT: "good",
    Band.UNCERTAIN: "",
}
_UP_TO = ((0.2, Band.SLIGHT), (0.4, Band.FAIR), (0.6, Band.MODERATE), (0.8, Band.SUBSTANTIAL))
BANDS = (
    "The word is Landis and Koch's (1977) for the lower bound of the interval: up to 0.2 slight, 0.4 fair, "
    "0.6 moderate, 0.8 substantial, above almost perfect. It is a convention, not a test."
)
"""What pages and commands say under a table of verdicts."""


def verdict(value: float | None, *, enough: bool) -> Band | None:
    """The word for a coefficient, where there is `enough` to have an interval; None where it is undefined.

    Below 0 poor, to 0.2 slight, to 0.4 fair, to 0.6 moderate, to 0.8 substantial, above almost perfect. The
    lines are arbitrary, as the authors say. Source: Landis and Koch 1977.

    >>> verdict(0.776, enough=True).value, verdict(0.776, enough=False).value
    ('substantial', 'too uncertain')
    """
    if value is None:
        return None
    if not enough:
        return Band.UNCERTAIN
    if value < 0:
        return Band.POOR
    return next((word for bound, word in _UP_TO if value <= bound), Band.ALMOST_PERFECT)


UNDEFINED = "the coefficient is undefined"


@frozen_dataclass
class Estimate:
    """One coefficient of some ratings: its value or why there is none, and its intervals.

    `coefficient` is named as it is on the scale. `interval` is over topics, None where none was asked for;
    `analytic` follows from a formula for these documents, as if they were independent, None where there is
    none: where topics differ it covers the value of other topics in as little as a third of cases.
    """

    coefficient: Coefficient
    found: CoefficientValue
    interval: Interval | None = None
    analytic: Interval | None = None

    @property
    def name(self) -> str:
        """The coefficient's name in registries and files."""
        return self.coefficient.name

    @property
    def label(self) -> str:
        """What the coefficient is called."""
        return self.coefficient.label

    @property
    def value(self) -> float | None:
        """The value, None where it is undefined."""
        return self.found.value

    @property
    def enough(self) -> bool:
        """Whether there is an interval, or none only since nothing varies."""
        return self.interval is not None and (
            self.interval.low is not None or self.interval.undefined == CONSTANT
        )

    @property
    def band(self) -> Band | None:
        """The verdict in a word, on the lower bound: agreement is at least so good.

        None where there is no value, no interval was asked for, or chance is not corrected for.
        """
        if not self.coefficient.chance_corrected or self.interval is None or self.value is None:
            return None
        low = self.interval.low
        # An interval that reaches from below chance upwards says nothing.
        enough = self.enough and not (low is not None and low < 0 < self.value)
        return verdict(self.value if low is None else low, enough=enough)


class HasEstimates:
    """What has estimates of several coefficients."""

    __slots__ = ()
    estimates: tuple[Estimate, ...]

    def estimate(self, name: str) -> Estimate:
        """The estimate of a coefficient, by its name."""
        return chosen(self.estimates, name)


def topics_left_out(ratings: Ratings, options: AgreementOptions, *, by_assessor: bool = True) -> LeftOut:
    """The sums of some ratings without each topic, from which the intervals of all their coefficients follow.

    Without `by_assessor` those follow that need not know who gave a grade: all but the unpooled kappa.
    """
    rows = tally(ratings, options.weights_for(ratings), by_topic=True, by_assessor=by_assessor)
    return LeftOut(rows.grouped(), options.confidence)


def estimates(ratings: Ratings, options: AgreementOptions, left: LeftOut) -> tuple[Estimate, ...]:
    """Every coefficient over pairs with two grades or more, with intervals from the sums `left` out."""
    weights, categories = options.weights_for(ratings), ratings.categories
    (found,) = several_estimates(tally(ratings, weights), left, weights, categories, options)
    table = pair_tables(ratings)[0, 1] if ratings.n_assessors == 2 else None
    level = options.confidence
    return tuple(
        replace(one, analytic=of_these_documents(one, ratings, table, weights, level)) for one in found
    )


def several_estimates(
    wholes: Tally, left: LeftOut, weights: Weights, categories: tuple[int, ...], options: AgreementOptions
) -> list[tuple[Estimate, ...]]:
    """Every coefficient of several ratings, from sums over all their pairs (several, ...)."""
    by_coefficient = []
    for coefficient in coefficients_on(categories, weights=options.weights_name, level=options.level):
        values = (_written(coefficient, one) for one in values_of(coefficient, wholes, weights))
        by_coefficient.append([
            Estimate(coefficient, found, _unless_undefined(coefficient, found, interval))
            for found, interval in zip(values, intervals_over(coefficient, left, weights), strict=True)
        ])  # fmt: skip
    return list(zip(*by_coefficient, strict=True))


def intervals_over(coefficient: Coefficient, left: LeftOut, weights: Weights) -> tuple[Interval, ...]:
    """The interval of one coefficient over topics, of each of several ratings."""
    whole, without = (values(coefficient, sums, weights) for sums in (left.whole, left.without))
    scale = Transform.KAPPA if coefficient.chance_corrected else Transform.SHARE
    return intervals(whole, without, left.evidence, scale, level=left.level)


def _unless_undefined(coefficient: Coefficient, found: CoefficientValue, interval: Interval) -> Interval:
    """The interval of a value, none of no value, or the exact one where all or none agree."""
    if found.value is None:
        return replace(interval, low=None, high=None, undefined=UNDEFINED)
    # An observed agreement of 0 or 1 changes with no topic.
    if coefficient.name == "observed" and found.value in (0, 1) and interval.undefined == CONSTANT:
        return all_or_none_interval(found.value, found.n, level=interval.level)
    return interval


def coefficients_of(
    selection: Selection, options: AgreementOptions
) -> tuple[Selection, tuple[Estimate, ...]]:
    """Every coefficient of a selection with its intervals, and nothing else of the report."""
    ratings = selection.ratings
    return selection, estimates(ratings, options, topics_left_out(ratings, options))


def interval_of(
    coefficient: Coefficient, found: CoefficientValue, left: LeftOut, weights: Weights
) -> Interval:
    """The interval over topics of a coefficient of one ratings, or why there is none."""
    return _unless_undefined(coefficient, found, intervals_over(coefficient, left, weights)[0])


def calculations(
    table: Sequence[Sequence[int]],
    found: Sequence[Estimate],
    ratings: Ratings,
    options: AgreementOptions,
    labels: Sequence[str],
) -> tuple[tuple[Estimate, tuple[Step, ...]], ...]:
    """The calculation of two assessors' coefficients from their table, step by step where there are steps."""
    counts = np.array(table, dtype=np.float64)
    if not counts.sum():
        return ()
    weighted = options.weighted and len(counts) > 2
    sheet = Sheet(counts, labels, options.weights_for(ratings), weighted)
    shown = ((one, one.coefficient.steps(sheet, one.found)) for one in found)
    return tuple((one, steps) for one, steps in shown if steps)


def chosen(found: Sequence[Estimate], name: str) -> Estimate:
    """The estimate of a coefficient, by its name; raises WorkbenchError for a name that none has."""
    for one in found:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in found)
    raise WorkbenchError(f"there is no coefficient {name!r}", remedy=f"choose one of {names}")


def _written(coefficient: Coefficient, found: CoefficientValue) -> CoefficientValue:
    """Disagreements that are no shares of pairs are not shown as such."""
    return found if coefficient.in_shares else replace(found, observed=None, expected=None)


def of_these_documents(
    one: Estimate, ratings: Ratings, table: Table | None, weights: Weights, level: float
) -> Interval | None:
    """The interval of an estimate by a formula, as if documents were independent; None for none."""
    if one.value is None:
        return None
    if one.coefficient.linearised:
        return linearised(ratings, one.name, weights=weights, level=level)
    return None if table is None else one.coefficient.table_interval(table, weights, one.found, level)


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
