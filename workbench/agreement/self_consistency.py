"""Agreement of one assessor with earlier answers of the same assessor, or with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.coefficients.coefficient import NO_VARIATION, NOBODY, CoefficientValue
from workbench.agreement.coefficients.pooled_kappa import pooled_kappa
from workbench.agreement.coefficients.unpooled_kappa import unpooled_kappa
from workbench.agreement.contingency import contingency
from workbench.agreement.intervals import LEVEL, Interval, share_interval
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import ratings_of
from workbench.agreement.resampling import Resamples, Unit, bootstrap

FEWEST = 10
NOTHING = "nothing to compare"
ONE_GRADE = "only one grade was given, so that agreement by chance is complete already"
NO_SPREAD = (
    "all are the same, so that resamples have no spread; the interval of the share says how sure that is"
)


_WOULD_DEFINE = {
    NOTHING: "a pair that is answered twice, or of which the answer is known",
    ONE_GRADE: "a pair on which another grade is given on either occasion",
}


@dataclass(frozen=True, slots=True)
class Consistency:
    """Two series of one assessor's grades: what stood first (rows), and what is compared with it (columns).

    `same` of `n` are equal; their share has Wilson's interval, as (low, high) or None for no pair. Of the two
    kappas the pooled one has an interval over pairs. `higher` and `lower` count in which way the second
    differs from the first; `across` of the differences lie across the relevance threshold.
    """

    table: tuple[tuple[int, ...], ...]
    categories: tuple[int, ...]
    n: int
    same: int
    share: tuple[float, float] | None
    pooled: CoefficientValue
    unpooled: CoefficientValue
    interval: Interval
    higher: int
    lower: int
    across: int

    @property
    def observed(self) -> float | None:
        """The share of equal grades, None where there is nothing to compare."""
        return self.same / self.n if self.n else None

    @property
    def would_define(self) -> str:
        """What would give the kappas a value where they have none."""
        return _WOULD_DEFINE.get(self.pooled.undefined, "")


def self_consistency(
    first: ArrayLike,
    second: ArrayLike,
    *,
    categories: Sequence[int],
    relevant_from: int,
    options: AgreementOptions,
) -> Consistency:
    """Compare one assessor's grades of the same pairs on two occasions, or with the known grades (first).

    Grades are those of `categories`, in its order. Raises WorkbenchError for other grades and for series of
    different lengths. Source: intra-rater kappa as Cohen 1960 and Scott 1955 define it for two raters.
    """
    before = np.asarray(first, dtype=np.int64)
    after = np.asarray(second, dtype=np.int64)
    table = contingency(before, after, categories=categories)
    n, same = int(table.sum()), int(table.trace())
    resamples = Resamples(options.rounds, options.seed, unit=Unit.PAIR)
    name = resamples.method
    if same == n >= FEWEST:
        interval = Interval(None, None, LEVEL, name, n, undefined=NO_SPREAD)
    elif n < FEWEST:
        why = f"an interval needs {FEWEST} pairs or more; there are {n}" if n else NOTHING
        interval = Interval(None, None, LEVEL, name, n, undefined=why)
    else:
        ratings = ratings_of([before, after], categories=categories)
        interval = bootstrap(ratings, "pooled", resamples)
    return Consistency(
        table=tuple(tuple(row) for row in table.tolist()),
        categories=tuple(categories),
        n=n,
        same=same,
        share=share_interval(same, n) if n else None,
        pooled=_of_one(pooled_kappa(table)),
        unpooled=_of_one(unpooled_kappa(table)),
        interval=interval,
        higher=int((after > before).sum()),
        lower=int((after < before).sum()),
        across=int(((before >= relevant_from) != (after >= relevant_from)).sum()),
    )


def _of_one(found: CoefficientValue) -> CoefficientValue:
    """The same with reasons that speak of one assessor."""
    reasons = {NOBODY: NOTHING, NO_VARIATION: ONE_GRADE}
    return replace(found, undefined=reasons.get(found.undefined, found.undefined))
