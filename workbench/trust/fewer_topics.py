"""Fewer topics: would other topics rank the runs alike, and which difference of two runs may be trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import WorkbenchError
from workbench.scoring.pairs_of_runs import checked_scores
from workbench.trust.discrimination import DiscriminativePower, discriminative_power
from workbench.trust.log_linear import Floats, most_likely
from workbench.trust.reliability import Reliability, reliability
from workbench.trust.topic_sets import SetsOfTopics, compare_sets

FEWEST_TOPICS = 4
FEWEST_COMPARISONS = 100
"""A rate of fewer comparisons says nothing about 5 %."""

MOST_BINS = 10_000
"""Differences that lie in more bins than that are counted in none often enough."""

_SIZES = 10
_SMALLEST_SET = 5


@dataclass(frozen=True, slots=True)
class Splitting:
    """How topics are split: `rounds` times for each number of topics, from `seed`.

    Differences are counted in bins of `width`, in the units of the measure. One that at most `most_swapped`
    of other topics would turn round is trusted. `level` is that of intervals and tests.
    """

    rounds: int = 1_000
    seed: int = 0
    width: float = 0.01
    most_swapped: float = 0.05
    level: float = 0.95

    def __post_init__(self) -> None:
        wrong = [
            name
            for name, right in (
                ("rounds", self.rounds >= 1),
                ("width", 0 < self.width < inf),
                ("most swapped", 0 < self.most_swapped < 1),
                ("level", 0 < self.level < 1),
            )
            if not right
        ]
        if wrong:
            raise WorkbenchError(
                f"topics cannot be split by this: {', '.join(wrong)}",
                remedy="give a round or more, a width above 0, and shares between 0 and 1",
            )


@dataclass(frozen=True, slots=True)
class TrustedDifference:
    """The smallest difference of two runs over `topics` topics that few other topics turn round.

    All bins from it on have a swap rate of at most the limit; None where none has. `pairs` counts the pairs
    of runs that are at least as far apart over all topics. `extrapolated` if more than half of the topics
    are meant, for which there are no two sets to compare.
    """

    topics: int
    difference: float | None
    pairs: int
    extrapolated: bool


@dataclass(frozen=True, slots=True, eq=False)
class FewerTopics:
    """What sets of fewer topics have in common, and what that says of all of them.

    `sets` are by number of topics; `rates` (sets, bins) are their swap rates, NaN of fewer comparisons than
    `FEWEST_COMPARISONS`, and `extrapolated` (bins,) those of all topics. `trusted` has a difference for
    each number of topics, and the last for all.
    """

    splitting: Splitting
    topics: int
    runs: int
    sets: tuple[SetsOfTopics, ...]
    rates: Floats
    extrapolated: Floats
    trusted: tuple[TrustedDifference, ...]
    reliability: Reliability
    power: tuple[DiscriminativePower, ...]


Progress = Callable[[Sequence[int]], Iterable[int]]


def fewer_topics(
    scores: ArrayLike,
    splitting: Splitting | None = None,
    *,
    sizes: Sequence[int] | None = None,
    progress: Progress = iter,
) -> FewerTopics:
    """Compare runs over sets of topics that have none in common; `scores` have the shape (topics, runs).

    Nothing here depends on whether a higher score is better: only on which of two runs has it. `sizes` are
    the numbers of topics, each at most half of all. For all topics each bin's swap rate is extrapolated as
    A exp(-B n), n the number of topics (Voorhees and Buckley 2002): the most likely A and B of the swaps
    counted, and not above the rate of the largest sets.
    Raises WorkbenchError for fewer than four topics or two runs, other sizes, and scores that are not finite.
    """
    splitting = splitting or Splitting()
    values = checked_scores(scores)
    chosen = tuple(sizes) if sizes is not None else set_sizes(len(values))
    if len(values) < FEWEST_TOPICS or not chosen or min(chosen) < 1 or max(chosen) > len(values) // 2:
        raise WorkbenchError(
            f"{len(values)} topics cannot be split into two sets of {', '.join(map(str, chosen)) or 'none'}",
            remedy=f"give at least {FEWEST_TOPICS} topics, and sets of at most half of them",
        )
    if np.ptp(values) / splitting.width > MOST_BINS:
        raise WorkbenchError(
            f"bins of {splitting.width:g} are too narrow for scores to {values.max():g}",
            remedy=f"give a width that makes at most {MOST_BINS:,} bins",
        )
    sets = tuple(
        compare_sets(values, size, rounds=splitting.rounds, seed=splitting.seed, width=splitting.width)
        for size in progress(chosen)
    )
    rates = np.array([_rates(one) for one in sets])
    extrapolated = _extrapolated(sets, rates, len(values))
    means = values.mean(axis=0)
    first, second = np.triu_indices(len(means), k=1)
    apart = np.abs(means[first] - means[second])
    return FewerTopics(
        splitting=splitting,
        topics=len(values),
        runs=len(means),
        sets=sets,
        rates=rates,
        extrapolated=extrapolated,
        trusted=tuple(
            _trusted(topics, of_bins, splitting, apart, extrapolated=topics == len(values))
            for topics, of_bins in zip((*chosen, len(values)), (*rates, extrapolated), strict=True)
        ),
        reliability=reliability(values),
        power=discriminative_power(values, level=splitting.level, seed=splitting.seed),
    )


def set_sizes(topics: int) -> tuple[int, ...]:
    """Ten numbers of topics from five to half of all, or fewer.

    >>> set_sizes(50), set_sizes(12)
    ((5, 7, 9, 12, 14, 16, 18, 21, 23, 25), (5, 6))
    """
    half = topics // 2
    return tuple(np.unique(np.linspace(min(_SMALLEST_SET, half), half, _SIZES).round().astype(int)).tolist())


def _rates(sets: SetsOfTopics) -> Floats:
    """The swap rate of each bin, NaN where it was compared too rarely."""
    return np.where(sets.compared >= FEWEST_COMPARISONS, sets.swapped / np.maximum(sets.compared, 1), np.nan)


def _extrapolated(sets: Sequence[SetsOfTopics], rates: Floats, topics: int) -> Floats:
    """The swap rate of each bin over all topics, never above that of the largest sets."""
    swapped = np.array([one.swapped for one in sets], dtype=np.float64).T
    compared = np.array([one.compared for one in sets], dtype=np.float64).T
    levels, slopes = most_likely(swapped, np.array([float(one.topics) for one in sets]), compared).T
    found: Floats = np.fmin(np.exp(levels + slopes * topics), rates[-1])
    return np.where(np.isnan(rates[-1]), np.nan, found)


def _trusted(
    topics: int, rates: Floats, splitting: Splitting, apart: Floats, *, extrapolated: bool
) -> TrustedDifference:
    lowest = None
    for place in np.flatnonzero(~np.isnan(rates))[::-1].tolist():
        if rates[place] > splitting.most_swapped:
            break
        lowest = place
    difference = None if lowest is None else lowest * splitting.width
    pairs = 0 if difference is None else int((apart >= difference - 1e-9).sum())
    return TrustedDifference(topics, difference, pairs, extrapolated)
