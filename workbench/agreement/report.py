"""What a comparison of assessors says: every two of them, and the means over them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.agreement.bands import Band, band
from workbench.agreement.means import MeanAgreement
from workbench.agreement.result import Coefficient


class Basis(StrEnum):
    """Which pairs enter: those both judged, or also those only one did, as the other's lowest grade."""

    BOTH = "both"
    LISTED_AS_NOT_RELEVANT = "listed-as-not-relevant"


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two assessors: their table (rows are the first's grades, columns the second's) and its coefficients.

    `n` pairs are in the table; `n_both` were judged by both, the other two counts are of pairs judged by one.
    """

    first: str
    second: str
    table: tuple[tuple[int, ...], ...]
    n: int
    n_both: int
    n_first_only: int
    n_second_only: int
    observed: Coefficient
    pooled: Coefficient
    unpooled: Coefficient

    @property
    def band(self) -> Band | None:
        """The band of the pooled kappa, None where it is undefined."""
        return None if self.pooled.value is None else band(self.pooled.value)


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Every two assessors, in the order given, and the means over them.

    Tables are in the order of `categories`, highest first; where `relevant_from` is given, grades were made
    1 (relevant) and 0 before.
    """

    assessors: tuple[str, ...]
    categories: tuple[int, ...]
    relevant_from: int | None
    basis: Basis
    universe: int | None
    pairs: tuple[PairAgreement, ...]
    observed: MeanAgreement
    pooled: MeanAgreement
    unpooled: MeanAgreement
