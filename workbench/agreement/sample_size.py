"""How many doubly judged pairs give the interval of a coefficient a wished half width.

All follows from one thing: how much a coefficient moves when the share of one outcome does. The sum of
squares of these moves is its large-sample variance where the pairs are drawn at random, and taken label by
label that of a sample drawn by the first assessor's label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from workbench.errors import Finding, InvalidInput

Floats = NDArray[np.float64]
LEVEL = 0.95
NARROWEST, WIDEST = 0.005, 0.5
UNDEFINED = "everyone is expected to give one grade, so that there is no kappa to estimate"
_LARGEST_TOPIC = 1_000_000
FEWEST = 30
"""Large-sample variances are not trusted below so many pairs."""


class Draw(StrEnum):
    """How the pairs that a second assessor judges are drawn."""

    RANDOM = "random"
    LABEL = "label"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The pairs that a wished half width asks for, and how they were reckoned.

    `coefficient` says of what, and `value` what is expected of it. `variance` is that of one pair, so that
    the half width of n pairs is z sqrt(variance / n); a draw of whole topics of `topic_size` pairs has it
    times `effect`, and t of the topics less one for z. `by_label` are the pairs of each first label, in the
    order of the shares, for a draw by label only. `pairs` is None exactly where `undefined` says why. Each
    pair is judged by so many `assessors`, the first one among them.
    """

    draw: Draw
    coefficient: str
    value: float | None
    half_width: float
    level: float
    variance: float | None
    effect: float
    pairs: int | None
    by_label: tuple[int, ...] = ()
    undefined: str = ""
    topic_size: float = 1.0
    assessors: int = 2

    def reach(self, pairs: float) -> float | None:
        """The half width that so many pairs give; None of fewer than two topics, where topics are drawn."""
        topics = self.draw is Draw.TOPIC
        if self.variance is None or pairs <= 0 or (topics and pairs < 2 * self.topic_size):
            return None
        # Expanded percentiles of topics have t of as many degrees for z.
        point = normal_point(self.level)
        if topics:
            point = float(stdtrit(pairs / self.topic_size - 1, (1 + self.level) / 2))
        return point * sqrt(self.variance * self.effect / pairs)


def size_from_variance(
    value: float,
    *,
    at_random: float,
    weighed: Floats,
    half_width: float,
    draw: Draw,
    level: float = LEVEL,
    topic_size: float = 1.0,
    likeness: float = 0.0,
    coefficient: str = "pooled kappa",
    assessors: int = 2,
) -> SampleSize:
    """How many pairs give an interval of a coefficient this half width.

    From its value, its variance of one pair at random V, and w_k s_k of each first label: the share of the
    label times the standard deviation within it of what a pair moves the coefficient. At random n = z^2 V /
    d^2 (Cantor 1996). By the first assessor's label, whose shares are known, pairs are spread by w_k s_k,
    which needs the fewest: n = (z / d)^2 (sum of w_k s_k)^2 (Neyman 1934; Cochran 1977, section 5.5). Whole
    topics of `topic_size` pairs need 1 + (m - 1) rho times those at random (Kish 1965), rho being the
    `likeness` of pairs of a topic, with t of the topics less one for z. Raises InvalidInput for what cannot
    be asked for.
    """
    _require(half_width, level, topic_size, likeness)
    effect = 1 + (topic_size - 1) * likeness if draw is Draw.TOPIC else 1.0
    if not np.isfinite(value):
        return SampleSize(
            draw, coefficient, None, half_width, level, None, effect, None,
            undefined=UNDEFINED, assessors=assessors,
        )  # fmt: skip
    variance = float(weighed.sum()) ** 2 if draw is Draw.LABEL else at_random
    exact = (normal_point(level) / half_width) ** 2 * variance * effect
    # A hair above a whole number is rounding, not another pair.
    pairs = max(ceil(exact - 1e-6), FEWEST)
    by_label: tuple[int, ...] = ()
    if draw is Draw.LABEL:
        by_label = neyman_allocation(pairs, weighed)
        pairs = sum(by_label)
    needed = SampleSize(
        draw, coefficient, value, half_width, level, variance, effect, pairs, by_label,
        topic_size=topic_size, assessors=assessors,
    )  # fmt: skip
    return _with_few_topics(needed, pairs) if draw is Draw.TOPIC else needed


def neyman_allocation(pairs: int, weighed: ArrayLike, sizes: Sequence[int] | None = None) -> tuple[int, ...]:
    """Pairs spread over strata in proportion to weights, two or more of each, none beyond its size.

    What a small stratum cannot give goes to the others.
    """
    weights = np.asarray(weighed, dtype=np.float64)
    most = np.full(len(weights), np.inf) if sizes is None else np.asarray(sizes, dtype=np.float64)
    least = np.minimum(2, most)
    counts = least.copy()
    while (rest := min(pairs, most.sum()) - counts.sum()) >= 1:
        free = counts < most
        share = np.where(free, weights, 0.0)
        share = share if share.sum() > 0 else free.astype(np.float64)
        wanted = np.maximum(min(pairs, most.sum()) * share / share.sum() - counts, 0.0) * free
        wanted = wanted if wanted.sum() > 0 else free.astype(np.float64)
        step = np.minimum(np.floor(rest * wanted / wanted.sum()), most - counts)
        if not step.sum():
            # The remainder goes one by one, the most wanted first.
            order = np.argsort(-np.where(free, wanted, -1.0), kind="stable")[: int(rest)]
            step = np.zeros_like(counts)
            step[[place for place in order if free[place]]] = 1
        counts += step
    return tuple(int(count) for count in counts)


def normal_point(level: float) -> float:
    """z of a two-sided confidence level."""
    return NormalDist().inv_cdf((1 + level) / 2)


def _with_few_topics(needed: SampleSize, least: int) -> SampleSize:
    """The fewest pairs, `least` or more, whose topics give the half width; found by halving."""
    below, most = least - 1, least

    def enough(pairs: int) -> bool:
        reach = needed.reach(pairs)
        return reach is not None and reach <= needed.half_width + 1e-9

    while not enough(most):
        below, most = most, most * 2
    while most - below > 1:
        middle = (below + most) // 2
        below, most = (below, middle) if enough(middle) else (middle, most)
    return replace(needed, pairs=most)


def _require(half_width: float, level: float, topic_size: float, likeness: float) -> None:
    findings = []
    for code, value, low, high, what in (
        ("half_width", half_width, NARROWEST, WIDEST, "half width"),
        ("level", level, 0.5, 0.999, "level"),
        ("likeness", likeness, 0.0, 1.0, "likeness of the pairs of a topic"),
    ):
        if not low <= value <= high:
            message, remedy = f"the {what} cannot be {value:g}", f"give {low:g} to {high:g}"
            findings.append(Finding("Sample", None, code, message, remedy))
    if not 1 <= topic_size <= _LARGEST_TOPIC:
        message = f"a topic cannot have {topic_size:g} pairs"
        findings.append(Finding("Sample", None, "topic_size", message, f"give 1 to {_LARGEST_TOPIC:,}"))
    if findings:
        raise InvalidInput(findings)
