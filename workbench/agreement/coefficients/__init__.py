"""The coefficients of agreement, one module each.

To add a coefficient: write a module with a subclass of `Coefficient` that has `disagreements` (the formula
for any number of assessors) and an instance of it with its names, note, source and help; name the instance
in COEFFICIENTS below. The reports, pages, commands, exports, help and laws read this registry alone.
`steps` (the calculation shown for two), `chance_by_pair` or
`table_interval` (an analytic interval) and `on_scale` (other names on other scales) are there where a
coefficient has them; `pooled_kappa` is a module to copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from workbench.agreement.coefficients.alpha import ALPHA
from workbench.agreement.coefficients.coefficient import Coefficient, CoefficientValue, Shown, value_of
from workbench.agreement.coefficients.gwet import GWET
from workbench.agreement.coefficients.observed import OBSERVED
from workbench.agreement.coefficients.pooled_kappa import POOLED_KAPPA
from workbench.agreement.coefficients.uniform import UNIFORM
from workbench.agreement.coefficients.unpooled_kappa import UNPOOLED_KAPPA
from workbench.agreement.ratings import Ratings
from workbench.agreement.tally import tally
from workbench.agreement.weights import weights_of
from workbench.errors import WorkbenchError

COEFFICIENTS: dict[str, Coefficient] = {
    coefficient.name: coefficient
    for coefficient in (
        OBSERVED,
        POOLED_KAPPA,
        UNPOOLED_KAPPA,
        ALPHA,
        GWET,
        UNIFORM,
    )
}
"""Every coefficient by name, in the order of reports."""


def shown_in(table: Shown) -> tuple[Coefficient, ...]:
    """The coefficients that have a column in such tables."""
    return tuple(one for one in COEFFICIENTS.values() if one.shown >= table)


def coefficients_on(
    categories: Sequence[int], *, weights: str = "nominal", level: str = "nominal"
) -> tuple[Coefficient, ...]:
    """Every coefficient as it is on a scale, with weights by name and a level of measurement."""
    # Of two grades every level says the same; the nominal one is written in shares.
    chosen = "nominal" if len(categories) == 2 else level
    return tuple(one.on_scale(categories, weights=weights, level=chosen) for one in COEFFICIENTS.values())


def coefficient_named(name: str) -> Coefficient:
    """A coefficient by name; raises WorkbenchError where there is none."""
    if name not in COEFFICIENTS:
        raise WorkbenchError(
            f"there is no coefficient {name!r}", remedy=f"choose one of {', '.join(COEFFICIENTS)}"
        )
    return COEFFICIENTS[name]


def coefficient_value(
    ratings: Ratings, name: str, *, weights: str | ArrayLike = "nominal"
) -> CoefficientValue:
    """One coefficient of some ratings; `n` counts the pairs that two assessors or more judged.

    Raises WorkbenchError for a coefficient or weights that do not exist.
    """
    chosen = weights_of(weights, ratings.categories)
    return value_of(coefficient_named(name), tally(ratings, chosen).total(), chosen)
