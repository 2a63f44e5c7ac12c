"""Whether an assessor's judging changes: within a sitting (fatigue), and from sitting to sitting (drift)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, median

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.closed_form import share_interval
from workbench.agreement.sample_size import Chance, kappa_of_shares
from workbench.agreement.table import MISSING, Codes

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

GAP_SECONDS = 30 * 60
"""A pause of this length or more ends a sitting."""

ROUNDS = 1000
FEWEST_SITTINGS = 5
FEWEST = 20
SIGNIFICANT = 0.05
MOST_PERMUTED = 5000
"""Of more values p follows from the exact variance of the permutations, which are normal by then."""


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """One assessor's judgments in the order in which they were recorded; all parts have one length n.

    `moments` are seconds, `codes` the place of the grade among q categories (MISSING where the answer was
    none), `others` (n, q) how many others gave the pair each grade, `seconds` the active ones or NaN.
    """

    moments: Floats
    codes: Codes
    others: Integers
    seconds: Floats

    @property
    def agreement(self) -> Floats:
        """Of each judgment the share of the others who gave the same grade, NaN where there is nobody."""
        total = self.others.sum(axis=1)
        same = self.others[np.arange(len(self.codes)), np.maximum(self.codes, 0)]
        there = (self.codes != MISSING) & (total > 0)
        return np.where(there, same / np.maximum(total, 1), np.nan)


@dataclass(frozen=True, slots=True)
class Bin:
    """Some judgments of a course, by a label: the first position, or the day.

    `grades` counts them by category; agreement is over the `compared` ones that others have graded too, with
    Wilson's interval, and `kappa` is the pooled kappa of these. What is not there is None.
    """

    label: int
    judgments: int
    grades: tuple[int, ...]
    compared: int
    agreement: float | None
    low: float | None
    high: float | None
    kappa: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Trend:
    """A straight line through some values: its slope by one step, over `n` values of `groups` sittings.

    `low` and `high` are the 95 % interval by drawing sittings again; `p` how often a slope as steep comes out
    where the order means nothing. Both are of `rounds` from `seed`; `undefined` says why there is no slope,
    `no_interval` why there is no interval.
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

    @property
    def shown(self) -> bool:
        """Whether the values show a trend: chance alone gives one as steep less than once in twenty."""
        return self.p is not None and self.p < SIGNIFICANT


def sittings(moments: ArrayLike, *, gap: float = GAP_SECONDS) -> tuple[Integers, Integers]:
    """The sitting of every judgment, from 0, and its position there, from 1; moments ascend, in seconds.

    A pause of `gap` seconds or more begins a new sitting.
    """
    at = np.asarray(moments, dtype=np.float64)
    begins = np.concatenate([[True], np.diff(at) >= gap])[: len(at)]
    number = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    return number.astype(np.int64), (np.arange(len(at)) - first[number] + 1).astype(np.int64)


def bins(course: Course, labels: Integers) -> tuple[Bin, ...]:
    """The judgments of a course by label, in the order of the labels."""
    agreement = course.agreement
    return tuple(_bin(course, agreement, labels == label, int(label)) for label in np.unique(labels))


def trend_within(
    x: ArrayLike, y: ArrayLike, sitting: Integers, *, rounds: int = ROUNDS, seed: int = 0
) -> Trend:
    """How y changes with x inside sittings; that sittings differ as a whole is taken out.

    The slope is sum of (x - mean of the sitting)(y - mean of the sitting) over the squares of the first. The
    interval draws sittings again (Efron and Tibshirani 1993), p permutes the values within each sitting.
    Values that are NaN are left out.
    """
    at, values, groups = _there(x, y, sitting)
    parts = [(at[groups == one], values[groups == one]) for one in np.unique(groups)]
    parts = [(a - a.mean(), v - v.mean()) for a, v in parts if len(a) > 1]
    square = np.array([float(a @ a) for a, _ in parts])
    product = np.array([float(a @ v) for a, v in parts])
    if len(values) < FEWEST or not square.sum():
        return _too_few(len(values), len(parts), rounds, seed)
    generator = np.random.default_rng(seed)
    slope = float(product.sum() / square.sum())
    p = _p_within(parts, float(product.sum()), len(values), rounds, generator)
    return _with_interval(slope, p, product, square, len(values), rounds, seed, generator)


