"""A machine's labels against a person's, or against the majority of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.coefficients import shown_in
from workbench.agreement.coefficients.coefficient import NOBODY, Coefficient, Shown, value_of
from workbench.agreement.contingency import MISSING, Codes, table_of_codes
from workbench.agreement.estimates import Estimate, HasEstimates, interval_of
from workbench.agreement.intervals import Interval, share_interval
from workbench.agreement.jackknife import METHOD, LeftOut
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings, ratings_of
from workbench.agreement.tally import tally
from workbench.agreement.weights import nominal, quadratic


@dataclass(frozen=True, slots=True)
class Share:
    """A share of `of` pairs with Wilson's interval; all None where there is none."""

    value: float | None
    low: float | None
    high: float | None
    of: int


@dataclass(frozen=True, slots=True)
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
