"""How far two rankings of runs agree: Kendall's tau, tau AP (weighted to the top), swaps and moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError

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
    one, other = _signs(first, second)
    untied = float(np.abs(one).sum()) * float(np.abs(other).sum())
    if not untied:
        return Correlation(None, TOO_FEW if len(first) < 2 else ALL_TIED)
    return Correlation(float((one * other).sum()) / untied**0.5)


def tau_ap(first: Sequence[float], second: Sequence[float]) -> Correlation:
    """AP correlation of two lists of scores of the same runs, neither of which is the truth: tau AP,b.

    For every run below the top of one list the share of runs above it that also the other puts above it,
    averaged, twice that less 1; the mean of both directions. Runs tied in one list are not above each other,
    and a tie in the other is no agreement. Undefined for fewer than two runs and where one ties them all.
    Raises WorkbenchError for lists of different lengths.
    Sources: Yilmaz, Aslam and Robertson 2008; Urbano and Marrero 2017 (ties).
    """
    one, other = _signs(first, second)
    directions = [_one_way(one, other), _one_way(other, one)]
    if any(value is None for value in directions):
        return Correlation(None, TOO_FEW if len(first) < 2 else ALL_TIED)
    return Correlation(sum(value for value in directions if value is not None) / 2)


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


def swaps(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[Swap, ...]:
    """The pairs of runs that change places, those first that were furthest apart (the smaller gap counts).

    A pair that is tied in one of the two changes no places.
    """
    runs = list(first)
    one, other = _signs([first[run] for run in runs], [second[run] for run in runs])
    ahead, behind = np.nonzero((one > 0) & (other < 0))
    found = [
        Swap(runs[a], runs[b], (first[runs[a]] - first[runs[b]], second[runs[b]] - second[runs[a]]))
        for a, b in zip(ahead.tolist(), behind.tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda swap: (-min(swap.gap), swap.ahead, swap.behind)))


def moves(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[Move, ...]:
    """Every run whose rank changes, the biggest change first."""
    before, after = ranks(first), ranks(second)
    found = [Move(run, (before[run], after[run])) for run in first if before[run] != after[run]]
    return tuple(sorted(found, key=lambda move: (-abs(move.by), move.run)))


def _signs(first: Sequence[float], second: Sequence[float]) -> tuple[NDArray[np.float64], ...]:
    """Of every two runs who is ahead, 1, 0 or -1; shapes (runs, runs)."""
    if len(first) != len(second):
        raise WorkbenchError("two rankings of different runs cannot be compared")
    arrays = (np.asarray(scores, dtype=np.float64) for scores in (first, second))
    return tuple(np.sign(scores[:, np.newaxis] - scores[np.newaxis, :]) for scores in arrays)


def _one_way(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    above = one < 0
    count = above.sum(axis=1)
    below_top = count > 0
    if not below_top.any():
        return None
    agreed = (above & (other < 0)).sum(axis=1)[below_top] / count[below_top]
    return float(2 * agreed.mean() - 1)


@dataclass(frozen=True, slots=True)
class RankingComparison:
    """The rankings of the same runs under two sets of qrels, by the names of these.

    `swaps` are the pairs of runs that change places, `moves` the runs whose rank changes.
    """

    first: str
    second: str
    runs: int
    tau: Correlation
    tau_ap: Correlation
    swaps: tuple[Swap, ...]
    moves: tuple[Move, ...]


def compare_rankings(scores: Mapping[str, Mapping[str, float]]) -> tuple[RankingComparison, ...]:
    """Every two of several lists of scores, by run, in the order given; all are of the same runs."""
    found = []
    for (first, one), (second, other) in combinations(scores.items(), 2):
        runs = list(one)
        lists = [one[run] for run in runs], [other[run] for run in runs]
        found.append(
            RankingComparison(
                first=first,
                second=second,
                runs=len(runs),
                tau=kendall_tau(*lists),
                tau_ap=tau_ap(*lists),
                swaps=swaps(one, other),
                moves=moves(one, other),
            )
        )
    return tuple(found)
