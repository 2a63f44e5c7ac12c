"""Fewer topics: would other topics rank the runs alike, and which difference of two runs may be trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.scoring.pairs_of_runs import ComparedRuns, Comparisons, checked_scores, compare_all
from workbench.scoring.relevance import Floats
from workbench.trust.orders import Percentiles, percentiles_of
from workbench.trust.power_law import most_likely

FEWEST_TOPICS = 4
FEWEST_COMPARISONS = 100
"""A rate of fewer comparisons says nothing about 5 %."""

MOST_BINS = 10_000
"""Differences that lie in more bins than that are counted in none often enough."""

_SIZES = 10
_SMALLEST_SET = 5


@frozen_dataclass
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


@frozen_dataclass
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
    swapped = np.array([one.swapped for one in sets])
    compared = np.array([one.compared for one in sets])
    rates = np.where(compared >= FEWEST_COMPARISONS, swapped / np.maximum(compared, 1), np.nan)
    sizes_of = np.array(chosen, dtype=np.float64)
    levels, slopes = most_likely(swapped.T.astype(np.float64), sizes_of, compared.T.astype(np.float64)).T
    extrapolated = np.where(
        np.isnan(rates[-1]), np.nan, np.fmin(np.exp(levels + slopes * len(values)), rates[-1])
    )
    means = values.mean(axis=0)
    first, second = np.triu_indices(len(means), k=1)
    apart = np.abs(means[first] - means[second])
    return FewerTopics(
        splitting,
        len(values),
        len(means),
        sets,
        rates,
        extrapolated,
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


@frozen_dataclass
class Reliability:
    """The correlation to expect between the runs' means over these topics and over as many others.

    Estimated from the variances of runs and of what run and topic leave unexplained (generalisability
    coefficient, also Cronbach's alpha): it is negative where runs differ less than chance gives. It has no
    interval: Feldt's (1965) is for runs that are independent of one another, and covers half of the truth
    where they come in families of a few systems, as they do.
    """

    topics: int
    runs: int
    value: float

    def at(self, topics: int) -> float:
        """The reliability of another number of topics (Spearman and Brown 1910)."""
        times = topics / self.topics
        # What is not reliable stays so.
        return times * self.value / (1 + (times - 1) * self.value) if self.value > 0 else self.value

    def topics_for(self, reliability: float) -> int | None:
        """How many topics have at least this reliability, below 1; None where no number has it."""
        if self.value <= 0:
            return None
        needed = self.topics * reliability / (1 - reliability) * (1 - self.value) / self.value
        return max(1, ceil(needed - 1e-9))


def reliability(scores: ArrayLike) -> Reliability:
    """The reliability of scores of shape (topics, runs).

    1 - MSE / MSR, with MSR the mean square of runs and MSE that of what run and topic leave unexplained.
    Raises WorkbenchError for fewer than two topics or runs and for scores that are not finite.
    Source: Bodoff and Li 2007; Urbano, Marrero and Martin 2013.
    """
    values = checked_scores(scores)
    topics, runs = values.shape
    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    unexplained = float((residuals**2).sum() / ((topics - 1) * (runs - 1)))
    of_runs = topics * float(values.mean(axis=0).var(ddof=1))
    # Means that do not differ at all are no more reliable than chance.
    return Reliability(topics, runs, 1 - unexplained / of_runs if of_runs else 0.0)


def halves_correlate(first: Floats, second: Floats) -> Floats:
    """Pearson's correlation of the means over two sets of topics, of shape (rounds, runs); (rounds,)."""
    one, other = (means - means.mean(axis=1, keepdims=True) for means in (first, second))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((one * other).sum(axis=1) / np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1)))


_CHUNK = 2_000_000  # differences at a time: 16 MB


@dataclass(frozen=True, slots=True, eq=False)
class SetsOfTopics:
    """What `rounds` pairs of sets of `topics` topics each have in common.

    `tau` (b) and `pearson` are of the runs' means. Of every two runs that the first set has apart by at least
    a bin's lower edge and less than its upper one there are `compared` (bins,) in all rounds; the second set
    has `swapped` (bins,) of them the other way round. Two runs that the second set ties are not swapped.
    `swaps` is the share of all pairs that one split swaps, and `errors` (bins,) are the standard errors of
    the swap rates over splits, NaN of bins without a comparison: these cover which splits were drawn, not
    which topics the collection has.
    """

    topics: int
    rounds: int
    tau: Percentiles
    pearson: Percentiles
    compared: NDArray[np.int64]
    swapped: NDArray[np.int64]
    swaps: Percentiles
    errors: Floats

    @property
    def swap_rate(self) -> float | None:
        """The share of all pairs, however far apart, that are swapped."""
        compared = int(self.compared.sum())
        return int(self.swapped.sum()) / compared if compared else None


