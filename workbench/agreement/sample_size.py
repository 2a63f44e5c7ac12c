"""How many pairs need several judgments for the interval of a coefficient to have a given half width.

An overlap is a sample of the pairs that one assessor graded and nobody else was given; further assessors
judge it, so that agreement can be estimated. Pairs are drawn at random, by stratum of the first assessor's
label, or as whole topics. At random, n = z² V / d², with V the large-sample variance of one pair's influence
on the coefficient and d the half width (Cantor 1996). By label, whose shares w are known, Neyman's allocation
needs the fewest: n = (z / d)² (Σ w s)², with s the standard deviation of the influence within a label (Neyman
1934; Cochran 1977, section 5.5). Whole topics of m pairs need 1 + (m - 1) ρ times as many as pairs at random,
ρ being the intraclass correlation (Kish 1965), with the t quantile of the number of topics less one for z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.quantiles import student_t
from workbench.agreement.sample_request import OPTIONS, PlanRequest
from workbench.errors import Finding, InvalidInput

Floats = NDArray[np.float64]
NARROWEST, WIDEST = 0.005, 0.5
UNDEFINED = "everyone is expected to give one grade, so that there is no kappa to estimate"
FEWEST = 30
"""Below so many pairs large-sample variances are not reliable."""
_LARGEST_TOPIC = 1_000_000


class Draw(StrEnum):
    """How the pairs for further assessors are drawn."""

    RANDOM = "random"
    LABEL = "label"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The pairs that a request needs when drawn in one way, and how their number was computed.

    `value` is the expected value of the coefficient, `variance` that of one pair, so that the half width of n
    pairs is z sqrt(variance / n); a draw of whole topics multiplies the variance by the design `effect`.
    `by_label` are the pairs of each first label, in the order of the shares, for a draw by label only.
    `pairs` is None exactly where `undefined` gives the reason.
    """

    request: PlanRequest
    draw: Draw
    value: float | None
    variance: float | None
    effect: float
    pairs: int | None
    by_label: tuple[int, ...] = ()
    undefined: str = ""

    def half_width_of(self, pairs: float) -> float | None:
        """The half width that so many pairs give; None for fewer than two topics, where topics are drawn."""
        topics, topic_size = self.draw is Draw.TOPIC, self.request.topic_size
        if self.variance is None or pairs <= 0 or (topics and pairs < 2 * topic_size):
            return None
        # Expanded percentiles over topics replace z by t with one degree fewer than there are topics.
        point = normal_point(self.request.level)
        if topics:
            point = student_t((1 + self.request.level) / 2, pairs / topic_size - 1)
        return point * sqrt(self.variance * self.effect / pairs)


def size_from_variance(
    value: float, *, at_random: float, by_label: Floats, draw: Draw, request: PlanRequest
) -> SampleSize:
    """How many pairs give the interval of a coefficient with this value the half width of the request.

    `at_random` is the variance V of one pair, `by_label` are the w s of every first label: its share times
    the standard deviation of the influence within it. Raises InvalidInput for a request out of bounds.
    """
    _require(request)
    effect = 1 + (request.topic_size - 1) * (request.icc or 0.0) if draw is Draw.TOPIC else 1.0
    if not np.isfinite(value):
        return SampleSize(request, draw, None, None, effect, None, undefined=UNDEFINED)
    variance = float(by_label.sum()) ** 2 if draw is Draw.LABEL else at_random
    exact = (normal_point(request.level) / request.half_width) ** 2 * variance * effect
    # A hair above a whole number is rounding, not another pair.
    pairs = max(ceil(exact - 1e-6), FEWEST)
    allocation: tuple[int, ...] = ()
    if draw is Draw.LABEL:
        allocation = neyman_allocation(pairs, by_label)
        pairs = sum(allocation)
    size = SampleSize(request, draw, value, variance, effect, pairs, allocation)
    return _with_few_topics(size, pairs) if draw is Draw.TOPIC else size


def neyman_allocation(pairs: int, weights: ArrayLike, sizes: Sequence[int] | None = None) -> tuple[int, ...]:
    """Pairs allocated to strata in proportion to weights, two or more to each, none beyond its size.

    What a small stratum cannot supply is allocated to the others.
    """
    weight = np.asarray(weights, dtype=np.float64)
    most = np.full(len(weight), np.inf) if sizes is None else np.asarray(sizes, dtype=np.float64)
    least = np.minimum(2, most)
    counts = least.copy()
    while (rest := min(pairs, most.sum()) - counts.sum()) >= 1:
        free = counts < most
        share = np.where(free, weight, 0.0)
        share = share if share.sum() > 0 else free.astype(np.float64)
        due = np.maximum(min(pairs, most.sum()) * share / share.sum() - counts, 0.0) * free
        due = due if due.sum() > 0 else free.astype(np.float64)
        step = np.minimum(np.floor(rest * due / due.sum()), most - counts)
        if not step.sum():
            # The remainder is allocated one by one, what is due the most first.
            order = np.argsort(-np.where(free, due, -1.0), kind="stable")[: int(rest)]
            step = np.zeros_like(counts)
            step[[place for place in order if free[place]]] = 1
        counts += step
    return tuple(int(count) for count in counts)


def normal_point(level: float) -> float:
    """z of a two-sided confidence level."""
    return NormalDist().inv_cdf((1 + level) / 2)


def _with_few_topics(size: SampleSize, least: int) -> SampleSize:
    """The fewest pairs, `least` or more, whose topics give the half width; found by bisection."""
    below, most = least - 1, least

    def enough(pairs: int) -> bool:
        half_width = size.half_width_of(pairs)
        return half_width is not None and half_width <= size.request.half_width + 1e-9

    while not enough(most):
        below, most = most, most * 2
    while most - below > 1:
        middle = (below + most) // 2
        below, most = (below, middle) if enough(middle) else (middle, most)
    return replace(size, pairs=most)


def _require(request: PlanRequest) -> None:
    findings = []
    for name, value, low, high in (
        ("half_width", request.half_width, NARROWEST, WIDEST),
        ("level", request.level, 0.5, 0.999),
        ("icc", request.icc or 0.0, 0.0, 1.0),
    ):
        if not low <= value <= high:
            message, remedy = f"{OPTIONS[name].what} cannot be {value:g}", f"give {low:g} to {high:g}"
            findings.append(Finding("Sample", None, OPTIONS[name].address, message, remedy))
    if not 1 <= request.topic_size <= _LARGEST_TOPIC:
        message = f"a topic cannot have {request.topic_size:g} pairs"
        findings.append(Finding("Sample", None, "topic_size", message, f"give 1 to {_LARGEST_TOPIC:,}"))
    if findings:
        raise InvalidInput(findings)
