"""Discriminative power: how many pairs of runs the topics tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.scoring.pairs_of_runs import ComparedRuns, Comparisons, compare_all

UNCORRECTED = "t"
"""The name of Student's paired t of each pair by itself; the other tests are of `Comparisons`."""
CORRECTED = (Comparisons.T_HOLM, Comparisons.MAX_T)


@dataclass(frozen=True, slots=True)
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
    return tuple(_counted(scores, level, rounds, seed))


def _counted(scores: ArrayLike, level: float, rounds: int, seed: int) -> Iterator[DiscriminativePower]:
    for comparisons in CORRECTED:
        found = compare_all(scores, comparisons, level=level, rounds=rounds, seed=seed)
        if comparisons is Comparisons.T_HOLM:
            with np.errstate(invalid="ignore"):
                yield _of(UNCORRECTED, found, found.p <= 1 - level)
        yield _of(str(comparisons), found, found.significant)


def _of(test: str, found: ComparedRuns, significant: NDArray[np.bool_]) -> DiscriminativePower:
    sizes = np.abs(found.differences)
    there, others = sizes[significant], sizes[~significant]
    return DiscriminativePower(
        test=test,
        topics=found.topics,
        pairs=len(sizes),
        significant=len(there),
        alpha=1 - found.level,
        smallest=float(there.min()) if len(there) else None,
        largest=float(others.max()) if len(others) else None,
        rounds=found.rounds,
        seed=found.seed,
    )
