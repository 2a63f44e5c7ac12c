"""Two series of grades of the same pairs: one assessor's twice, or a person's and a machine's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.coefficient import (
    NO_VARIATION,
    NOBODY,
    Coefficient,
    CoefficientValue,
    Shown,
    value_of,
)
from workbench.agreement.coefficients import pooled_kappa, shown_in
from workbench.agreement.estimates import Estimate, HasEstimates, interval_of
from workbench.agreement.grades import specific_agreement
from workbench.agreement.intervals import Interval, share_interval
from workbench.agreement.jackknife import METHOD, NAME, LeftOut, linearised
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import MISSING, Codes, Ratings, contingency, ratings_of, table_of_codes
from workbench.agreement.tally import tally
from workbench.agreement.weights import nominal, quadratic
from workbench.frozen import frozen_dataclass

FEWEST, FEWEST_RARE = 50, 10
"""Of fewer repeats, or fewer of the rarer grade, no kappa is shown: its interval covers as little as .39."""
NOTHING = "nothing to compare"
ONE_GRADE = "only one grade was given, so agreement by chance is already 1"
_WOULD_DEFINE = {
    NOTHING: "a pair that is answered twice, or whose answer is known",
    ONE_GRADE: "a pair that gets another grade on either occasion",
}


@frozen_dataclass
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


@frozen_dataclass
class Share:
    """A share of `of` pairs with Wilson's interval; all None where there is none."""

    value: float | None
    low: float | None
    high: float | None
    of: int


@frozen_dataclass
class MachineComparison(HasEstimates):
    """A machine (columns of the table) against a person or the majority (rows), grades in their order.

    `estimates` are those of `machine_coefficients`, `weighted` those with quadratic weights, empty for two
    grades. `precision` is the share of what the machine calls relevant that the person does, `recall` the
    share of what the person calls relevant that the machine does.
    """

    n: int
    topics: int
    table: tuple[tuple[int, ...], ...]
    estimates: tuple[Estimate, ...]
    weighted: tuple[Estimate, ...]
    precision: Share
    recall: Share

    @property
    def pooled(self) -> Estimate:
        """The pooled kappa."""
        return self.estimate("pooled")


def machine_coefficients(*, weighted: bool = False) -> tuple[Coefficient, ...]:
    """The coefficients of a machine against people; with weights those that correct for chance."""
    weights = "quadratic" if weighted else "nominal"
    shown = [one for one in shown_in(Shown.EVERYWHERE) if one.chance_corrected or not weighted]
    return tuple(one.on_scale((2, 1, 0), weights=weights) for one in shown)


def compare_machine(
    person: ArrayLike,
    machine: ArrayLike,
    *,
    categories: Sequence[int],
    relevant_from: int,
    topics: ArrayLike,
    options: AgreementOptions,
) -> MachineComparison:
    """Compare a machine's grades with a person's of the same pairs; `topics` number the pairs.

    Intervals are over topics. Raises WorkbenchError for a grade that is not among the categories.
    """
    ratings = ratings_of([np.asarray(person), np.asarray(machine)], categories=categories, topics=topics)
    q = len(categories)
    table = table_of_codes(*ratings.codes, size=q)
    relevant = np.array([grade >= relevant_from for grade in categories])
    both = int(table[np.ix_(relevant, relevant)].sum())
    return MachineComparison(
        n=int(table.sum()),
        topics=ratings.n_topics if ratings.codes.size else 0,
        table=tuple(map(tuple, table.tolist())),
        estimates=_estimates(ratings, options.confidence, weighted=False),
        weighted=_estimates(ratings, options.confidence, weighted=True) if q > 2 else (),
        precision=_share(both, int(table[:, relevant].sum())),
        recall=_share(both, int(table[relevant].sum())),
    )


def majority(codes: Codes, size: int) -> tuple[Codes, NDArray[np.bool_]]:
    """The category that most assessors (rows) gave each pair, MISSING for a tie; and which are tied."""
    counts = np.stack([(codes == place).sum(axis=0) for place in range(size)])
    most = counts.max(axis=0)
    tied = ((counts == most).sum(axis=0) > 1) & (most > 0)
    found = np.where((most > 0) & ~tied, counts.argmax(axis=0), MISSING).astype(np.int8)
    return found, tied


def _estimates(ratings: Ratings, level: float, *, weighted: bool) -> tuple[Estimate, ...]:
    weights = (quadratic if weighted else nominal)(ratings.categories)
    total = tally(ratings, weights).total()
    left = LeftOut(tally(ratings, weights, by_topic=True).grouped(), level) if ratings.codes.size else None
    found = []
    for one in machine_coefficients(weighted=weighted):
        value = value_of(one, total, weights)
        if left is None:
            interval = Interval(None, None, level, METHOD, undefined=NOBODY)
        else:
            interval = interval_of(one, value, left, weights)
        found.append(Estimate(one, value, interval))
    return tuple(found)


def _share(part: int, whole: int) -> Share:
    return Share(part / whole, *share_interval(part, whole), whole) if whole else Share(None, None, None, 0)