def trend_between(
    x: ArrayLike, y: ArrayLike, sitting: Integers, *, rounds: int = ROUNDS, seed: int = 0
) -> Trend:
    """How y changes with x from sitting to sitting, x being the same for all of a sitting.

    The line of least squares through all values; p permutes the sittings among their moments. Values that
    are NaN are left out.
    """
    at, values, groups = _there(x, y, sitting)
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
    if len(names) < FEWEST_SITTINGS:
        return Trend(slope, None, None, p, len(values), len(names), rounds, seed, "", _NEEDS_SITTINGS)
    draws = generator.multinomial(len(names), np.full(len(names), 1 / len(names)), size=rounds)
    drawn = slopes(np.broadcast_to(place, draws.shape), draws.astype(np.float64))
    low, high = np.quantile(drawn[np.isfinite(drawn)], [0.025, 0.975])
    return Trend(slope, float(low), float(high), p, len(values), len(names), rounds, seed)


_NEEDS_SITTINGS = f"an interval needs {FEWEST_SITTINGS} sittings or more"


def _with_interval(
    slope: float,
    p: float,
    product: Floats,
    square: Floats,
    n: int,
    rounds: int,
    seed: int,
    generator: np.random.Generator,
) -> Trend:
    groups = len(square)
    if groups < FEWEST_SITTINGS:
        return Trend(slope, None, None, p, n, groups, rounds, seed, "", _NEEDS_SITTINGS)
    draws = generator.multinomial(groups, np.full(groups, 1 / groups), size=rounds)
    below = draws @ square
    drawn = (draws @ product)[below > 0] / below[below > 0]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Trend(slope, float(low), float(high), p, n, groups, rounds, seed)


def _too_few(n: int, groups: int, rounds: int, seed: int) -> Trend:
    why = (
        f"a trend needs {FEWEST} judgments that can be compared; there are {n}"
        if n < FEWEST
        else "all stand at one place, so that there is no line through them"
    )
    return Trend(None, None, None, None, n, groups, rounds, seed, why)


def _there(x: ArrayLike, y: ArrayLike, sitting: Integers) -> tuple[Floats, Floats, Integers]:
    at, values = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    there = np.isfinite(values)
    return at[there], values[there], sitting[there]


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


def _bin(course: Course, agreement: Floats, own: NDArray[np.bool_], label: int) -> Bin:
    q = course.others.shape[1]
    codes = course.codes[own]
    found = agreement[own & np.isfinite(agreement)]
    low = high = share = kappa = None
    if len(found):
        share = float(found.mean())
        low, high = share_interval(float(found.sum()), len(found))
        kappa = _kappa(course, own & np.isfinite(agreement))
    timed = course.seconds[own]
    timed = timed[np.isfinite(timed)]
    return Bin(
        label=label,
        judgments=int(own.sum()),
        grades=tuple(int((codes == place).sum()) for place in range(q)),
        compared=len(found),
        agreement=share,
        low=low,
        high=high,
        kappa=kappa,
        seconds=float(median(timed.tolist())) if len(timed) else None,
    )


def _kappa(course: Course, own: NDArray[np.bool_]) -> float | None:
    others = course.others[own] / course.others[own].sum(axis=1, keepdims=True)
    table = np.zeros((others.shape[1], others.shape[1]))
    np.add.at(table, course.codes[own], others)
    value = float(kappa_of_shares(table / table.sum(), Chance.POOLED))
    return value if np.isfinite(value) else None
