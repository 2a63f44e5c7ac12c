"""Estimates of all coefficients: value, bootstrap interval, analytic interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.agreement.bands import Band, verdict
from workbench.agreement.coefficients import COEFFICIENTS, coefficients_on
from workbench.agreement.coefficients.coefficient import Coefficient, CoefficientValue, value_of
from workbench.agreement.coefficients.steps import Sheet, Step
from workbench.agreement.contingency import Table
from workbench.agreement.intervals import Interval
from workbench.agreement.linearised import linearised
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings, pair_tables
from workbench.agreement.resampling import Resampled, interval_over, resampled
from workbench.agreement.selection import Selection
from workbench.agreement.tally import Tally, tally
from workbench.agreement.weights import Weights


@dataclass(frozen=True, slots=True)
class Estimate:
    """One coefficient of some ratings: its value or why there is none, and its intervals.

    `coefficient` is named as it is on the scale. `interval` is the bootstrap's, None where none was asked
    for; `analytic` follows from a formula, None where there is none.
    """

    coefficient: Coefficient
    found: CoefficientValue
    interval: Interval | None = None
    analytic: Interval | None = None

    @property
    def name(self) -> str:
        """The coefficient's name in registries and files."""
        return self.coefficient.name

    @property
    def label(self) -> str:
        """What the coefficient is called."""
        return self.coefficient.label

    @property
    def value(self) -> float | None:
        """The value, None where it is undefined."""
        return self.found.value

    @property
    def band(self) -> Band | None:
        """The verdict in a word; none where there is no value or chance is not corrected for."""
        return verdict(self.value, self.found.n) if self.coefficient.chance_corrected else None


def resamples_of(ratings: Ratings, options: AgreementOptions) -> Resampled:
    """Resamples of some ratings, from which the intervals of all their coefficients follow."""
    return resampled(ratings, options.weights_for(ratings), options.resamples)


def estimates(
    ratings: Ratings, options: AgreementOptions, drawn: Resampled | None = None
) -> tuple[Estimate, ...]:
    """Every coefficient over pairs with two grades or more; without the resamples `drawn` no intervals."""
    weights = options.weights_for(ratings)
    whole = tally(ratings, weights).total()
    found = estimates_of(whole, drawn, weights, ratings.categories, options)
    if drawn is None:
        return found
    table = pair_tables(ratings)[0, 1] if ratings.n_assessors == 2 else None
    level = options.confidence
    return tuple(replace(one, analytic=_analytic(one, ratings, table, weights, level)) for one in found)


def estimates_of(
    whole: Tally,
    drawn: Resampled | None,
    weights: Weights,
    categories: tuple[int, ...],
    options: AgreementOptions,
) -> tuple[Estimate, ...]:
    """The same from sums over all pairs, and over resamples."""
    return tuple(
        Estimate(
            coefficient,
            found := _written(coefficient, value_of(coefficient, whole, weights)),
            None if drawn is None else interval_of(coefficient, found, drawn, weights),
        )
        for coefficient in coefficients_on(categories, weights=options.weights_name, level=options.level)
    )


def coefficients_of(
    selection: Selection, options: AgreementOptions
) -> tuple[Selection, tuple[Estimate, ...]]:
    """Every coefficient of a selection with its intervals, and nothing else of the report."""
    ratings = selection.ratings
    return selection, estimates(ratings, options, resamples_of(ratings, options))


def interval_of(
    coefficient: Coefficient, found: CoefficientValue, drawn: Resampled, weights: Weights
) -> Interval:
    """The bootstrap's interval of a coefficient, or why there is none."""
    if found.value is None:
        return drawn.resamples.none(drawn.units, "the coefficient is undefined")
    return interval_over(coefficient, drawn, weights)


def calculations(
    table: Sequence[Sequence[int]],
    found: Sequence[Estimate],
    ratings: Ratings,
    options: AgreementOptions,
    labels: Sequence[str],
) -> tuple[tuple[Estimate, tuple[Step, ...]], ...]:
    """The calculation of two assessors' coefficients from their table, step by step where there are steps."""
    counts = np.array(table, dtype=np.float64)
    if not counts.sum():
        return ()
    weighted = options.weighted and len(counts) > 2
    sheet = Sheet(counts, labels, options.weights_for(ratings), weighted)
    shown = ((one, one.coefficient.steps(sheet, one.found)) for one in found)
    return tuple((one, steps) for one, steps in shown if steps)


def chosen(found: Sequence[Estimate], name: str) -> Estimate:
    """The estimate of a coefficient, by its name."""
    return found[list(COEFFICIENTS).index(name)]


def _written(coefficient: Coefficient, found: CoefficientValue) -> CoefficientValue:
    """Disagreements that are no shares of pairs are not shown as such."""
    return found if coefficient.in_shares else replace(found, observed=None, expected=None)


def _analytic(
    one: Estimate, ratings: Ratings, table: Table | None, weights: Weights, level: float
) -> Interval | None:
    if one.value is None:
        return None
    if one.coefficient.linearised:
        return linearised(ratings, one.name, weights=weights, level=level)
    return None if table is None else one.coefficient.table_interval(table, weights, one.found, level)
