"""How far two rankings of runs agree: Kendall's tau, tau AP (weighted to the top), and swaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.frozen import frozen_dataclass
from workbench.scoring.relevance import Floats

Counts = NDArray[np.int64]
MOST_CELLS = 2**21
"""Scores compared with one another at a time: some 20 MB."""
TOO_FEW = "a ranking needs two runs"
ALL_TIED = "all runs have the same score under one of the two"


@frozen_dataclass
class Correlation:
    """A coefficient from -1 to 1, or why there is none."""

    value: float | None
    undefined: str = ""


@frozen_dataclass
class Swap:
    """Two runs of which one ranking has the one ahead, the other the other; `gap` are both differences.

    `ahead` is ahead by `gap[0]` in the first, `behind` by `gap[1]` in the second.
    """

    ahead: str
    behind: str
    gap: tuple[float, float]


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """The rank of every run, from 1, the highest score first; of a tie all have the best rank."""
    order = sorted(scores.values(), reverse=True)
    first: dict[float, int] = {}
    for place, score in enumerate(order, start=1):
        first.setdefault(score, place)
    return {run: first[score] for run, score in scores.items()}


def _scores(found: Mapping[str, float], runs: Sequence[str]) -> Floats:
    return np.array([found[run] for run in runs], dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Agreed:
    """How several rankings order the pairs of their runs.

    `above[i, a, b]` counts the runs that both ranking a and ranking b have above run i, so that
    `above[i, a, a]` are all that a has there; `swapped[a, b]` counts the pairs of runs of which one is ahead
    in a, the other in b.
    """

    above: Counts
    swapped: Counts

    def tau(self, one: int, other: int) -> Correlation:
        """Kendall's tau b of two of them; without ties it is his tau.

        (C - D) / sqrt((n0 - t1) (n0 - t2)): concordant less discordant pairs of runs, over the pairs that are
        not tied in the first and in the second. Undefined for fewer than two runs and where one ties them
        all. Source: Kendall 1945.
        """
        in_order = self.above.sum(axis=0)
        untied = 2.0 * float(in_order[one, one]) * 2.0 * float(in_order[other, other])
        if not untied:
            return self._undefined()
        # Every pair of runs counts from either side.
        return Correlation(2.0 * float(in_order[one, other] - self.swapped[one, other]) / untied**0.5)

    def tau_ap(self, one: int, other: int) -> Correlation:
        """AP correlation of two of them, neither of which is the truth: tau AP,b.

        For every run below the top of one the share of runs above it that also the other puts above it,
        averaged, twice that less 1; the mean of both directions. Runs tied in one are not above each other,
        and a tie in the other is no agreement. Undefined for fewer than two runs and where one ties them all.
        Sources: Yilmaz, Aslam and Robertson 2008; Urbano and Marrero 2017 (ties).
        """
        both = []
        for first, second in ((one, other), (other, one)):
            count = self.above[:, first, first]
            below_top = count > 0
            if not below_top.any():
                return self._undefined()
            both.append(float(2 * (self.above[below_top, first, second] / count[below_top]).mean() - 1))
        return Correlation(sum(both) / 2)

    def _undefined(self) -> Correlation:
        return Correlation(None, TOO_FEW if len(self.above) < 2 else ALL_TIED)


def _agreed(scores: Floats) -> _Agreed:
    """All of several rankings of the same runs together, by products of matrices; shape (rankings, runs)."""
    rankings, runs = scores.shape
    above = np.zeros((runs, rankings, rankings), np.int64)
    swapped = np.zeros((rankings, rankings), np.int64)
    by_run = np.ascontiguousarray(scores.T)[:, :, np.newaxis]
    step = max(1, MOST_CELLS // max(1, scores.size))
    for begin in range(0, runs, step):
        some = by_run[begin : begin + step]
        # Counts below 2**24 are exact in single precision.
        lower, higher = (some < scores).astype(np.float32), (some > scores).astype(np.float32)
        above[begin : begin + step] = lower @ lower.transpose(0, 2, 1)
        swapped += (higher @ lower.transpose(0, 2, 1)).sum(axis=0, dtype=np.int64)
    return _Agreed(above, swapped)


@frozen_dataclass
class RankingComparison:
    """The rankings of the same runs under two sets of qrels, by the names of these.

    `swapped` counts the pairs of runs that change places, which `swaps` lists: of 1,000 runs they can be half
    a million. `scores` are those of the runs under each, and `ranks` their ranks.
    """

    first: str
    second: str
    runs: int
    tau: Correlation
    tau_ap: Correlation
    swapped: int
    scores: tuple[Mapping[str, float], Mapping[str, float]] = field(repr=False)
    ranks: tuple[Mapping[str, int], Mapping[str, int]] = field(repr=False)

    @property
    def swaps(self) -> tuple[Swap, ...]:
        """The pairs of runs that change places, those first that were furthest apart: the smaller gap counts.

        A pair that is tied in one of the two changes no places.
        """
        runs = sorted(self.scores[0])
        one, other = (_scores(found, runs) for found in self.scores)
        # Found in one long row, which takes a third of the time.
        swapped = (one[:, np.newaxis] > one) & (other[:, np.newaxis] < other)
        ahead, behind = np.divmod(np.flatnonzero(swapped), max(1, len(runs)))
        gaps = one[ahead] - one[behind], other[behind] - other[ahead]
        # Runs stand in the order of their names, so that of equal gaps theirs is that of their places.
        order = np.lexsort((behind, ahead, -np.minimum(*gaps)))
        columns = (part[order].tolist() for part in (ahead, behind, *gaps))
        return tuple(
            Swap(runs[a], runs[b], (before, after)) for a, b, before, after in zip(*columns, strict=True)
        )


def compare_rankings(scores: Mapping[str, Mapping[str, float]]) -> tuple[RankingComparison, ...]:
    """Every two of several lists of scores, by run, in the order given; all are of the same runs.

    A higher score is the better one: turn the sign for measures of which a lower one is.
    """
    runs = list(next(iter(scores.values()), ()))
    found = _agreed(np.array([_scores(one, runs) for one in scores.values()]).reshape(len(scores), len(runs)))
    places = {name: ranks(one) for name, one in scores.items()}
    return tuple(
        RankingComparison(
            first=first,
            second=second,
            runs=len(runs),
            tau=found.tau(one, other),
            tau_ap=found.tau_ap(one, other),
            swapped=int(found.swapped[one, other]),
            scores=(scores[first], scores[second]),
            ranks=(places[first], places[second]),
        )
        for (one, first), (other, second) in combinations(enumerate(scores), 2)
    )
