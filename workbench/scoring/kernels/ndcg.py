"""nDCG: discounted cumulated gain, divided by that of the best possible ranking."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.cutoff import cutoff_of
from workbench.scoring.relevance import Floats, Grades

_HIGHEST = 50


def ndcg(run: JudgedRun, measure: Measure) -> Floats:
    """NDCG of each topic, with the discount log2(rank + 1).

    The gain is the grade (Jarvelin and Kekalainen 2002), 2 ** grade - 1 where `dcg` is exp-log2 (Burges et
    al. 2005), or as `gains` has it; negative grades gain nothing. Raises WorkbenchError where 2 ** grade is
    beyond all bounds.
    """
    cutoff = cutoff_of(measure)
    gained = _gains(run.grades, measure)
    kept = np.flatnonzero(gained > 0)
    if cutoff is not None:
        kept = kept[run.ranks[kept] <= cutoff]
    discounted = run.summed(run.rows[kept], gained[kept] / _discounts(run.ranks[kept]))
    return share(discounted, _ideal(run, measure, cutoff))


def _ideal(run: JudgedRun, measure: Measure, cutoff: int | None) -> Floats:
    """The gain of the best possible ranking of each topic of the run."""
    starts, grades = run.relevance.ideal
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    gains = _gains(grades, measure)
    if "gains" in measure.params:
        # Other gains may have another order.
        order = np.lexsort((-gains, rows))
        gains = gains[order]
    ranks = np.arange(1, len(gains) + 1) - starts[rows]
    kept = (gains > 0) if cutoff is None else (gains > 0) & (ranks <= cutoff)
    sums = np.bincount(rows[kept], weights=gains[kept] / _discounts(ranks[kept]), minlength=len(starts) - 1)
    return sums.astype(np.float64, copy=False)[run.topics]


def _gains(grades: Grades, measure: Measure) -> Floats:
    own = measure.params.get("gains")
    if own:
        mapped = grades.copy()
        for grade, gain in own.items():
            mapped[grades == grade] = gain
        grades = mapped
    gains = np.maximum(grades, 0).astype(np.float64)
    if measure.params.get("dcg") != "exp-log2":
        return gains
    if gains.max(initial=0) > _HIGHEST:
        raise WorkbenchError(
            f"{measure} cannot be computed for a grade of {int(gains.max())}",
            remedy=f"its gains are powers of two: grades up to {_HIGHEST}, or nDCG with other gains",
        )
    return np.exp2(gains) - 1.0


def _discounts(ranks: Grades) -> Floats:
    return _table(1 << int(ranks.max(initial=1)).bit_length())[ranks]


@cache
def _table(size: int) -> Floats:
    # By the C library's logarithm, as trec_eval: numpy's may differ in the last bit.
    return np.array([math.log2(rank + 1) for rank in range(size)])
