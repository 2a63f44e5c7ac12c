"""How far two rankings of runs agree: Kendall's tau, tau AP (weighted to the top), swaps and moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError

Signs = NDArray[np.int8]
TOO_FEW = "a ranking needs two runs"
ALL_TIED = "all runs have the same score under one of the two"


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient from -1 to 1, or why there is none."""

    value: float | None
    undefined: str = ""


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> Correlation:
    """Kendall's tau b of two lists of scores of the same runs; without ties it is his tau.

    (C - D) / sqrt((n0 - t1) (n0 - t2)): concordant less discordant pairs of runs, over the pairs that are not
    tied in the first and in the second. Undefined for fewer than two runs and where one ties them all.
    Raises WorkbenchError for lists of different lengths. Source: Kendall 1945.

    >>> kendall_tau([3, 2, 1], [3, 1, 2]).value
    0.3333333333333333
    """
    return _tau(*_signs(first, second))


def tau_ap(first: Sequence[float], second: Sequence[float]) -> Correlation:
    """AP correlation of two lists of scores of the same runs, neither of which is the truth: tau AP,b.

    For every run below the top of one list the share of runs above it that also the other puts above it,
    averaged, twice that less 1; the mean of both directions. Runs tied in one list are not above each other,
    and a tie in the other is no agreement. Undefined for fewer than two runs and where one ties them all.
    Raises WorkbenchError for lists of different lengths.
    Sources: Yilmaz, Aslam and Robertson 2008; Urbano and Marrero 2017 (ties).
    """
    return _tau_ap(*_signs(first, second))


@dataclass(frozen=True, slots=True)
class Swap:
    """Two runs of which one ranking has the one ahead, the other the other; `gap` are both differences.

    `ahead` is ahead by `gap[0]` in the first, `behind` by `gap[1]` in the second.
    """

    ahead: str
    behind: str
    gap: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Move:
    """A run with its ranks, from 1, in two rankings; runs of the same score share the best of their ranks."""

    run: str
    ranks: tuple[int, int]

    @property
    def by(self) -> int:
        """How many ranks it rises from the first to the second; negative where it falls."""
        return self.ranks[0] - self.ranks[1]


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """The rank of every run, from 1, best first; of a tie all have the best rank."""
    order = sorted(scores.values(), reverse=True)
    first: dict[float, int] = {}
    for place, score in enumerate(order, start=1):
        first.setdefault(score, place)
    return {run: first[score] for run, score in scores.items()}


def swaps(
    first: Mapping[str, float], second: Mapping[str, float], *, most: int | None = None
) -> tuple[Swap, ...]:
    """The pairs of runs that change places, those first that were furthest apart (the smaller gap counts).

    A pair that is tied in one of the two changes no places. With `most` no more than so many are given.
    """
    runs = sorted(first)
    one, other = _scores(first, runs), _scores(second, runs)
    ahead, behind = np.nonzero((_who_is_ahead(one) > 0) & (_who_is_ahead(other) < 0))
    gaps = one[ahead] - one[behind], other[behind] - other[ahead]
    # Runs stand in the order of their names, so that of equal gaps theirs is that of their places.
    order = np.lexsort((behind, ahead, -np.minimum(*gaps)))[:most]
    columns = (part[order].tolist() for part in (ahead, behind, *gaps))
    return tuple(
        Swap(runs[a], runs[b], (before, after)) for a, b, before, after in zip(*columns, strict=True)
    )


def moves(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[Move, ...]:
    """Every run whose rank changes, the biggest change first."""
    before, after = ranks(first), ranks(second)
    found = [Move(run, (before[run], after[run])) for run in first if before[run] != after[run]]
    return tuple(sorted(found, key=lambda move: (-abs(move.by), move.run)))


def _signs(first: Sequence[float], second: Sequence[float]) -> tuple[Signs, Signs]:
    if len(first) != len(second):
        raise WorkbenchError("two rankings of different runs cannot be compared")
    one, other = (_who_is_ahead(np.asarray(scores, dtype=np.float64)) for scores in (first, second))
    return one, other


def _who_is_ahead(scores: NDArray[np.float64]) -> Signs:
    """Of every two runs who is ahead, 1, 0 or -1; shape (runs, runs)."""
    one, other = scores[:, np.newaxis], scores[np.newaxis, :]
    return (one > other).view(np.int8) - (one < other).view(np.int8)


def _scores(found: Mapping[str, float], runs: Sequence[str]) -> NDArray[np.float64]:
    return np.array([found[run] for run in runs], dtype=np.float64)


def _tau(one: Signs, other: Signs) -> Correlation:
    untied = float(np.count_nonzero(one)) * float(np.count_nonzero(other))
    if not untied:
        return Correlation(None, TOO_FEW if len(one) < 2 else ALL_TIED)
    return Correlation(float((one * other).sum(dtype=np.int64)) / untied**0.5)


def _tau_ap(one: Signs, other: Signs) -> Correlation:
    directions = [_one_way(one, other), _one_way(other, one)]
    if any(value is None for value in directions):
        return Correlation(None, TOO_FEW if len(one) < 2 else ALL_TIED)
    return Correlation(sum(value for value in directions if value is not None) / 2)


def _one_way(one: Signs, other: Signs) -> float | None:
    above = one < 0
    count = np.count_nonzero(above, axis=1)
    below_top = count > 0
    if not below_top.any():
        return None
    agreed = np.count_nonzero(above & (other < 0), axis=1)[below_top] / count[below_top]
    return float(2 * agreed.mean() - 1)


@dataclass(frozen=True, slots=True)
class RankingComparison:
    """The rankings of the same runs under two sets of qrels, by the names of these.

    `moves` are the runs whose rank changes, and `swapped` counts the pairs of runs that change places, which
    `swaps` lists: of 1,000 runs they can be half a million. `scores` are those of the runs under each.
    """

    first: str
    second: str
    runs: int
    tau: Correlation
    tau_ap: Correlation
    swapped: int
    moves: tuple[Move, ...]
    scores: tuple[Mapping[str, float], Mapping[str, float]] = field(repr=False)

    @property
    def swaps(self) -> tuple[Swap, ...]:
        """The pairs of runs that change places, those first that were furthest apart."""
        return swaps(*self.scores)

    def first_swaps(self, most: int) -> tuple[Swap, ...]:
        """The first of these, no more than `most`."""
        return swaps(*self.scores, most=most)


def compare_rankings(scores: Mapping[str, Mapping[str, float]]) -> tuple[RankingComparison, ...]:
    """Every two of several lists of scores, by run, in the order given; all are of the same runs."""
    runs = list(next(iter(scores.values()), ()))
    signs = {name: _who_is_ahead(_scores(one, runs)) for name, one in scores.items()}
    found = []
    for first, second in combinations(scores, 2):
        one, other = signs[first], signs[second]
        found.append(
            RankingComparison(
                first=first,
                second=second,
                runs=len(runs),
                tau=_tau(one, other),
                tau_ap=_tau_ap(one, other),
                # Each pair stands there twice, once from either side.
                swapped=int(np.count_nonzero(one * other < 0)) // 2,
                moves=moves(scores[first], scores[second]),
                scores=(scores[first], scores[second]),
            )
        )
    return tuple(found)
