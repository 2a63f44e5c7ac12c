"""Bootstrap intervals: topics, the unit that was sampled, or pairs drawn with replacement."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.coefficients import coefficient_named
from workbench.agreement.coefficients.coefficient import Coefficient, values
from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.intervals import (
    CONSTANT,
    FEWEST_UNITS,
    LEVEL,
    Bounds,
    Interval,
    all_equal,
    bounds_among,
    bounds_of_each,
    method_of,
)
from workbench.agreement.ratings import Ratings
from workbench.agreement.tally import Cells, Floats, Integers, Tally, cells_of, tally, tally_of_cells
from workbench.agreement.weights import Weights, weights_of
from workbench.errors import WorkbenchError

ROUNDS = 2000
_MOST_DRAWS = 2**23
_MOST_KEYS = 2**62
# Values of resamples computed at a time.
_CACHED = 2**17
# Draws of a megabyte or less are kept, some numbers of topics being those of many assessors and pairs.
_KEPT_DRAWS = 2**17
# Of up to 8 megabytes the last few: those of all topics are drawn again and again.
_LARGE_DRAWS = 2**20


class Unit(StrEnum):
    """What is drawn again, with replacement."""

    TOPIC = "topic"
    PAIR = "pair"


@dataclass(frozen=True, slots=True)
class Resamples:
    """How many times which unit is drawn, from which seed, and how intervals at a `level` are taken."""

    rounds: int = ROUNDS
    seed: int = 0
    level: float = LEVEL
    bounds: Bounds = Bounds.EXPANDED
    unit: Unit = Unit.TOPIC

    @property
    def method(self) -> str:
        """What the intervals are called."""
        return method_of(self.unit, self.bounds)

    def none(self, units: int, why: str, *, left_out: int | None = None) -> Interval:
        """No interval of so many units, and why."""
        undefined = self.rounds if left_out is None else left_out
        return Interval(None, None, self.level, self.method, units, self.rounds, self.seed, undefined, why)


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """The sums of every resample, from which the intervals of all coefficients follow; `units` drawn from."""

    tally: Tally
    units: int
    resamples: Resamples


def bootstrap(
    ratings: Ratings,
    name: str,
    resamples: Resamples | None = None,
    *,
    weights: str | ArrayLike = "nominal",
) -> Interval:
    """The interval of a coefficient over resamples of topics or of pairs.

    Topics are drawn whole, since the documents of a topic are not independent of one another. Raises
    WorkbenchError for a coefficient, weights, rounds or a level that cannot be.
    Source: Efron and Tibshirani 1993, chapter 13; for alpha Hayes and Krippendorff 2007; for few topics
    Hesterberg 2015.
    """
    coefficient, chosen = coefficient_named(name), resamples or Resamples()
    if chosen.rounds < 1 or not 0 < chosen.level < 1:
        message = f"{chosen.rounds} rounds at level {chosen.level} give no interval"
        raise WorkbenchError(message, remedy="as 2000 at 0.95")
    matrix = weights_of(weights, ratings.categories)
    return interval_over(coefficient, resampled(ratings, matrix, chosen), matrix)


def resampled(
    ratings: Ratings, weights: Weights, resamples: Resamples, *, by_assessor: bool = True
) -> Resampled:
    """The sums of every resample of some ratings; over topics, if asked, without what each assessor gave.

    Units on which somebody can agree are drawn from one another, and so are those that one alone judged,
    which only weigh on chance: no resample is without agreement for that, and few units stay few.
    """
    if resamples.unit is Unit.TOPIC and not by_assessor:
        return resampled_cells(cells_of(ratings, by_topic=True), weights, resamples)
    return resampled_units(*_units(ratings, weights, resamples.unit), resamples)


def resampled_units(rows: Tally, times: Floats, resamples: Resamples) -> Resampled:
    """The same from the sums of every unit, or kind of unit, and how many there are of it."""
    rounds, several = resamples.rounds, rows.doubly > 0
    if not len(times):
        return Resampled(rows.drawn(np.zeros((rounds, 0))), 0, resamples)
    if rounds * len(times) <= _LARGE_DRAWS and (times == 1).all():
        parts = [_arrays(rows.drawn(_kept_strata(several.tobytes(), rounds, resamples.seed)))]
    else:
        drawn = _strata_draws(several, times, rounds, resamples.seed)
        parts = [_arrays(rows.drawn(draws)) for draws in drawn]
    # One part is all of it: to copy a crowd's sums takes as long as to draw them.
    sums = parts[0] if len(parts) == 1 else (np.concatenate(part) for part in zip(*parts, strict=True))
    whole = Tally(*sums)
    return Resampled(whole, int(times[several].sum()), resamples)


def _strata_draws(several: NDArray[np.bool_], times: Floats, rounds: int, seed: int) -> Iterator[Floats]:
    """How often each unit is drawn in each round, in parts of some rounds."""
    generator = np.random.default_rng(seed)
    strata = [np.flatnonzero(of) for of in (several, ~several) if of.any()]
    # In parts, since many kinds of pairs times many rounds are too much to hold at once.
    at_once = max(1, _MOST_DRAWS // len(times))
    for start in range(0, rounds, at_once):
        draws = np.zeros((min(at_once, rounds - start), len(times)))
        for of in strata:
            many = int(times[of].sum())
            draws[:, of] = generator.multinomial(many, times[of] / many, size=len(draws))
        yield draws


@lru_cache(maxsize=4)
def _kept_strata(several: bytes, rounds: int, seed: int) -> Floats:
    """The same of units of which there is one each; a report draws the same topics for every figure."""
    there = np.frombuffer(several, np.bool_)
    (draws,) = _strata_draws(there, np.ones(len(there)), rounds, seed)
    draws.flags.writeable = False
    return draws


def _units(ratings: Ratings, weights: Weights, unit: Unit) -> tuple[Tally, Floats]:
    """The sums of every unit that anybody judged, or kind of unit, and how many there are of it."""
    if unit is Unit.TOPIC:
        return _judged_topics(cells_of(ratings, by_topic=True), tally(ratings, weights, by_topic=True))
    return _by_kind(ratings, weights)


def _judged_topics(cells: Cells, sums: Tally) -> tuple[Tally, Floats]:
    """The sums of the topics that have cells, and once for each."""
    judged = np.flatnonzero(np.bincount(cells.group, cells.times))
    return Tally(*(part[judged] for part in _arrays(sums))), np.ones(len(judged))


def resampled_cells(cells: Cells, weights: Weights, resamples: Resamples) -> Resampled:
    """The sums of every resample of topics, from cells by topic; without what each assessor gave."""
    given = np.empty((cells.n_groups, 0, len(cells.counts)))
    return resampled_units(*_judged_topics(cells, tally_of_cells(cells, weights, given=given)), resamples)


def interval_over(coefficient: Coefficient, drawn: Resampled, weights: Weights) -> Interval:
    """The interval of one coefficient from the sums of the resamples."""
    if drawn.units < FEWEST_UNITS:
        # There may be no resample to compute anything from.
        return interval_of_values(np.empty(0), drawn)
    return interval_of_values(values(coefficient, drawn.tally, weights), drawn)


def intervals_over(coefficient: Coefficient, drawn: Resampled, weights: Weights) -> tuple[Interval, ...]:
    """The same of each of several ratings with as many units, whose sums are (several, rounds, ...)."""
    if drawn.units < FEWEST_UNITS:
        return (interval_of_values(np.empty(0), drawn),) * len(drawn.tally.doubly)
    return intervals_among(values(coefficient, drawn.tally, weights), drawn.units, drawn.resamples)


def interval_of_values(found: Floats, drawn: Resampled) -> Interval:
    """The interval among values that were computed from the resamples, one of each."""
    if drawn.units < FEWEST_UNITS:
        why = f"an interval needs two {drawn.resamples.unit}s or more"
        return drawn.resamples.none(drawn.units, why)
    return interval_among(found, drawn.units, drawn.resamples)


def _by_kind(ratings: Ratings, weights: Weights) -> tuple[Tally, Floats]:
    """The sums of one pair of each kind, and how many pairs there are of it.

    Kinds are told apart by who gave which grade, since the unpooled kappa asks for it; assessors of a crowd
    have more kinds than one would count, and then every pair is a kind of its own.
    """
    judged = ratings.codes[:, (ratings.codes != MISSING).any(axis=0)]
    columns, times = _distinct(judged, len(ratings.categories) + 1)
    if ratings.unlisted is not None:
        lowest = np.full((ratings.n_assessors, 1), ratings.lowest, dtype=columns.dtype)
        columns = np.concatenate([columns, lowest], axis=1)
        times = np.concatenate([times, [ratings.unlisted.sum()]])
    kinds = Ratings(columns, ratings.categories, np.arange(columns.shape[1]), columns.shape[1])
    cells: Cells = cells_of(kinds, by_topic=True)
    q = len(ratings.categories)
    given = (columns.T[:, :, np.newaxis] == np.arange(q)).astype(np.float64)
    return tally_of_cells(cells, weights, given=given), times.astype(np.float64)


def _distinct(columns: Codes, base: int) -> tuple[Codes, Integers]:
    """The different columns and how often each is there; quick where they fit into whole numbers."""
    if base ** len(columns) >= _MOST_KEYS:
        found, times = np.unique(columns, axis=1, return_counts=True)
        return found, times
    keys = np.zeros(columns.shape[1], dtype=np.int64)
    for row in columns:
        keys = keys * base + (row + 1)
    _, places, times = np.unique(keys, return_index=True, return_counts=True)
    return columns[:, places], times


def _arrays(rows: Tally) -> tuple[Floats, ...]:
    return rows.disagreement, rows.doubly, rows.rated, rows.shares, rows.coincidences, rows.given


def over_topics(of_resample: Callable[[Floats], Floats], sums: Floats, resamples: Resamples) -> Interval:
    """The interval of a figure that follows from sums by topic, shape (topics, ...)."""
    (found,) = each_over_topics(lambda drawn: (of_resample(drawn),), sums, resamples)
    return found


def each_over_topics(
    of_resample: Callable[[Floats], tuple[Floats, ...]], sums: Floats, resamples: Resamples
) -> tuple[Interval, ...]:
    """The intervals of several figures, all from the same resamples of the topics."""
    units, rounds = len(sums), resamples.rounds
    few = units < FEWEST_UNITS
    draws = np.zeros((1, units)) if few else topic_draws(units, rounds, resamples.seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = of_resample(drawn_sums(draws, sums))
    if few:
        return (resamples.none(units, "an interval needs two topics or more"),) * len(found)
    return tuple(interval_among(each, units, resamples) for each in found)


def topic_draws(units: int, rounds: int, seed: int) -> Floats:
    """How often each unit is drawn in each round; shape (rounds, units), to be read only."""
    if units * rounds <= _KEPT_DRAWS:
        return _kept_draws(units, rounds, seed)
    return (_kept_large if units * rounds <= _LARGE_DRAWS else _topic_draws)(units, rounds, seed)


def _topic_draws(units: int, rounds: int, seed: int) -> Floats:
    drawn = np.random.default_rng(seed).multinomial(units, np.full(units, 1 / units), size=rounds)
    found = drawn.astype(np.float64)
    found.flags.writeable = False
    return found


_kept_draws = lru_cache(maxsize=64)(_topic_draws)
_kept_large = lru_cache(maxsize=4)(_topic_draws)


def drawn_sums(draws: Floats, sums: Floats) -> Floats:
    """The sums of every resample, from sums by unit (units, ...); shape (rounds, ...)."""
    flat: Floats = draws @ sums.reshape(len(sums), math.prod(sums.shape[1:]))
    return flat.reshape(len(draws), *sums.shape[1:])


def interval_among(found: Floats, units: int, resamples: Resamples) -> Interval:
    """The interval among the values of the resamples; those on which there is none are left out."""
    (interval,) = intervals_among(found[np.newaxis], units, resamples)
    return interval


def intervals_among(found: Floats, units: int, resamples: Resamples) -> tuple[Interval, ...]:
    """The same for each of several figures of as many units; shape (figures, rounds)."""
    defined = np.isfinite(found)
    whole = np.asarray(defined.all(axis=-1))
    bounds = np.empty((len(found), 2))
    if whole.any():
        bounds[whole] = bounds_of_each(found[whole], resamples.level, units, resamples.bounds)
    kinds = resamples.level, resamples.method, units, resamples.rounds, resamples.seed
    intervals = []
    for number, (low, high) in enumerate(bounds.tolist()):
        values = found[number] if whole[number] else found[number, defined[number]]
        left_out = found.shape[-1] - len(values)
        if not len(values) or all_equal(values):
            why = CONSTANT if len(values) else "the coefficient is undefined on every resample"
            intervals.append(resamples.none(units, why, left_out=left_out))
            continue
        if not whole[number]:
            low, high = bounds_among(values, resamples.level, units, resamples.bounds)
        intervals.append(Interval(low, high, *kinds, left_out))
    return tuple(intervals)


def several_over_topics(
    of_resample: Callable[[Floats], tuple[Floats, ...]], sums: Sequence[Floats], resamples: Resamples
) -> list[tuple[Interval, ...]]:
    """As `each_over_topics` of every one of many sums by topic, those of as many topics at once."""
    found: dict[int, tuple[Interval, ...]] = {}
    for units, numbers in alike(map(len, sums)).items():
        if units < FEWEST_UNITS:
            found |= {number: each_over_topics(of_resample, sums[number], resamples) for number in numbers}
            continue
        draws = topic_draws(units, resamples.rounds, resamples.seed)
        for some in at_once(numbers, resamples.rounds * math.prod(sums[numbers[0]].shape[1:])):
            with np.errstate(divide="ignore", invalid="ignore"):
                figures = of_resample(np.stack([drawn_sums(draws, sums[number]) for number in some]))
            intervals = [intervals_among(one, units, resamples) for one in figures]
            found |= zip(some, zip(*intervals, strict=True), strict=True)
    return [found[number] for number in range(len(sums))]


def alike(units: Iterable[int]) -> dict[int, list[int]]:
    """The numbers, from 0, of those that have as many units, by how many that is."""
    found: dict[int, list[int]] = {}
    for number, many in enumerate(units):
        found.setdefault(many, []).append(number)
    return found


def at_once(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """The numbers in portions of which each, at so many values a number, stays in a processor's cache."""
    most = max(1, _CACHED // size)
    yield from (numbers[start : start + most] for start in range(0, len(numbers), most))
