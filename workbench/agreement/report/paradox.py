"""High agreement and a low kappa: why that is no contradiction, said where it happens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agreement.report.figures import Figure
from workbench.agreement.report.grades import GradeAgreement

HIGH_AGREEMENT = 0.8
LOW_KAPPA = 0.6
# What S, which knows no prevalence, must be above kappa for prevalence to be the reason.
APART = 0.2


@dataclass(frozen=True, slots=True)
class Paradox:
    """Agreement is high and kappa low since one grade is so common that chance alone would agree.

    `grade` is the common one and `share` how much of all grades it is; `expected` is what chance is taken to
    give, `uniform` the value of S, what the same agreement would be worth were all grades equally common.
    """

    observed: float
    kappa: float
    expected: float
    uniform: float
    grade: int
    share: float


def paradox(figures: Sequence[Figure], grades: Sequence[GradeAgreement]) -> Paradox | None:
    """The paradox where it is there: agreement of 0.8 or more, pooled kappa below 0.6 and S 0.2 above that.

    Where kappa is undefined since all gave one grade there is no paradox to explain, that reason is said.
    Source: Feinstein and Cicchetti 1990; Byrt, Bishop and Carlin 1993.
    """
    by_name = {one.name: one.coefficient for one in figures}
    pooled, uniform = by_name["pooled"], by_name["uniform"]
    if pooled.value is None or pooled.observed is None or pooled.expected is None or uniform.value is None:
        return None
    if pooled.observed < HIGH_AGREEMENT or pooled.value >= LOW_KAPPA or uniform.value - pooled.value < APART:
        return None
    common = max(grades, key=lambda one: one.given)
    if common.share is None:
        return None
    return Paradox(pooled.observed, pooled.value, pooled.expected, uniform.value, common.grade, common.share)
