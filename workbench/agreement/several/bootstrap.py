"""Intervals by drawing again: over topics, the unit that was sampled, or over pairs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.several.bounds import FEWEST_UNITS, Bounds, bounds_among, method_of
from workbench.agreement.several.cells import Cells, Integers, cells_of
from workbench.agreement.several.methods import METHODS, Method, values, weights_of
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.tally import Floats, Tally, tally, tally_of_cells
from workbench.agreement.several.weights import Weights
from workbench.agreement.table import MISSING, Codes
from workbench.errors import WorkbenchError

ROUNDS = 2000
LEVEL = 0.95
_MOST_DRAWS = 2**23
_MOST_KEYS = 2**62


class Unit(StrEnum):
    """What is drawn again, with replacement."""

    TOPIC = "topic"
    PAIR = "pair"


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of a coefficient at a confidence `level`, how they were found, and why there are none.

    Of a bootstrap `rounds` were drawn of `units` from `seed`, and `undefined_rounds` of them, on which the
    coefficient is undefined, were left out. `low` and `high` are None exactly where `undefined` says why.
    """

    low: float | None
    high: float | None
    level: float
    method: str
    units: int = 0
    rounds: int = 0
    seed: int | None = None
    undefined_rounds: int = 0
    undefined: str = ""


def bootstrap(
    ratings: Ratings,
    method: str,
    *,
    weights: str | ArrayLike = "nominal",
    unit: Unit = Unit.TOPIC,
    rounds: int = ROUNDS,
    seed: int = 0,
    level: float = LEVEL,
    bounds: Bounds = Bounds.EXPANDED,
) -> Interval:
    """The interval of a coefficient over resamples of topics or of pairs.

    Topics are drawn whole, since the documents of a topic are not independent of one another. Raises
    WorkbenchError for a method, weights, rounds or a level that cannot be.
    Source: Efron and Tibshirani 1993, chapter 13; for alpha Hayes and Krippendorff 2007; for few topics
    Hesterberg 2015.
    """
    if method not in METHODS:
        raise WorkbenchError(f"there is no coefficient {method!r}", remedy=f"one of {', '.join(METHODS)}")
    if rounds < 1 or not 0 < level < 1:
        raise WorkbenchError(f"{rounds} rounds at level {level} give no interval", remedy="as 2000 at 0.95")
    chosen = weights_of(weights, ratings)
    drawn, units = resampled(ratings, chosen, unit=unit, rounds=rounds, seed=seed)
    return interval_over(
        METHODS[method], drawn, chosen,
        unit=unit, units=units, rounds=rounds, seed=seed, level=level, bounds=bounds,
    )  # fmt: skip


def resampled(ratings: Ratings, weights: Weights, *, unit: Unit, rounds: int, seed: int) -> tuple[Tally, int]:
    """The sums of every resample, and the number of units drawn from; from these follow all coefficients."""
    generator = np.random.default_rng(seed)
    if unit is Unit.TOPIC:
        judged = np.unique(ratings.topics[(ratings.codes != MISSING).any(axis=0)])
        if ratings.unlisted is not None:
            judged = np.union1d(judged, np.flatnonzero(ratings.unlisted))
        by_topic = tally(ratings, weights, by_topic=True)
        rows = Tally(*(part[judged] for part in _arrays(by_topic)))
        n = len(judged)
        chances = np.full(n, 1.0 / max(n, 1))
    else:
        rows, times = _by_kind(ratings, weights)
        n = int(times.sum())
        chances = times / max(n, 1)
    if not len(chances):
        return rows.drawn(np.zeros((rounds, 0))), 0
    # In parts, since many kinds of pairs times many rounds are too much to hold at once.
    at_once = max(1, _MOST_DRAWS // len(chances))
    parts = []
    for start in range(0, rounds, at_once):
        draws = generator.multinomial(n, chances, size=min(at_once, rounds - start))
        parts.append(_arrays(rows.drawn(draws.astype(np.float64))))
    return Tally(*(np.concatenate(part) for part in zip(*parts, strict=True))), n


def interval_over(
    method: Method,
    drawn: Tally,
    weights: Weights,
    *,
    unit: Unit,
    units: int,
    rounds: int,
    seed: int,
    level: float,
    bounds: Bounds = Bounds.EXPANDED,
) -> Interval:
    """The interval of one coefficient from the sums of the resamples."""
    name = method_of(unit, bounds)
    if units < FEWEST_UNITS:
        return Interval(
            None, None, level, name, units, rounds, seed, rounds, f"an interval needs two {unit}s or more"
        )
    found = values(method, drawn, weights)
    defined = found[np.isfinite(found)]
    left_out = rounds - len(defined)
    if not len(defined):
        why = "the coefficient is undefined on every resample"
        return Interval(None, None, level, name, units, rounds, seed, left_out, why)
    low, high = bounds_among(defined, level, units, bounds)
    return Interval(low, high, level, name, units, rounds, seed, left_out)


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
