"""Two lists of scores of the same runs, compared."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.scoring.rank_correlation import RankingComparison, compare_rankings


def two_rankings(first: Sequence[float], second: Sequence[float]) -> RankingComparison:
    """The comparison of the rankings of runs that have these scores, in the same order."""
    by_run = [{str(run): score for run, score in enumerate(scores)} for scores in (first, second)]
    (found,) = compare_rankings(dict(zip(("first", "second"), by_run, strict=True)))
    return found
