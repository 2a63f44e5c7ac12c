"""Unpooled kappa: chance is reckoned from each assessor's own grades."""

from __future__ import annotations

from numpy.typing import ArrayLike

from workbench.agreement.result import Coefficient, beyond_chance, nobody
from workbench.agreement.table import checked


def unpooled_kappa(table: ArrayLike) -> Coefficient:
    """kappa = (P(A) - P(E)) / (1 - P(E)) with P(E) = sum over the grades of row / N x column / N.

    `table` is square, rows the first assessor's grades, columns the second's; `marginals` has two rows, the
    first assessor's shares and the second's. Undefined where the table is empty or holds one grade only.
    Raises WorkbenchError for what is no table of counts.
    Source: Cohen 1960; worked here on Table 8.2 of Manning, Raghavan and Schuetze 2008:

    >>> kappa = unpooled_kappa([[300, 20], [10, 70]])
    >>> kappa.marginals
    ((0.8, 0.2), (0.775, 0.225))
    >>> print(f"{kappa.observed:.3f} {kappa.expected:.3f} {kappa.value:.6f}")
    0.925 0.665 0.776119
    """
    counts = checked(table)
    n = int(counts.sum())
    if n == 0:
        return nobody("unpooled")
    rows: list[int] = counts.sum(axis=1).tolist()
    columns: list[int] = counts.sum(axis=0).tolist()
    return beyond_chance(
        "unpooled",
        counts,
        chance=sum(row * column for row, column in zip(rows, columns, strict=True)),
        outof=n**2,
        marginals=(tuple(row / n for row in rows), tuple(column / n for column in columns)),
    )
