"""Two sets of topics that have none in common: how alike they rank runs, and which pairs they swap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.trust.log_linear import Floats
from workbench.trust.reliability import halves_correlate

_CHUNK = 2_000_000  # differences at a time: 16 MB
_SPREAD = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class SplitSpread:
    """A figure of two sets of topics: its mean over `rounds` splits, and 95 % of them lie within.

    All three are None where it is defined in no split.
    """

    mean: float | None
    low: float | None
    high: float | None
    rounds: int


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
    tau: SplitSpread
    pearson: SplitSpread
    compared: NDArray[np.int64]
    swapped: NDArray[np.int64]
    swaps: SplitSpread
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
    for one, other in _means_of_sets(
        scores, topics, rounds, seed, at_once=max(1, _CHUNK // max(len(first), scores.size, bins))
    ):
        before, after = one[:, first] - one[:, second], other[:, first] - other[:, second]
        signs, signs_after = np.sign(before), np.sign(after)
        products = signs * signs_after
        untied = np.abs(signs).sum(axis=1) * np.abs(signs_after).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            taus.append(products.sum(axis=1) / np.sqrt(untied))
        correlations.append(halves_correlate(one, other))
        # A difference of .03 that is .02999... by rounding lies in the bin from .03.
        places = np.minimum((np.abs(before) / width + 1e-9).astype(np.int64), bins - 1)
        of_split = _by_split(places, signs != 0, bins)
        turned = _by_split(places, products < 0, bins)
        compared += of_split.sum(axis=0)
        swapped += turned.sum(axis=0)
        squares += [(turned**2).sum(axis=0), (turned * of_split).sum(axis=0), (of_split**2).sum(axis=0)]
        with np.errstate(invalid="ignore"):
            shares.append(turned.sum(axis=1) / of_split.sum(axis=1))
    return SetsOfTopics(
        topics,
        rounds,
        _spread(np.concatenate(taus)),
        _spread(np.concatenate(correlations)),
        compared,
        swapped,
        _spread(np.concatenate(shares)),
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


def _means_of_sets(
    scores: Floats, topics: int, rounds: int, seed: int, *, at_once: int
) -> Iterator[tuple[Floats, Floats]]:
    """The runs' means over two sets, shapes (some rounds, runs)."""
    # The size belongs to the seed: sets of five topics are not the first five of those of ten.
    generator = np.random.default_rng([seed, topics])
    for done in range(0, rounds, at_once):
        now = min(at_once, rounds - done)
        orders = generator.permuted(np.tile(np.arange(len(scores)), (now, 1)), axis=1)
        yield (
            scores[orders[:, :topics]].mean(axis=1),
            scores[orders[:, topics : 2 * topics]].mean(axis=1),
        )


def _spread(values: Floats) -> SplitSpread:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return SplitSpread(None, None, None, 0)
    low, high = np.quantile(defined, _SPREAD)
    return SplitSpread(float(defined.mean()), float(low), float(high), len(defined))
