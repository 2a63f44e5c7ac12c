"""Pooled kappa: chance is reckoned from the grades of both assessors together."""

from __future__ import annotations

from numpy.typing import ArrayLike

from workbench.agreement.result import Coefficient, beyond_chance, nobody
from workbench.agreement.table import checked


def pooled_kappa(table: ArrayLike) -> Coefficient:
    """kappa = (P(A) - P(E)) / (1 - P(E)) with P(E) = sum over the grades of ((row + column) / 2N) squared.

    `table` is square, rows the first assessor's grades, columns the second's; `marginals` has one row, the
    share of every grade among all 2N. Undefined where the table is empty or holds one grade only. Never
    above the unpooled kappa: P(E) pooled - P(E) unpooled = sum of ((row - column) / 2N) squared >= 0.
    Raises WorkbenchError for what is no table of counts.
    Source: Scott 1955 (pi); Siegel and Castellan 1988; Manning, Raghavan and Schuetze 2008, Table 8.2, worked
    here (the book prints 0.7878 for the marginal 0.7875, and 0.665 and 0.776):

    >>> kappa = pooled_kappa([[300, 20], [10, 70]])
    >>> kappa.marginals
    ((0.7875, 0.2125),)
    >>> print(f"{kappa.observed:.3f} {kappa.expected:.7f} {kappa.value:.6f}")
    0.925 0.6653125 0.775910
    """
    counts = checked(table)
    n = int(counts.sum())
    if n == 0:
        return nobody("pooled")
    both: list[int] = (counts.sum(axis=1) + counts.sum(axis=0)).tolist()
    return beyond_chance(
        "pooled",
        counts,
        chance=sum(count * count for count in both),
        outof=(2 * n) ** 2,
        marginals=(tuple(count / (2 * n) for count in both),),
    )
