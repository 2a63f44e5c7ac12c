"""The coefficients by name: one table feeds the reports, the pages and the laws that all must obey."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from workbench.agreement.observed import observed_agreement
from workbench.agreement.pooled import pooled_kappa
from workbench.agreement.result import Coefficient
from workbench.agreement.unpooled import unpooled_kappa


@dataclass(frozen=True, slots=True)
class Method:
    """A coefficient for two assessors: what it is called, where it comes from, the function of a table."""

    name: str
    label: str
    source: str
    function: Callable[[ArrayLike], Coefficient]


COEFFICIENTS: Mapping[str, Method] = {
    "observed": Method("observed", "Observed agreement", "share of equal grades", observed_agreement),
    "pooled": Method("pooled", "Pooled kappa", "Scott 1955; Siegel and Castellan 1988", pooled_kappa),
    "unpooled": Method("unpooled", "Unpooled kappa", "Cohen 1960", unpooled_kappa),
}
