"""Agreement of one assessor with earlier answers of the same assessor, or with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.coefficients.coefficient import NO_VARIATION, NOBODY, CoefficientValue
from workbench.agreement.coefficients.pooled_kappa import pooled_kappa
from workbench.agreement.contingency import contingency
from workbench.agreement.grades import specific_agreement
from workbench.agreement.intervals import Interval, share_interval
from workbench.agreement.jackknife import NAME, linearised
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import ratings_of

FEWEST, FEWEST_RARE = 50, 10
"""Of fewer repeats, or fewer of the rarer grade, no kappa is shown: its interval covers as little as .39."""
NOTHING = "nothing to compare"
ONE_GRADE = "only one grade was given, so agreement by chance is already 1"
_WOULD_DEFINE = {
    NOTHING: "a pair that is answered twice, or whose answer is known",
    ONE_GRADE: "a pair that gets another grade on either occasion",
}


@dataclass(frozen=True, slots=True)
class Consistency:
    """Two series of one assessor's grades: what stood first (rows), and what is compared with it (columns).

    `same` of `n` are equal; their share has Wilson's interval, as (low, high) or None for no pair. `positive`
    and `negative` are the specific agreements on relevant and on not relevant. The pooled kappa, and its
    interval of these documents, are there for FEWEST pairs with FEWEST_RARE of a rarer grade or more.
    `higher` and `lower` count in which way the second differs from the first; `across` of the differences lie
    across the relevance threshold.
    """

    table: tuple[tuple[int, ...], ...]
    categories: tuple[int, ...]
    n: int
    same: int
    share: tuple[float, float] | None
    positive: float | None
    negative: float | None
    kappa: CoefficientValue
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
        """What would give the kappa a value where it has none."""
        if self.kappa.value is None and self.n and self.kappa.undefined != ONE_GRADE:
            return f"{FEWEST} pairs or more, {FEWEST_RARE} of them of a rarer grade"
        return _WOULD_DEFINE.get(self.kappa.undefined, "")


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
    different lengths. Source: intra-rater kappa as Scott 1955 defines it for two raters.
    """
    before = np.asarray(first, dtype=np.int64)
    after = np.asarray(second, dtype=np.int64)
    table = contingency(before, after, categories=categories)
    n, same = int(table.sum()), int(table.trace())
    kappa = pooled_kappa(table)
    # The reasons speak of one assessor here.
    reasons = {NOBODY: NOTHING, NO_VARIATION: ONE_GRADE}
    kappa = replace(kappa, undefined=reasons.get(kappa.undefined, kappa.undefined))
    given = (table.sum(axis=0) + table.sum(axis=1)) / 2
    rare = float(given.sum() - given.max()) if n else 0.0
    interval = Interval(None, None, options.confidence, NAME, n, undefined=kappa.undefined or NOTHING)
    if kappa.value is not None and (n < FEWEST or rare < FEWEST_RARE):
        why = f"{n} pairs, {rare:g} of a rarer grade, are too few for a kappa"
        kappa = replace(kappa, value=None, undefined=why)
        interval = replace(interval, undefined=why)
    elif kappa.value is not None:
        ratings = ratings_of([before, after], categories=categories)
        interval = linearised(ratings, "pooled", level=options.confidence)
    relevant = [(grades >= relevant_from).astype(int) for grades in (before, after)]
    positive, negative = specific_agreement(contingency(*relevant, categories=(1, 0)))
    return Consistency(
        table=tuple(map(tuple, table.tolist())),
        categories=tuple(categories),
        n=n,
        same=same,
        share=share_interval(same, n) if n else None,
        positive=positive,
        negative=negative,
        kappa=kappa,
        interval=interval,
        higher=int((after > before).sum()),
        lower=int((after < before).sum()),
        across=int(((before >= relevant_from) != (after >= relevant_from)).sum()),
    )


def repeats_needed(reach: float = 0.1, share: float = 0.8) -> int:
    """How many repeats tell a `share` of equal answers to about +- `reach` (Wilson's interval of 95 %).

    >>> repeats_needed(), repeats_needed(share=0.9)
    (60, 37)
    """
    n = ceil(share * (1 - share) / reach**2)
    while (bounds := share_interval(share * n, n))[1] - bounds[0] > 2 * reach:
        n += 1
    return n