def compare_sets(scores: Floats, topics: int, *, rounds: int, seed: int, width: float) -> SetsOfTopics:
    """Split topics at random `rounds` times into two sets and the rest; `scores` are (topics, runs).

    Bins have this width, in the units of the measure. Source: Voorhees and Buckley 2002.
    """
    first, second = np.triu_indices(scores.shape[1], k=1)
    bins = int(np.ptp(scores) / width) + 1
    compared = np.zeros(bins, dtype=np.int64)
    swapped = np.zeros(bins, dtype=np.int64)
    # Sums of squares and products of each split's counts, of which the errors are made.
    squares = np.zeros((3, bins))
    taus, correlations, shares = [], [], []
    at_once = max(1, _CHUNK // max(len(first), scores.size, bins))
    # The size belongs to the seed: sets of five topics are not the first five of those of ten.
    generator = np.random.default_rng([seed, topics])
    for done in range(0, rounds, at_once):
        places = np.tile(np.arange(len(scores)), (min(at_once, rounds - done), 1))
        orders = generator.permuted(places, axis=1)
        one, other = (scores[orders[:, at : at + topics]].mean(axis=1) for at in (0, topics))
        before, after = one[:, first] - one[:, second], other[:, first] - other[:, second]
        signs, signs_after = np.sign(before), np.sign(after)
        products = signs * signs_after
        untied = np.abs(signs).sum(axis=1) * np.abs(signs_after).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            taus.append(products.sum(axis=1) / np.sqrt(untied))
        correlations.append(halves_correlate(one, other))
        # A difference of .03 that is .02999... by rounding lies in the bin from .03.
        of_bins = np.minimum((np.abs(before) / width + 1e-9).astype(np.int64), bins - 1)
        of_split = _by_split(of_bins, signs != 0, bins)
        turned = _by_split(of_bins, products < 0, bins)
        compared += of_split.sum(axis=0)
        swapped += turned.sum(axis=0)
        squares += [(turned**2).sum(axis=0), (turned * of_split).sum(axis=0), (of_split**2).sum(axis=0)]
        with np.errstate(invalid="ignore"):
            shares.append(turned.sum(axis=1) / of_split.sum(axis=1))
    return SetsOfTopics(
        topics,
        rounds,
        percentiles_of(np.concatenate(taus)),
        percentiles_of(np.concatenate(correlations)),
        compared,
        swapped,
        percentiles_of(np.concatenate(shares)),
        _errors(compared, swapped, squares),
    )


def _by_split(places: NDArray[np.int64], chosen: NDArray[np.bool_], bins: int) -> NDArray[np.int64]:
    """How many of the chosen differences of each split lie in each bin; shape (splits, bins)."""
    cells = places + bins * np.arange(len(places))[:, np.newaxis]
    return np.bincount(cells[chosen], minlength=len(places) * bins).reshape(len(places), bins)


def _errors(compared: NDArray[np.int64], swapped: NDArray[np.int64], squares: Floats) -> Floats:
    """The standard error of each swap rate, a ratio of sums over splits (Cochran 1977, equation 6.13)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = swapped / compared
        of_squares, products, of_compared = squares
        variance = of_squares - 2 * rates * products + rates**2 * of_compared
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)) / compared, dtype=np.float64)


UNCORRECTED = "t"
"""The name of Student's paired t of each pair by itself; the other tests are of `Comparisons`."""


@frozen_dataclass
class DiscriminativePower:
    """How many of the `pairs` of runs differ significantly over `topics`, by a test at level `alpha`.

    `smallest` is the smallest difference of means that is significant, `largest` the largest that is not, in
    the units of the measure; None where there is none. `seed` and `rounds` are those of random draws.
    """

    test: str
    topics: int
    pairs: int
    significant: int
    alpha: float
    smallest: float | None
    largest: float | None
    rounds: int
    seed: int | None

    @property
    def share(self) -> float:
        """The share of pairs that differ significantly."""
        return self.significant / self.pairs


def discriminative_power(
    scores: ArrayLike, *, level: float = 0.95, rounds: int = 2_000, seed: int = 0
) -> tuple[DiscriminativePower, ...]:
    """The discriminative power of scores of shape (topics, runs), by each of three tests.

    Without correction one in twenty pairs of equal runs counts as different; Holm and the largest t keep the
    chance of a single one below that. Raises WorkbenchError as `compare_all` does.
    Source: Sakai 2006, by the paired bootstrap.
    """
    holm, largest = (
        compare_all(scores, comparisons, level=level, rounds=rounds, seed=seed)
        for comparisons in (Comparisons.T_HOLM, Comparisons.MAX_T)
    )
    with np.errstate(invalid="ignore"):
        alone = holm.p <= 1 - level
    return (
        _of(UNCORRECTED, holm, alone),
        _of(Comparisons.T_HOLM, holm, holm.significant),
        _of(Comparisons.MAX_T, largest, largest.significant),
    )


def _of(test: str, found: ComparedRuns, significant: NDArray[np.bool_]) -> DiscriminativePower:
    sizes = np.abs(found.differences)
    there, others = sizes[significant], sizes[~significant]
    return DiscriminativePower(
        test=str(test),
        topics=found.topics,
        pairs=len(sizes),
        significant=len(there),
        alpha=1 - found.level,
        smallest=float(there.min()) if len(there) else None,
        largest=float(others.max()) if len(others) else None,
        rounds=found.rounds,
        seed=found.seed,
    )
