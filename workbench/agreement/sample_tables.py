"""Tables of what two assessors say of a pair, as shares: guessed from the shares of the grades; kappas."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from workbench.agreement.sample_size import Floats
from workbench.errors import Finding, InvalidInput

# Of rarer grades so many pairs would be needed that they cannot be counted.
RAREST = 1e-6


def expected_shares(prevalence: Sequence[float], kappa: float) -> Floats:
    """The shares of a table whose assessors both give the grades in these shares and agree by this kappa.

    kappa diag(p) + (1 - kappa) p p': the common correlation model. Shape (grades, grades), lowest or highest
    first as given. Raises InvalidInput for shares that are none and for a kappa that they do not allow.
    Source: Donner and Eliasziw 1992, extended to several grades as by Altaye, Donner and Klar 2001.

    >>> expected_shares([0.3, 0.7], 0.5).round(3).tolist()
    [[0.195, 0.105], [0.105, 0.595]]
    """
    p = np.asarray(prevalence, dtype=np.float64)
    findings = []
    if p.ndim != 1 or len(p) < 2 or not ((p >= 0) & (p < 1)).all() or abs(float(p.sum()) - 1) > 1e-6:
        message = f"the shares of the grades cannot be {', '.join(f'{share:g}' for share in p.ravel())}"
        remedy = "two or more from 0 to below 1 that sum to 1"
        findings.append(Finding("Sample", None, "prevalence", message, remedy))
    elif (rare := p[(p > 0) & (p < RAREST)]).size:
        message = f"a grade that is given in a share of {rare[0]:g} cannot be planned for"
        findings.append(Finding("Sample", None, "prevalence", message, f"give 0, or {RAREST:.6f} or more"))
    if not -1 <= kappa < 1:
        message, remedy = f"kappa cannot be guessed as {kappa:g}", "give less than 1, as 0.6"
        findings.append(Finding("Sample", None, "kappa", message, remedy))
    if findings:
        raise InvalidInput(findings)
    shares: Floats = kappa * np.diag(p) + (1 - kappa) * np.outer(p, p)
    if kappa < (lowest := lowest_kappa(p.tolist(), 2)) - 1e-9:
        message = f"with these shares of the grades kappa cannot be as low as {kappa:g}"
        raise InvalidInput(
            [Finding("Sample", None, "kappa", message, f"give {rounded_up(lowest):g} or more")]
        )
    # At the lowest kappa a cell is empty but for rounding.
    return np.maximum(shares, 0.0)


def lowest_kappa(prevalence: Sequence[float], assessors: int) -> float:
    """The lowest kappa at which so many assessors can give the grades in these shares.

    The rarest grade p must last for all: p + (assessors - 1) kappa / (1 - kappa) is not negative. Source:
    Prentice 1986 for two grades.

    >>> round(lowest_kappa([0.5, 0.5], 2), 3), round(lowest_kappa([0.2, 0.8], 3), 3)
    (-1.0, -0.111)
    """
    theta = -min(share for share in prevalence if share > 0) / (assessors - 1)
    return theta / (1 + theta) if theta > -1 else -1.0


def rounded_up(kappa: float) -> float:
    """The next thousandth, never below: what is told as the lowest can be given."""
    return ceil(kappa * 1000) / 1000 + 0.0


def kappa_of_shares(shares: Floats) -> Floats:
    """The pooled kappas of tables of shares (..., q, q), NaN where there is none."""
    prevalence = (shares.sum(axis=-1) + shares.sum(axis=-2)) / 2
    observed, expected = np.trace(shares, axis1=-2, axis2=-1), (prevalence**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
