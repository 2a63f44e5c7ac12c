"""What becomes of a ranking of runs when the qrels change: every two sets of qrels compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from workbench.scoring.rank_correlation import Correlation, Move, Swap, kendall_tau, moves, swaps, tau_ap


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
