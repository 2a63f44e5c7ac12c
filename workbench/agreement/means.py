"""The mean of a coefficient over pairs of assessors, and what had to be left out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

from workbench.agreement.result import Coefficient

NOWHERE = "the coefficient is undefined for every two assessors"


@dataclass(frozen=True, slots=True)
class MeanAgreement:
    """The mean of one coefficient over the `pairs` of assessors for which it is defined.

    `left_out` counts the others, `reasons` says why, with how many each. `value` is None exactly where
    `undefined` gives a reason.
    """

    name: str
    value: float | None
    pairs: int
    left_out: int
    reasons: tuple[tuple[str, int], ...]
    undefined: str = ""


def mean_agreement(name: str, coefficients: Iterable[Coefficient]) -> MeanAgreement:
    """The mean of these coefficients where they are defined.

    Source: average pairwise kappa, Light 1971; Manning, Raghavan and Schuetze 2008, section 8.5.
    """
    values: list[float] = []
    reasons: Counter[str] = Counter()
    for coefficient in coefficients:
        if coefficient.value is None:
            reasons[coefficient.undefined] += 1
        else:
            values.append(coefficient.value)
    mean = fsum(values) / len(values) if values else None
    undefined = NOWHERE if mean is None else ""
    return MeanAgreement(name, mean, len(values), reasons.total(), tuple(sorted(reasons.items())), undefined)
