"""Whether an assessor's judging changes: within a sitting (fatigue), and from sitting to sitting (drift)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.intervals import LEVEL, Bounds, bounds_among, method_of
from workbench.agreement.timelines import Floats, Integers

TREND_ROUNDS = 1000
FEWEST_SITTINGS = 5
FEWEST = 20
SIGNIFICANT = 0.05
OTHER_TIMES = "judgments at other times"
MOST_PERMUTED = 1000
"""Of more values p follows from the exact variance of the permutations, which are normal by then.

It is nearer to the p of all permutations than a thousand of them are, whose p of .05 has an error of .007.
"""


@dataclass(frozen=True, slots=True)
class Trend:
    """A straight line through some values: its slope by one step, over `n` values of `groups` sittings.

    `low` and `high` are the 95 % interval by drawing sittings again; `p` how often a slope as steep comes out
    where the order means nothing. Both are of `rounds` from `seed`; `undefined` says why there is no slope,
    `no_interval` why there is no interval, `would_define` what would give the one that is missing.
    """

    slope: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    groups: int
    rounds: int
    seed: int
    undefined: str = ""
    no_interval: str = ""
    would_define: str = ""

    @property
    def shown(self) -> bool:
        """Whether the values show a trend: chance alone gives one as steep less than once in twenty."""
        return self.p is not None and self.p < SIGNIFICANT


def trend_within(
    x: ArrayLike,
    y: ArrayLike,
    sitting: Integers,
    *,
    topic: Integers | None = None,
    rounds: int = TREND_ROUNDS,
    seed: int = 0,
) -> Trend:
    """How y changes with x inside sittings; that sittings and topics differ as a whole is taken out.

    A part is the judgments of one `topic` (number) in a sitting, or the sitting where no topics are given:
    topics are judged one after the other, and where one is harder than the next that is neither fatigue nor
    chance. The slope is sum of (x - mean of the part)(y - mean of the part) over the squares of the first.
    The interval draws sittings again (Efron and Tibshirani 1993; Hesterberg 2015), p permutes the values
    within each part. Values that are NaN are left out.
    """
    at, values, of_sitting, of_topic = _there(x, y, sitting, sitting if topic is None else topic)
    keys = np.unique(np.stack([of_sitting, of_topic]), axis=1, return_inverse=True)[1]
    parts, whose = [], []
    order = np.argsort(keys, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
        if len(own) > 1:
            parts.append((at[own] - at[own].mean(), values[own] - values[own].mean()))
            whose.append(of_sitting[own][0])
    names, number = np.unique(np.array(whose, dtype=np.int64), return_inverse=True)
    square, product = np.zeros(len(names)), np.zeros(len(names))
    np.add.at(square, number, [float(a @ a) for a, _ in parts])
    np.add.at(product, number, [float(a @ v) for a, v in parts])
    if len(values) < FEWEST or not square.sum():
        return _too_few(len(values), len(names), rounds, seed)
    generator = np.random.default_rng(seed)
    slope = float(product.sum() / square.sum())
    p = _p_within(parts, float(product.sum()), len(values), rounds, generator)

    def redrawn(draws: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn: Floats = (draws @ product) / (draws @ square)
        return drawn

    found = Trend(slope, None, None, p, len(values), len(square), rounds, seed)
    return _with_interval(found, redrawn, generator)


def trend_between(
    x: ArrayLike, y: ArrayLike, sitting: Integers, *, rounds: int = TREND_ROUNDS, seed: int = 0
) -> Trend:
    """How y changes with x from sitting to sitting, x being the same for all of a sitting.

    The line of least squares through all values; p permutes the sittings among their moments. Values that
    are NaN are left out.
    """
    at, values, groups, _ = _there(x, y, sitting, sitting)
    names, numbers = np.unique(groups, return_inverse=True)
    if len(values) < FEWEST or len(names) < 2 or not np.ptp(at):
        return _too_few(len(values), len(names), rounds, seed)
    size = np.bincount(numbers).astype(np.float64)
    place = np.bincount(numbers, at) / size
    total = np.bincount(numbers, values - values.mean())
    generator = np.random.default_rng(seed)

    def slopes(where: Floats, weights: Floats) -> Floats:
        """Slopes where sittings stand at `where` and are taken `weights` times; both (rounds, sittings)."""
        n = weights @ size
        middle = (weights * where) @ size / n
        away = where - middle[:, np.newaxis]
        mean = weights @ total / n
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = (weights * away * (total - mean[:, np.newaxis] * size)).sum(axis=1)
            found: Floats = upper / (weights * away**2 * size).sum(axis=1)
        return found

    once = np.ones((1, len(names)))
    slope = float(slopes(place[np.newaxis], once)[0])
    shuffled = generator.permuted(np.broadcast_to(place, (rounds, len(names))), axis=1)
    p = _p(np.abs(slopes(shuffled, np.ones_like(shuffled))) >= abs(slope) - 1e-12)

    def redrawn(draws: Floats) -> Floats:
        return slopes(np.broadcast_to(place, draws.shape), draws)

    found = Trend(slope, None, None, p, len(values), len(names), rounds, seed)
    return _with_interval(found, redrawn, generator)


INTERVALS = method_of("sitting", Bounds.EXPANDED)
"""What the intervals of trends are called."""


def _with_interval(
    trend: Trend, redrawn: Callable[[Floats], Floats], generator: np.random.Generator
) -> Trend:
    """The trend with its interval; `redrawn` gives slopes by how often sittings are drawn, (rounds, n)."""
    groups = trend.groups
    if groups < FEWEST_SITTINGS:
        why = f"an interval needs {FEWEST_SITTINGS} sittings or more"
        return replace(trend, no_interval=why, would_define=f"{FEWEST_SITTINGS - groups} more")
    draws = generator.multinomial(groups, np.full(groups, 1 / groups), size=trend.rounds)
    drawn = redrawn(draws.astype(np.float64))
    # A draw of sittings that stand at one place has no slope.
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn):
        return replace(trend, no_interval="no draw of the sittings has a slope", would_define=OTHER_TIMES)
    low, high = bounds_among(drawn, LEVEL, groups, Bounds.EXPANDED)
    return replace(trend, low=low, high=high)


def _too_few(n: int, groups: int, rounds: int, seed: int) -> Trend:
    found = Trend(None, None, None, None, n, groups, rounds, seed)
    if n < FEWEST:
        why = f"a trend needs {FEWEST} judgments that can be compared; there are {n}"
        return replace(found, undefined=why, would_define=f"{FEWEST - n} more")
    why = "all stand at one place, so that there is no line through them"
    return replace(found, undefined=why, would_define=OTHER_TIMES)


def _there(
    x: ArrayLike, y: ArrayLike, sitting: Integers, topic: Integers
) -> tuple[Floats, Floats, Integers, Integers]:
    at, values = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    there = np.isfinite(values)
    return at[there], values[there], sitting[there], topic[there]


def _p_within(
    parts: Sequence[tuple[Floats, Floats]],
    found: float,
    n: int,
    rounds: int,
    generator: np.random.Generator,
) -> float:
    """How often a sum of products as far from 0 comes out where values are permuted within their parts."""
    if n > MOST_PERMUTED:
        # Each part's sum has mean 0 and variance (a a)(v v) / (n - 1) over its permutations (Hoeffding 1951).
        variance = sum(float(a @ a) * float(v @ v) / (len(a) - 1) for a, v in parts)
        return 2 * NormalDist().cdf(-abs(found) / variance**0.5) if variance else 1.0
    chance = np.zeros(rounds)
    for a, v in parts:
        chance += generator.permuted(np.broadcast_to(v, (rounds, len(v))), axis=1) @ a
    return _p(np.abs(chance) >= abs(found) - 1e-9)


def _p(as_steep: Sequence[bool] | NDArray[np.bool_]) -> float:
    """The observed order is one of the orders that chance can give (Phipson and Smyth 2010)."""
    return (float(np.count_nonzero(as_steep)) + 1) / (len(as_steep) + 1)
