"""Observed agreement: on what share of the pairs two assessors gave the same grade."""

from __future__ import annotations

from numpy.typing import ArrayLike

from workbench.agreement.result import Coefficient, nobody
from workbench.agreement.table import checked


def observed_agreement(table: ArrayLike) -> Coefficient:
    """P(A) = the table's diagonal over its sum; chance is not taken off.

    `table` is square, rows the first assessor's grades, columns the second's; undefined where it is empty.
    Raises WorkbenchError for what is no table of counts.
    Source: Manning, Raghavan and Schuetze 2008, section 8.5, Table 8.2, worked here:

    >>> observed_agreement([[300, 20], [10, 70]]).value
    0.925
    """
    counts = checked(table)
    n = int(counts.sum())
    if n == 0:
        return nobody("observed")
    share = int(counts.trace()) / n
    return Coefficient("observed", share, None, share, n)
