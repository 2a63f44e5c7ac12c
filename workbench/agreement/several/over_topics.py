"""Intervals of anything that follows from sums by topic: topics are drawn whole, with replacement."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.agreement.several.bootstrap import LEVEL, ROUNDS, Interval
from workbench.agreement.several.bounds import FEWEST_UNITS, Bounds, bounds_among, method_of
from workbench.agreement.several.tally import Floats


@dataclass(frozen=True, slots=True)
class Resamples:
    """How many times topics are drawn again, from which seed, and how intervals at a `level` are taken."""

    rounds: int = ROUNDS
    seed: int = 0
    level: float = LEVEL
    bounds: Bounds = Bounds.EXPANDED

    @property
    def method(self) -> str:
        """What the intervals are called."""
        return method_of("topic", self.bounds)


def over_topics(of_resample: Callable[[Floats], Floats], sums: Floats, resamples: Resamples) -> Interval:
    """The interval of a figure that follows from sums by topic, shape (topics, ...)."""
    (found,) = each_over_topics(lambda drawn: (of_resample(drawn),), sums, resamples)
    return found


def each_over_topics(
    of_resample: Callable[[Floats], tuple[Floats, ...]],
    sums: Floats,
    resamples: Resamples,
    *,
    draws_of: Callable[[int], Floats] | None = None,
) -> tuple[Interval, ...]:
    """The intervals of several figures, all from the same resamples of the topics.

    `draws_of` gives the draws of so many topics, where somebody has them already.
    """
    units, rounds = len(sums), resamples.rounds
    few = units < FEWEST_UNITS
    if few:
        draws = np.zeros((1, units))
    else:
        draws = topic_draws(units, rounds, resamples.seed) if draws_of is None else draws_of(units)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = of_resample(drawn_sums(draws, sums))
    if few:
        why = "an interval needs two topics or more"
        none = Interval(
            None, None, resamples.level, resamples.method, units, rounds, resamples.seed, rounds, why
        )
        return (none,) * len(found)
    return tuple(interval_of_topics(each, units, resamples) for each in found)


def topic_draws(units: int, rounds: int, seed: int) -> Floats:
    """How often each unit is drawn in each round; shape (rounds, units)."""
    drawn = np.random.default_rng(seed).multinomial(units, np.full(units, 1 / units), size=rounds)
    return drawn.astype(np.float64)


def drawn_sums(draws: Floats, sums: Floats) -> Floats:
    """The sums of every resample, from sums by unit (units, ...); shape (rounds, ...)."""
    flat: Floats = draws @ sums.reshape(len(sums), math.prod(sums.shape[1:]))
    return flat.reshape(len(draws), *sums.shape[1:])


def interval_of_topics(found: Floats, units: int, resamples: Resamples) -> Interval:
    """The interval from the values of the resamples; those on which there is none are left out."""
    defined = found[np.isfinite(found)]
    rounds, seed, level = resamples.rounds, resamples.seed, resamples.level
    left_out = rounds - len(defined)
    if not len(defined):
        why = "the coefficient is undefined on every resample"
        return Interval(None, None, level, resamples.method, units, rounds, seed, left_out, why)
    low, high = bounds_among(defined, level, units, resamples.bounds)
    return Interval(low, high, level, resamples.method, units, rounds, seed, left_out)
