"""CG, DCG, and both divided by those of the best possible ranking: nCG and nDCG."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.binary import cutoff_of, last_rank
from workbench.scoring.relevance import Floats, Grades, Positions

_HIGHEST = 50


def ndcg(run: JudgedRun, measure: Measure) -> Floats:
    """NDCG of each topic, by default with the discount log2(rank + 1).

    The gain is the grade (Jarvelin and Kekalainen 2002), 2 ** grade - 1 where `dcg` is exp-log2 (Burges et
    al. 2005), or as `gains` has it; negative grades gain nothing. With a `base` the discount is that of
    Jarvelin and Kekalainen: none above rank `base`, and the logarithm of the rank to this base from there on.
    Raises WorkbenchError where 2 ** grade is beyond all bounds.
    """
    return share(dcg(run, measure), _ideal(run, measure)[run.topics])


def dcg(run: JudgedRun, measure: Measure) -> Floats:
    """DCG of each topic: what `ndcg` divides."""
    hits = run.hits(_lowest(measure))
    gained = gains(run.grades[run.starts[hits.rows] + hits.ranks - 1], measure)
    kept = (gained > 0) & (hits.ranks <= last_rank(measure))
    return run.summed(hits.rows[kept], gained[kept] / discounts(hits.ranks[kept], measure))


def _lowest(measure: Measure) -> int:
    """The lowest grade that can gain something: 1, or that of `gains` to which something is given."""
    own: dict[int, int] = measure.params.get("gains") or {}
    return min([1, *(grade for grade, gain in own.items() if gain > 0)])


def ideal_gains(run: JudgedRun, measure: Measure, *, depth: int | None = None) -> tuple[JudgedRun, Floats]:
    """The best possible ranking of each topic of the qrels, and the gains of its documents.

    With a `depth` only so many of each topic need be there.
    """
    starts, grades = run.relevance.best_grades(None if "gains" in measure.params else depth)
    best = JudgedRun(run.relevance, np.arange(len(starts) - 1), starts, grades)
    ordered = gains(grades, measure)
    if "gains" in measure.params:
        # Other gains may have another order.
        ordered = ordered[np.lexsort((-ordered, best.rows))]
    return best, ordered


def _ideal(run: JudgedRun, measure: Measure) -> Floats:
    """The gain of the best possible ranking of each topic of the qrels."""
    known, name = run.relevance.of_measures, str(measure)
    if name not in known:
        best, gained = ideal_gains(run, measure, depth=cutoff_of(measure))
        kept = (gained > 0) & (best.ranks <= last_rank(measure))
        known[name] = best.summed(best.rows[kept], gained[kept] / discounts(best.ranks[kept], measure))
    return known[name]


def gains(grades: Grades, measure: Measure) -> Floats:
    """The gain of each document; raises WorkbenchError where 2 ** grade is beyond all bounds."""
    own = measure.params.get("gains")
    if own:
        mapped = grades.copy()
        for grade, gain in own.items():
            mapped[grades == grade] = gain
        grades = mapped
    linear = np.maximum(grades, 0).astype(np.float64)
    if measure.params.get("dcg") != "exp-log2":
        return linear
    if linear.max(initial=0) > _HIGHEST:
        raise WorkbenchError(
            f"{measure} cannot be computed for a grade of {int(linear.max())}",
            remedy=f"use grades up to {_HIGHEST}, or nDCG with other gains: these gains are powers of two",
        )
    return np.exp2(linear) - 1.0


def discounts(ranks: Positions, measure: Measure) -> Floats:
    """What the gain at each rank is divided by; 1 everywhere for CG and nCG."""
    if measure.NAME in {"CG", "nCG"}:
        return np.ones(len(ranks))
    base = measure.params.get("base")
    return _table(1 << int(ranks.max(initial=1)).bit_length(), None if base is None else float(base))[ranks]


@cache
def _table(size: int, base: float | None) -> Floats:
    # By the C library's logarithm, as trec_eval: numpy's may differ in the last bit.
    if base is None:
        return np.array([math.log2(rank + 1) for rank in range(size)])
    return np.array([max(1.0, math.log(max(rank, 1)) / math.log(base)) for rank in range(size)])
