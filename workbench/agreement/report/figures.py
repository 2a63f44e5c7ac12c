"""Every coefficient of some ratings, with its intervals: one line of a report each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from statistics import NormalDist

from workbench.agreement.bands import LandisKoch, landis_koch
from workbench.agreement.closed_form import kappa_bounds, kappa_error, share_interval
from workbench.agreement.report.how import How, weights_for
from workbench.agreement.result import Coefficient
from workbench.agreement.several.bootstrap import Interval, interval_over, resampled
from workbench.agreement.several.levels import alpha_method
from workbench.agreement.several.linearised import linearised
from workbench.agreement.several.methods import METHODS, Method, coefficient
from workbench.agreement.several.pairs import pair_tables
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.tally import Tally, tally
from workbench.agreement.several.weights import Weights
from workbench.agreement.table import Table

Drawn = tuple[Tally, int]
"""The sums of resamples, and the number of units drawn from."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One coefficient: its value or why there is none, the interval drawn, and the one reckoned if there is.

    `note` says in a few words what the coefficient takes for chance. `interval` is None where none was asked
    for.
    """

    label: str
    note: str
    source: str
    coefficient: Coefficient
    interval: Interval | None = None
    analytic: Interval | None = None

    @property
    def name(self) -> str:
        """The coefficient's name in registries and files."""
        return self.coefficient.name

    @property
    def value(self) -> float | None:
        """The value, None where it is undefined."""
        return self.coefficient.value

    @property
    def band(self) -> LandisKoch | None:
        """Landis and Koch's word for the value; none for observed agreement, from which nothing is taken."""
        if self.coefficient.value is None or self.name == "observed":
            return None
        return landis_koch(self.coefficient.value)

    @property
    def would_define(self) -> str:
        """What would give a value where there is none."""
        return self.coefficient.would_define


def drawn_from(ratings: Ratings, how: How) -> Drawn:
    """Resamples of some ratings, from which the intervals of all their figures follow."""
    weights = weights_for(how, ratings)
    return resampled(ratings, weights, unit=how.unit, rounds=how.rounds, seed=how.seed)


def figures(ratings: Ratings, how: How, drawn: Drawn | None = None) -> tuple[Figure, ...]:
    """Observed agreement, both kappas, alpha, Gwet's AC and S, over pairs with two grades or more.

    Without the resamples `drawn` there are no intervals.
    """
    weights = weights_for(how, ratings)
    whole = tally(ratings, weights).total()
    found = figures_of(whole, drawn, weights, ratings.categories, how)
    if drawn is None:
        return found
    table = pair_tables(ratings)[0, 1] if ratings.n_assessors == 2 else None
    return tuple(
        Figure(
            one.label, one.note, one.source, one.coefficient, one.interval,
            None if one.value is None else _analytic(one.coefficient, ratings, table, weights, how),
        )
        for one in found
    )  # fmt: skip


def figures_of(
    whole: Tally,
    drawn: Drawn | None,
    weights: Weights,
    categories: tuple[int, ...],
    how: How,
) -> tuple[Figure, ...]:
    """The same from sums over all pairs, and over resamples with the number of units drawn from."""
    return tuple(
        Figure(
            _label(method, len(categories), how),
            NOTES[method.name],
            method.source,
            found := _written(coefficient(method, whole, weights), len(categories), how),
            None if drawn is None else interval_of(method, found, drawn, weights, how),
        )
        for method in methods_for(categories, how)
    )


def methods_for(categories: tuple[int, ...], how: How) -> tuple[Method, ...]:
    """The coefficients in the order of a report, alpha for the level chosen."""
    # Of two grades every level says the same; the nominal one is written in shares.
    level = "nominal" if len(categories) == 2 else how.level
    by_name = {**METHODS, "alpha": alpha_method(level, categories)}
    return tuple(by_name[name] for name in ORDER)


def interval_of(method: Method, found: Coefficient, drawn: Drawn, weights: Weights, how: How) -> Interval:
    """The bootstrap's interval of a coefficient, or why there is none."""
    resamples, units = drawn
    if found.value is None:
        return Interval(
            None, None, how.confidence, how.method, units, how.rounds, how.seed, how.rounds,
            "the coefficient is undefined",
        )  # fmt: skip
    return interval_over(
        method, resamples, weights,
        unit=how.unit, units=units, rounds=how.rounds, seed=how.seed, level=how.confidence,
        bounds=how.bounds,
    )  # fmt: skip


ORDER = ("observed", "pooled", "unpooled", "alpha", "gwet", "uniform")
NOTES = {
    "observed": "chance is not taken off",
    "pooled": "chance from one distribution for all",
    "unpooled": "chance from each assessor's own grades",
    "alpha": "chance from all grades given, without drawing one twice",
    "gwet": "chance only where a grade is given at random",
    "uniform": "chance as if every grade were equally likely",
}


def _written(found: Coefficient, grades: int, how: How) -> Coefficient:
    """Alpha of other than nominal data has disagreements that are no shares: they are not shown as such."""
    if found.name == "alpha" and grades > 2 and how.level != "nominal":
        return replace(found, observed=None, expected=None)
    return found


def _label(method: Method, grades: int, how: How) -> str:
    weighted = how.weighted and grades > 2
    if method.name == "gwet":
        return "Gwet's AC2" if weighted else "Gwet's AC1"
    if method.name == "uniform":
        return "S (PABAK)" if grades == 2 else "S"
    if method.name == "alpha":
        return "Krippendorff's alpha" if grades == 2 else method.label
    return f"{method.label}, {how.weights_name} weights" if weighted else method.label


def _analytic(
    found: Coefficient, ratings: Ratings, table: Table | None, weights: Weights, how: How
) -> Interval | None:
    if found.name in ("pooled", "uniform", "gwet"):
        return linearised(ratings, found.name, weights=weights, level=how.confidence)
    if table is None:
        return None
    n = int(table.sum())
    if found.name == "observed" and n and not (0 < weights[weights > 0].min(initial=1.0) < 1):
        low, high = share_interval(int(table.trace()), n, level=how.confidence)
        return Interval(low, high, how.confidence, "Wilson 1927, over pairs", n)
    if found.name == "unpooled" and found.value is not None:
        error = kappa_error(table, weights)
        if error is not None and isfinite(error):
            reach = NormalDist().inv_cdf((1 + how.confidence) / 2) * error
            bounds = kappa_bounds(found.value, reach)
            return Interval(
                *bounds, how.confidence, "large-sample error over pairs, Fleiss, Cohen and Everitt 1969", n
            )
    return None
